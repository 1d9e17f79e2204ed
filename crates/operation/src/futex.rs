//! `futex-*`: the calls that waiting is made of, where nobody has to wait. The kernel finds the
//! queue of a word by its address and address space (private), or by its page (shared).

use std::io;
use std::sync::atomic::AtomicU32;

use crate::check::{must, same};
use crate::sys::futex::{Scope, wait, wake};
use crate::{Facts, Operation, OperationContext};
use sys::Shared;

fn find_nobody(word: &AtomicU32, scope: Scope, ops: u64) -> u64 {
    (0..ops).fold(0, |checksum, op| {
        finds_another(wait(word, OTHER, scope));
        same("flows that were woken", must("wake", wake(word, scope)), 0);
        checksum + op
    })
}

const OTHER: u32 = 1;

#[inline]
fn finds_another(waited: io::Result<()>) {
    match waited {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
        other => panic!("a wait for a word that holds something else ended with {other:?}"),
    }
}

/// `KIND`: 0 private, 1 shared, 2 one word of all flows.
#[derive(Debug)]
pub(crate) struct Futex<const KIND: u8> {
    same: Shared<AtomicU32>,
}

pub(crate) type Private = Futex<0>;
pub(crate) type OwnShared = Futex<1>;
pub(crate) type Same = Futex<2>;

const NAMES: [&str; 3] = ["futex-private", "futex-shared", "futex-same"];
const SHARES: [&str; 3] = [
    "nothing: each flow has its own word, for its process alone",
    "nothing: each flow has its own word, in memory that may be shared",
    "the word, and the kernel's queue for it",
];

impl<const KIND: u8> Operation for Futex<KIND> {
    const FACTS: Facts = Facts {
        name: NAMES[KIND as usize],
        family: "waiting",
        does: "a wait that finds another number, and a wake that finds nobody",
        shares: SHARES[KIND as usize],
        verified: "the wait answers that it did not, the wake that it woke nobody",
        ops: 5_000,
        ..Facts::USUAL
    };

    type State = Shared<AtomicU32>;

    fn prepare(_context: &OperationContext) -> io::Result<Self> {
        Ok(Self {
            same: Shared::value()?,
        })
    }

    fn own(&self, _flow: usize) -> Shared<AtomicU32> {
        must("map memory", Shared::value())
    }

    fn repeat(&self, own: &mut Shared<AtomicU32>, ops: u64) -> u64 {
        match KIND {
            0 => find_nobody(own, Scope::Private, ops),
            1 => find_nobody(own, Scope::Shared, ops),
            _ => find_nobody(&self.same, Scope::Shared, ops),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_waits_and_nobody_is_woken() {
        let word = AtomicU32::new(0);
        assert_eq!(find_nobody(&word, Scope::Private, 10), 45);
    }

    #[test]
    #[should_panic(expected = "ended with Ok")]
    fn a_wait_that_waited_is_found() {
        finds_another(Ok(()));
    }
}
