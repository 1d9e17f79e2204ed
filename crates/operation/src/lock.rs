//! `mutex`, `semaphore`: the C library's locks, each flow its own or one for all. The one of all
//! flows lies in shared memory and is made for processes, so under every model the same code waits.
//! A flow's own mutex is of its process alone: one thread needs no atomic instruction.

use std::io;

use crate::check::{must, same};
use crate::context::OperationContext;
use crate::facts::Facts;
use crate::ledger::Ledger;
use crate::repeat::Operation;
use crate::sys::lock::{Mutex, Semaphore};
use sys::{Shareable, Shared};

const FAMILY: &str = "locks";
const OWN: &str = "nothing: each flow has its own";
const ONE: &str = "the lock, in shared memory";
const STEPS: &str = "no step that flows made under it is lost";

// SAFETY: all-zero bytes are a mutex of the usual kind; it is used by the C library alone.
unsafe impl Shareable for Mutex {}
// SAFETY: all-zero bytes are a semaphore without passes; it is used by the C library alone.
unsafe impl Shareable for Semaphore {}

#[derive(Debug)]
pub(crate) struct ByMutex<const SAME: bool> {
    mutex: Shared<Mutex>,
    ledger: Ledger,
}

pub(crate) type OwnMutex = ByMutex<false>;
pub(crate) type SameMutex = ByMutex<true>;

fn mutex(may_be_shared: bool) -> io::Result<Shared<Mutex>> {
    let mutex = Shared::<Mutex>::value()?;
    mutex.init(may_be_shared)?;
    Ok(mutex)
}

fn lock(mutex: &Mutex, ledger: &Ledger, ops: u64) {
    for _ in 0..ops {
        must("lock and unlock a mutex", mutex.hold(|| ledger.step()));
    }
    ledger.done(ops);
}

impl<const SAME: bool> Operation for ByMutex<SAME> {
    const FACTS: Facts = Facts {
        name: if SAME { "mutex-same" } else { "mutex" },
        family: FAMILY,
        does: "lock a mutex and unlock it",
        shares: if SAME { ONE } else { OWN },
        verified: STEPS,
        ops: if SAME { 60_000 } else { 500_000 },
        ..Facts::USUAL
    };

    type State = (Shared<Mutex>, Ledger);

    fn prepare(context: &OperationContext) -> io::Result<Self> {
        Ok(Self {
            mutex: mutex(true)?,
            ledger: Ledger::new(context.flows)?,
        })
    }

    fn own(&self, _flow: usize) -> (Shared<Mutex>, Ledger) {
        (
            must("make a mutex", mutex(false)),
            must("map memory", Ledger::new(1)),
        )
    }

    fn repeat(&self, (mutex, ledger): &mut (Shared<Mutex>, Ledger), ops: u64) -> u64 {
        match SAME {
            true => lock(&self.mutex, &self.ledger, ops),
            false => lock(mutex, ledger, ops),
        }
        ops
    }
}

#[derive(Debug)]
pub(crate) struct BySemaphore<const SAME: bool> {
    semaphore: Shared<Semaphore>,
    ledger: Ledger,
}

pub(crate) type OwnSemaphore = BySemaphore<false>;
pub(crate) type SameSemaphore = BySemaphore<true>;

fn semaphore() -> io::Result<Shared<Semaphore>> {
    let semaphore = Shared::<Semaphore>::value()?;
    semaphore.init()?;
    Ok(semaphore)
}

fn pass(semaphore: &Semaphore, ledger: &Ledger, ops: u64) {
    for _ in 0..ops {
        must("take a pass", semaphore.wait());
        ledger.step();
        must("give a pass back", semaphore.post());
    }
    ledger.done(ops);
}

impl<const SAME: bool> Operation for BySemaphore<SAME> {
    const FACTS: Facts = Facts {
        name: if SAME { "semaphore-same" } else { "semaphore" },
        family: FAMILY,
        does: "take the one pass of a semaphore and give it back",
        shares: if SAME { ONE } else { OWN },
        verified: STEPS,
        ops: if SAME { 60_000 } else { 500_000 },
        ..Facts::USUAL
    };

    type State = (Shared<Semaphore>, Ledger);

    fn prepare(context: &OperationContext) -> io::Result<Self> {
        Ok(Self {
            semaphore: semaphore()?,
            ledger: Ledger::new(context.flows)?,
        })
    }

    fn own(&self, _flow: usize) -> (Shared<Semaphore>, Ledger) {
        (
            must("make a semaphore", semaphore()),
            must("map memory", Ledger::new(1)),
        )
    }

    fn repeat(&self, (semaphore, ledger): &mut (Shared<Semaphore>, Ledger), ops: u64) -> u64 {
        match SAME {
            true => pass(&self.semaphore, &self.ledger, ops),
            false => {
                pass(semaphore, ledger, ops);
                let left = must("look at a semaphore", semaphore.passes());
                same("the passes that are left", left, 1);
            }
        }
        ops
    }
}
