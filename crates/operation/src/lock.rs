//! `mutex`, `semaphore`: the C library's locks, each flow its own or one for all. The one of all
//! flows lies in shared memory and is made for processes, so under every model the same code waits.
//! A flow's own mutex is of its process alone: one thread needs no atomic instruction.

use std::fmt::Debug;
use std::io;

use crate::check::{must, same};
use crate::ledger::Ledger;
use crate::sys::lock::{Mutex, Semaphore};
use crate::{Facts, Operation, OperationContext, either};
use sys::{Shareable, Shared};

// SAFETY: all-zero bytes are a mutex of the usual kind; it is used by the C library alone.
unsafe impl Shareable for Mutex {}
// SAFETY: all-zero bytes are a semaphore without passes; it is used by the C library alone.
unsafe impl Shareable for Semaphore {}

pub(crate) trait Lock: Shareable + Debug {
    /// The operation on a lock of each flow, and on one lock of all flows.
    const NAMES: [&'static str; 2];
    const DOES: &'static str;
    const MAKE: &'static str;

    fn make(&self, may_be_shared: bool) -> io::Result<()>;

    fn step(&self, ledger: &Ledger);

    fn check(&self) {}
}

impl Lock for Mutex {
    const NAMES: [&'static str; 2] = ["mutex", "mutex-same"];
    const DOES: &'static str = "lock a mutex and unlock it";
    const MAKE: &'static str = "make a mutex";

    fn make(&self, may_be_shared: bool) -> io::Result<()> {
        self.init(may_be_shared)
    }

    #[inline]
    fn step(&self, ledger: &Ledger) {
        must("lock and unlock a mutex", self.hold(|| ledger.step()));
    }
}

impl Lock for Semaphore {
    const NAMES: [&'static str; 2] = ["semaphore", "semaphore-same"];
    const DOES: &'static str = "take the one pass of a semaphore and give it back";
    const MAKE: &'static str = "make a semaphore";

    fn make(&self, _may_be_shared: bool) -> io::Result<()> {
        self.init()
    }

    #[inline]
    fn step(&self, ledger: &Ledger) {
        must("take a pass", self.wait());
        ledger.step();
        must("give a pass back", self.post());
    }

    fn check(&self) {
        let left = must("look at a semaphore", self.passes());
        same("the passes that are left", left, 1);
    }
}

#[derive(Debug)]
pub(crate) struct Locked<L: Lock, const SAME: bool> {
    lock: Shared<L>,
    ledger: Ledger,
}

pub(crate) type OwnMutex = Locked<Mutex, false>;
pub(crate) type SameMutex = Locked<Mutex, true>;
pub(crate) type OwnSemaphore = Locked<Semaphore, false>;
pub(crate) type SameSemaphore = Locked<Semaphore, true>;

fn made<L: Lock>(may_be_shared: bool) -> io::Result<Shared<L>> {
    let lock = Shared::<L>::value()?;
    lock.make(may_be_shared)?;
    Ok(lock)
}

fn repeat<L: Lock>(lock: &L, ledger: &Ledger, ops: u64) {
    for _ in 0..ops {
        lock.step(ledger);
    }
    ledger.done(ops);
}

impl<L: Lock, const SAME: bool> Operation for Locked<L, SAME> {
    const FACTS: Facts = Facts {
        name: L::NAMES[SAME as usize],
        family: "locks",
        does: L::DOES,
        shares: either(
            SAME,
            "the lock, in shared memory",
            "nothing: each flow has its own",
        ),
        verified: "no step that flows made under it is lost",
        ops: if SAME { 60_000 } else { 500_000 },
        ..Facts::USUAL
    };

    type State = (Shared<L>, Ledger);

    fn prepare(context: &OperationContext) -> io::Result<Self> {
        Ok(Self {
            lock: made(true)?,
            ledger: Ledger::new(context.flows)?,
        })
    }

    fn own(&self, _flow: usize) -> (Shared<L>, Ledger) {
        let lock = must(L::MAKE, made(false));
        (lock, must("map memory", Ledger::new(1)))
    }

    fn repeat(&self, (lock, ledger): &mut (Shared<L>, Ledger), ops: u64) -> u64 {
        match SAME {
            true => repeat(&*self.lock, &self.ledger, ops),
            false => {
                repeat(&**lock, ledger, ops);
                lock.check();
            }
        }
        ops
    }
}
