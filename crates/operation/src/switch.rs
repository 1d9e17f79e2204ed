//! `switch-*`: a word goes to the flow's partner and comes back.
//!
//! Each flow has a partner of its own kind ([`crate::partner`]), so one operation is two
//! switches where both share a CPU.

use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;

use flow::Model;

use crate::check::{must, same};
use crate::facts::Facts;
use crate::partner::{END, Partner};
use crate::repeat::Operation;
use crate::site::Site;
use crate::sys::descriptor::{read_word, write_word};
use crate::sys::pipe;

/// A word goes and comes by a pipe each.
#[derive(Debug)]
pub(crate) struct Pipe {
    model: Model,
}

/// The two pipes.
#[derive(Debug)]
struct Pipes {
    there: pipe::Pipe,
    back: pipe::Pipe,
}

/// A flow's pipes and its partner.
#[derive(Debug)]
pub(crate) struct ByPipe {
    pipes: Arc<Pipes>,
    partner: Option<Partner>,
}

impl Operation for Pipe {
    const FACTS: Facts = Facts {
        name: "switch-pipe",
        family: "switches",
        does: "send a word to a partner by a pipe and get the answer by another",
        shares: "nothing: each flow has its own partner, of its own kind",
        verified: "each answer is the word plus one",
        ops: 700,
        needs_folder: false,
    };

    type Own = ByPipe;

    fn prepare(site: &Site<'_>) -> io::Result<Self> {
        Ok(Self { model: site.model })
    }

    fn own(&self, _flow: usize) -> ByPipe {
        let pipe = || must("make a pipe", pipe::Pipe::new());
        let pipes = Arc::new(Pipes {
            there: pipe(),
            back: pipe(),
        });
        let partners = Arc::clone(&pipes);
        let partner = Partner::start(self.model, move || answer(&partners));
        ByPipe {
            pipes,
            partner: Some(must("start a partner", partner)),
        }
    }

    fn repeat(&self, own: &mut ByPipe, ops: u64) -> u64 {
        let Pipes { there, back } = &*own.pipes;
        (0..ops).fold(0, |checksum, word| {
            must("write to a partner", write_word(there.writer.as_fd(), word));
            let answer = must("read from a partner", read_word(back.reader.as_fd()));
            same("a partner's answer", answer, word + 1);
            checksum + answer
        })
    }
}

/// What the partner does.
fn answer(Pipes { there, back }: &Pipes) {
    loop {
        match must("read from a flow", read_word(there.reader.as_fd())) {
            END => return,
            word => must("write to a flow", write_word(back.writer.as_fd(), word + 1)),
        }
    }
}

impl Drop for ByPipe {
    fn drop(&mut self) {
        must(
            "end a partner",
            write_word(self.pipes.there.writer.as_fd(), END),
        );
        if let Some(partner) = self.partner.take() {
            partner.join();
        }
    }
}
