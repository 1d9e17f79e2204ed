//! Turns of user-level flows by readiness: what an event loop does for tasks that wait for I/O.
//! Each turn ends with a write to the flow's own pipe, a call that asks which descriptors are
//! ready, a read, and the switch to the next flow, without a real loop's queues and timers. Kernel
//! flows hand over as `yield` says: `pipe` sleeps in a read.

use flow::{Body, HandOver, Outlet, Proof, Turn};
use measure::give_up;
use nix::fcntl::OFlag;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::unistd::{pipe2, read, write};
use std::os::fd::OwnedFd;

use super::Turns;

#[derive(Debug)]
pub(super) struct ByReadiness<'a>(pub(super) &'a Turns);

#[derive(Debug)]
pub(super) struct Watched {
    reader: OwnedFd,
    writer: OwnedFd,
    watcher: Epoll,
}

fn must<T>(what: &str, result: nix::Result<T>) -> T {
    result.unwrap_or_else(|errno| give_up(format_args!("cannot {what}: {errno}")))
}

impl Watched {
    fn new() -> Self {
        let (reader, writer) = must("make a pipe", pipe2(OFlag::O_CLOEXEC));
        let watcher = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC);
        let watcher = must("make a watcher", watcher);
        let readable = EpollEvent::new(EpollFlags::EPOLLIN, 0);
        must("watch a pipe", watcher.add(&reader, readable));
        Self {
            reader,
            writer,
            watcher,
        }
    }

    fn pass(&self, byte: u8) -> bool {
        let mut events = [EpollEvent::empty()];
        let mut came = [0];
        must("write to a pipe", write(&self.writer, &[byte]));
        let ready = self.watcher.wait(&mut events, EpollTimeout::NONE);
        let ready = must("ask a watcher", ready);
        must("read from a pipe", read(&self.reader, &mut came));
        ready == 1 && came == [byte]
    }
}

impl Body for ByReadiness<'_> {
    type State = Watched;
    const SENDS: bool = false;
    const TURNS: bool = true;

    fn units(&self) -> u64 {
        self.0.flows
    }

    fn stack_bytes(&self) -> usize {
        usize::try_from(self.0.stack_bytes()).unwrap_or(usize::MAX)
    }

    fn hand_over(&self) -> HandOver {
        self.0.hand_over
    }

    fn laps(&self, user_level: bool) -> u64 {
        self.0.laps(user_level)
    }

    fn state(&self, _flow: usize) -> Watched {
        Watched::new()
    }

    fn unit(&self, _state: &mut Watched, _unit: u64, _outlet: &mut Outlet<'_>) -> Proof {
        Proof::default()
    }

    async fn turns<T: Turn>(&self, state: &mut Watched, unit: u64, turn: &mut T) -> Proof {
        let mut lost = 0;
        for lap in 0..self.0.laps(T::USER_LEVEL) {
            if T::USER_LEVEL {
                lost += u64::from(!state.pass(lap as u8));
            }
            turn.next().await;
        }
        Proof {
            count: 1,
            checksum: unit + (lost << 32),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_comes_when_it_is_said_to_be_there() {
        let watched = Watched::new();
        assert!((0..=255).all(|byte| watched.pass(byte)));
    }

    #[test]
    fn another_byte_is_found() {
        let watched = Watched::new();
        write(&watched.writer, &[9]).unwrap();
        assert!(!watched.pass(5));
    }
}
