//! `poll`, `epoll`: which of some descriptors is ready; only `poll` looks all up at each call.

use std::os::fd::{AsFd, OwnedFd};

use crate::check::{at_length, must, same};
use crate::sys::descriptor::{epoll, eventfd, only_ready, poll, read_word, watched, write_word};
use crate::{Facts, OperationContext, PerFlow};

const FAMILY: &str = "readiness";
const VERIFIED: &str = "the one that is ready is found each time; it is another after 64";

const COUNT: usize = 16;

#[derive(Debug)]
struct Counters {
    counters: Vec<OwnedFd>,
    ready: Option<usize>,
}

impl Counters {
    fn new() -> Self {
        let counter = |_| must("make a counter", eventfd());
        Self {
            counters: (0..COUNT).map(counter).collect(),
            ready: None,
        }
    }

    fn next(&mut self) -> usize {
        if let Some(ready) = self.ready {
            must("read a counter", read_word(self.counters[ready].as_fd()));
        }
        let next = self.ready.map_or(0, |ready| (ready + 1) % COUNT);
        must(
            "add to a counter",
            write_word(self.counters[next].as_fd(), 1),
        );
        self.ready = Some(next);
        next
    }

    /// `found` returns the ready one; none or many are [`COUNT`].
    fn look(&mut self, ops: u64, mut found: impl FnMut() -> usize) -> u64 {
        let mut ready = 0;
        let mut checksum = 0;
        for op in 0..ops {
            if at_length(op) {
                ready = self.next();
            }
            let came = found();
            same("the one that is ready", came as u64, ready as u64);
            checksum += 1;
        }
        checksum
    }
}

#[derive(Debug)]
pub(crate) struct Poll(Counters);

impl PerFlow for Poll {
    const FACTS: Facts = Facts {
        name: "poll",
        family: FAMILY,
        does: "ask which of 16 descriptors is ready",
        shares: "nothing: each flow has its own descriptors",
        verified: VERIFIED,
        ops: 5_000,
        ..Facts::USUAL
    };

    fn make(_context: &OperationContext, _flow: usize) -> Self {
        Self(Counters::new())
    }

    fn repeat(&mut self, ops: u64) -> u64 {
        let all = self.0.counters.iter().map(|fd| watched(fd.as_fd()));
        let mut all: Vec<libc::pollfd> = all.collect();
        self.0.look(ops, || {
            let count = must("poll", poll(&mut all));
            let ready = all.iter().position(|fd| fd.revents & libc::POLLIN != 0);
            ready.filter(|_| count == 1).unwrap_or(COUNT)
        })
    }
}

#[derive(Debug)]
pub(crate) struct Epoll {
    counters: Counters,
    watcher: OwnedFd,
}

impl PerFlow for Epoll {
    const FACTS: Facts = Facts {
        name: "epoll",
        family: FAMILY,
        does: "ask a watcher which of 16 descriptors is ready",
        shares: "nothing: each flow has its own descriptors",
        verified: VERIFIED,
        ops: 7_500,
        ..Facts::USUAL
    };

    fn make(_context: &OperationContext, _flow: usize) -> Self {
        let counters = Counters::new();
        let watcher = must("make a watcher", epoll(&counters.counters));
        Self { counters, watcher }
    }

    fn repeat(&mut self, ops: u64) -> u64 {
        let Self { counters, watcher } = self;
        counters.look(ops, || {
            let ready = must("ask a watcher", only_ready(watcher.as_fd()));
            ready.map_or(COUNT, |number| number as usize)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EachFlow;
    use crate::repeat::testing::{of_flows, together};

    #[test]
    #[should_panic(expected = "the one that is ready")]
    fn two_that_are_ready_are_found() {
        let mut own = Poll(Counters::new());
        write_word(own.0.counters[9].as_fd(), 1).unwrap();
        own.repeat(1);
    }

    #[test]
    fn both_find_each_of_them() {
        assert_eq!(together(&of_flows::<EachFlow<Poll>>(1), 1, 2_000), [2_000]);
        assert_eq!(together(&of_flows::<EachFlow<Epoll>>(1), 1, 2_000), [2_000]);
    }
}
