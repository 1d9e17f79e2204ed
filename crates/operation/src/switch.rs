//! `switch-*`: a word goes to the [`crate::partner`] and back: two switches on a shared CPU.

use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::check::{must, same};
use crate::partner::{END, Partner};
use crate::sys::descriptor::{read_word, write_word};
use crate::sys::futex::{Scope, wait, wake};
use crate::sys::pipe;
use crate::{Facts, OperationContext, PerFlow};
use sys::{Shareable, Shared};

const FAMILY: &str = "switches";
const PARTNER: &str = "nothing: each flow has its own partner, of its own kind";

#[derive(Debug)]
struct Pipes {
    there: pipe::Pipe,
    back: pipe::Pipe,
}

#[derive(Debug)]
pub(crate) struct Pipe {
    pipes: Arc<Pipes>,
    partner: Option<Partner>,
}

impl PerFlow for Pipe {
    const FACTS: Facts = Facts {
        name: "switch-pipe",
        family: FAMILY,
        does: "send a word to a partner by a pipe and get the answer by another",
        shares: PARTNER,
        verified: "each answer is the word plus one",
        ops: 600,
        ..Facts::USUAL
    };

    fn make(context: &OperationContext, _flow: usize) -> Self {
        let pipe = || must("make a pipe", pipe::Pipe::new());
        let pipes = Arc::new(Pipes {
            there: pipe(),
            back: pipe(),
        });
        let partners = Arc::clone(&pipes);
        let partner = Partner::start(context.model, move || answer(&partners));
        Self {
            pipes,
            partner: Some(must("start a partner", partner)),
        }
    }

    fn repeat(&mut self, ops: u64) -> u64 {
        let Pipes { there, back } = &*self.pipes;
        (0..ops).fold(0, |checksum, word| {
            must("write to a partner", write_word(there.writer.as_fd(), word));
            let answer = must("read from a partner", read_word(back.reader.as_fd()));
            same("a partner's answer", answer, word + 1);
            checksum + answer
        })
    }
}

fn answer(Pipes { there, back }: &Pipes) {
    loop {
        match must("read from a flow", read_word(there.reader.as_fd())) {
            END => return,
            word => must("write to a flow", write_word(back.writer.as_fd(), word + 1)),
        }
    }
}

impl Drop for Pipe {
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

#[derive(Debug)]
#[repr(C, align(128))]
struct Words {
    there: AtomicU32,
    apart: [u64; 15],
    back: AtomicU32,
}

// SAFETY: atomics, and bytes that nobody uses.
unsafe impl Shareable for Words {}

#[derive(Debug)]
pub(crate) struct Futex {
    words: Arc<Shared<Words>>,
    partner: Option<Partner>,
    sent: u32,
}

/// Ends a partner: smaller numbers come before it, and after them they start again.
const NO_MORE: u32 = u32::MAX;

#[inline]
fn send(word: &AtomicU32, number: u32) {
    word.store(number, Ordering::Release);
    must("wake a partner", wake(word, Scope::Shared));
}

#[inline]
fn next(word: &AtomicU32, last: u32) -> u32 {
    loop {
        match word.load(Ordering::Acquire) {
            number if number != last => return number,
            _ => {
                let _looked_again = wait(word, last, Scope::Shared);
            }
        }
    }
}

impl PerFlow for Futex {
    const FACTS: Facts = Facts {
        name: "switch-futex",
        family: FAMILY,
        does: "wake a partner by a word of memory and sleep until it answers",
        shares: PARTNER,
        verified: "each answer is the number that was sent",
        ops: 600,
        ..Facts::USUAL
    };

    fn make(context: &OperationContext, _flow: usize) -> Self {
        let words = Arc::new(must("map memory", Shared::<Words>::value()));
        let partners = Arc::clone(&words);
        let partner = Partner::start(context.model, move || answer_by_futex(&partners));
        Self {
            words,
            partner: Some(must("start a partner", partner)),
            sent: 0,
        }
    }

    fn repeat(&mut self, ops: u64) -> u64 {
        (0..ops).fold(0, |checksum, op| {
            let last = self.sent;
            self.sent = (last + 1) % NO_MORE;
            send(&self.words.there, self.sent);
            let answer = next(&self.words.back, last);
            same("a partner's answer", answer.into(), self.sent.into());
            checksum + op
        })
    }
}

fn answer_by_futex(words: &Words) {
    let mut last = 0;
    loop {
        last = next(&words.there, last);
        if last == NO_MORE {
            return;
        }
        send(&words.back, last);
    }
}

impl Drop for Futex {
    fn drop(&mut self) {
        send(&self.words.there, NO_MORE);
        if let Some(partner) = self.partner.take() {
            partner.join();
        }
    }
}
