//! `pipe`, `unix-socket`, `eventfd`: a flow sends itself something, and nobody waits.

use std::os::fd::{AsFd, OwnedFd};

use crate::check::{must, same};
use crate::sys::descriptor::{eventfd, read, read_word, write, write_word};
use crate::sys::pipe::Pipe;
use crate::{Facts, OperationContext, PerFlow, either};

const FAMILY: &str = "messages";

const LENGTH: usize = 512;

fn send(pipe: &Pipe, ops: u64) -> u64 {
    (0..ops).fold(0, |checksum, op| {
        let sent = [op as u8; LENGTH];
        let mut came = [!sent[0]; LENGTH];
        must("send a message", write(pipe.writer.as_fd(), &sent));
        must("get a message", read(pipe.reader.as_fd(), &mut came));
        whole(&came, &sent);
        checksum + u64::from(came[LENGTH - 1])
    })
}

fn whole(came: &[u8], sent: &[u8]) {
    assert!(
        came == sent,
        "another message came than the one that was sent"
    );
}

#[derive(Debug)]
pub(crate) struct Message<const SOCKETS: bool>(Pipe);

pub(crate) type ByPipe = Message<false>;
pub(crate) type BySocket = Message<true>;

impl<const SOCKETS: bool> PerFlow for Message<SOCKETS> {
    const FACTS: Facts = Facts {
        name: either(SOCKETS, "unix-socket", "pipe"),
        family: FAMILY,
        does: "write 512 bytes and read them again",
        shares: "nothing: each flow has both ends",
        verified: "the bytes are those that were written",
        ops: if SOCKETS { 1_600 } else { 4_000 },
        ..Facts::USUAL
    };

    fn make(_context: &OperationContext, _flow: usize) -> Self {
        Self(must("make a pipe", Pipe::of(SOCKETS)))
    }

    fn repeat(&mut self, ops: u64) -> u64 {
        send(&self.0, ops)
    }
}

#[derive(Debug)]
pub(crate) struct Eventfd(OwnedFd);

impl PerFlow for Eventfd {
    const FACTS: Facts = Facts {
        name: "eventfd",
        family: FAMILY,
        does: "add to a counter of the kernel and take it out",
        shares: "nothing: each flow has its own counter",
        verified: "what is taken out is what was added",
        ops: 6_000,
        ..Facts::USUAL
    };

    fn make(_context: &OperationContext, _flow: usize) -> Self {
        Self(must("make a counter", eventfd()))
    }

    fn repeat(&mut self, ops: u64) -> u64 {
        (1..=ops).fold(0, |checksum, value| {
            must("add to a counter", write_word(self.0.as_fd(), value));
            let came = must("read a counter", read_word(self.0.as_fd()));
            same("the counter", came, value);
            checksum + came
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "another message came")]
    fn a_message_of_before_is_found() {
        let pipe = Pipe::new().unwrap();
        write(pipe.writer.as_fd(), &[7; LENGTH]).unwrap();
        send(&pipe, 1);
    }

    #[test]
    #[should_panic(expected = "the counter")]
    fn a_counter_that_was_not_empty_is_found() {
        let mut counter = Eventfd(eventfd().unwrap());
        write_word(counter.0.as_fd(), 5).unwrap();
        counter.repeat(1);
    }
}
