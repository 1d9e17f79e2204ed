//! `group-*`: many flows send to many others. A group has up to 20 senders and 20 receivers. Each
//! receiver has a pipe, into which all senders of its group write; each sender goes round the
//! receivers. This measures the kernel's waking and choosing of flows.
//! ```text
//!  senders  0  2  4 …            message `op` of sender `i` goes to receiver (i + op) mod receivers
//!           │╲╱│╲╱│
//!  pipes    └┬─┴┬─┴┬ …           each is read by one receiver
//!  receivers 1  3  5 …
//! ```
//! Flows of even place send: flows on two cores in turn do both. One alone sends to itself.
//! Sources: hackbench (R. Russell and others; package rt-tests), `perf bench sched messaging`.

use std::io;
use std::os::fd::AsFd;

use crate::check::{must, same};
use crate::sys::descriptor::{read, write};
use crate::sys::pipe::Pipe;
use crate::{Facts, Operation, OperationContext, either};

const MOST: usize = 40;
/// As in hackbench, in bytes.
const LENGTH: usize = 100;

#[derive(Debug)]
pub(crate) struct Group<const SOCKETS: bool> {
    groups: Vec<Members>,
}

pub(crate) type ByPipe = Group<false>;
pub(crate) type BySocket = Group<true>;

#[derive(Debug)]
struct Members {
    is_alone: bool,
    senders: u64,
    pipes: Vec<Pipe>,
}

#[derive(Debug)]
pub(crate) struct Member {
    group: usize,
    place: usize,
}

impl Members {
    fn new(flows: usize, sockets: bool) -> io::Result<Self> {
        let receivers = (flows / 2).max(1);
        Ok(Self {
            is_alone: flows == 1,
            senders: flows.div_ceil(2) as u64,
            pipes: (0..receivers)
                .map(|_| Pipe::of(sockets))
                .collect::<io::Result<_>>()?,
        })
    }

    fn send(&self, sender: u64, op: u64) -> u64 {
        let receiver = (sender + op) % self.pipes.len() as u64;
        let mut message = [sender as u8; LENGTH];
        message[..8].copy_from_slice(&op.to_ne_bytes());
        let pipe = self.pipes[receiver as usize].writer.as_fd();
        must("send a message", write(pipe, &message));
        op
    }

    /// Number of the message, and its last byte: the sender.
    fn take(&self, receiver: usize) -> (u64, u8) {
        let mut message = [0; LENGTH];
        let pipe = self.pipes[receiver].reader.as_fd();
        must("get a message", read(pipe, &mut message));
        let [a, b, c, d, e, f, g, h, .., last] = message;
        (u64::from_ne_bytes([a, b, c, d, e, f, g, h]), last)
    }

    /// Each message comes once, and in its sender's order.
    fn take_all(&self, receiver: usize, ops: u64) -> u64 {
        let receivers = self.pipes.len() as u64;
        let first = |sender: u64| (receiver as u64 + receivers - sender % receivers) % receivers;
        let mut due: Vec<u64> = (0..self.senders).map(first).collect();
        let left = |due: u64| ops.saturating_sub(due).div_ceil(receivers);
        let all: u64 = due.iter().map(|due| left(*due)).sum();
        (0..all).fold(0, |checksum, _| {
            let (op, sender) = self.take(receiver);
            let due = &mut due[usize::from(sender)];
            same("the number of a message", op, *due);
            *due += receivers;
            checksum + op
        })
    }
}

impl<const SOCKETS: bool> Operation for Group<SOCKETS> {
    const FACTS: Facts = Facts {
        name: either(SOCKETS, "group-socket", "group-pipe"),
        family: "messages",
        does: "send 100 bytes to one of many receivers, or be one of them",
        shares: "the pipes: each of up to 20 receivers has one, and all senders write to it",
        verified: "each message comes once, in the order of its sender",
        ops: if SOCKETS { 300 } else { 400 },
        waits: true,
        ..Facts::USUAL
    };

    type State = Member;

    fn prepare(context: &OperationContext) -> io::Result<Self> {
        let flows = context.flows as usize;
        let count = flows.div_ceil(MOST);
        let members = |group: usize| (flows - group).div_ceil(count);
        let groups = (0..count).map(|group| Members::new(members(group), SOCKETS));
        Ok(Self {
            groups: groups.collect::<io::Result<_>>()?,
        })
    }

    fn own(&self, flow: usize) -> Member {
        Member {
            group: flow % self.groups.len(),
            place: flow / self.groups.len(),
        }
    }

    fn repeat(&self, own: &mut Member, ops: u64) -> u64 {
        let group = &self.groups[own.group];
        let (side, is_sender) = (own.place / 2, own.place.is_multiple_of(2));
        if group.is_alone {
            return (0..ops).fold(0, |checksum, op| {
                let sent = group.send(0, op);
                same("the number of a message", group.take(0).0, sent);
                checksum + sent
            });
        }
        match is_sender {
            true => (0..ops).map(|op| group.send(side as u64, op)).sum(),
            false => group.take_all(side, ops),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repeat::testing::{of_flows, together};

    /// What flows of a number proved, summed: by pipes, and by sockets.
    fn sums(flows: usize, ops: u64) -> [u64; 2] {
        [
            together(&of_flows::<ByPipe>(flows), flows, ops)
                .iter()
                .sum(),
            together(&of_flows::<BySocket>(flows), flows, ops)
                .iter()
                .sum(),
        ]
    }

    #[test]
    fn what_was_sent_arrives_whatever_the_size_of_the_groups() {
        for flows in [2, 3, 5, 8, 41, 83] {
            let groups = usize::div_ceil(flows, MOST);
            let members = (0..groups).map(|group| (flows - group).div_ceil(groups));
            let senders: usize = members.map(|members| members.div_ceil(2)).sum();
            let sent = senders as u64 * (0..30).sum::<u64>();
            assert_eq!(sums(flows, 30), [2 * sent; 2], "{flows}");
        }
    }

    #[test]
    fn a_flow_alone_sends_to_itself() {
        assert_eq!(sums(1, 5), [10; 2]);
    }

    #[test]
    #[should_panic(expected = "the number of a message")]
    fn a_message_that_comes_twice_is_found() {
        let group = Members::new(2, false).unwrap();
        group.send(0, 0);
        group.send(0, 0);
        group.take_all(0, 2);
    }
}
