use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use measure::clock::now_ns;

use crate::world::World;

/// Before the CPU is offered to others, for a machine with other work.
const PATIENCE: u32 = 20_000;

pub(crate) struct Team {
    pub(crate) ranks: u32,
    pub(crate) rank: u32,
    pub(crate) threads: u32,
    pub(crate) says_usage: bool,
    world: Mutex<World>,
    gate: Gate,
}

/// Spins like an MPI library that waits for a message: the way is compared, not sleeping.
#[derive(Debug)]
struct Gate {
    of: u32,
    arrived: AtomicU32,
    opened: AtomicU32,
}

impl Gate {
    fn wait(&self) {
        if self.of == 1 {
            return;
        }
        let opened = self.opened.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.of {
            self.arrived.store(0, Ordering::Relaxed);
            self.opened.store(opened.wrapping_add(1), Ordering::Release);
            return;
        }
        spin_until(|| self.opened.load(Ordering::Acquire) != opened);
    }
}

pub(crate) fn spin_until(holds: impl Fn() -> bool) {
    let mut turns = 0_u32;
    while !holds() {
        turns += 1;
        match turns.is_multiple_of(PATIENCE) {
            true => std::thread::yield_now(),
            false => std::hint::spin_loop(),
        }
    }
}

impl Team {
    pub(crate) fn new(world: World, threads: u32) -> Self {
        Self {
            ranks: world.size,
            rank: world.rank,
            threads,
            says_usage: false,
            world: Mutex::new(world),
            gate: Gate {
                of: threads,
                arrived: AtomicU32::new(0),
                opened: AtomicU32::new(0),
            },
        }
    }

    pub(crate) fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn into_world(self) -> World {
        self.world
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn flows(&self) -> u32 {
        self.ranks * self.threads
    }

    pub(crate) fn meet(&self) {
        self.gate.wait();
    }
}

pub(crate) struct Member<'a> {
    pub(crate) team: &'a Team,
    pub(crate) thread: u32,
    compute_ns: Cell<u64>,
    communication_ns: Cell<u64>,
    moves: Cell<u64>,
    /// End of the last part of this repetition; 0: there was none.
    since: Cell<u64>,
}

impl<'a> Member<'a> {
    pub(crate) fn new(team: &'a Team, thread: u32) -> Self {
        Self {
            team,
            thread,
            compute_ns: Cell::new(0),
            communication_ns: Cell::new(0),
            moves: Cell::new(0),
            since: Cell::new(0),
        }
    }

    pub(crate) fn flow(&self) -> u32 {
        self.team.rank * self.team.threads + self.thread
    }

    pub(crate) fn compute<R>(&self, work: impl FnOnce() -> R) -> R {
        self.timed(&self.compute_ns, work)
    }

    pub(crate) fn communicate<R>(&self, work: impl FnOnce() -> R) -> R {
        self.timed(&self.communication_ns, work)
    }

    /// The only thread of a rank waits for none between two parts: the clock is read once for both.
    fn timed<R>(&self, sum: &Cell<u64>, work: impl FnOnce() -> R) -> R {
        let since = self.since.get();
        let before = match since > 0 && self.team.threads == 1 {
            true => since,
            false => now_ns(),
        };
        let result = work();
        let after = now_ns();
        sum.set(sum.get() + (after - before));
        self.since.set(after);
        result
    }

    /// From user-level flows of this thread: ns of computing and communication, and moves.
    pub(crate) fn note(&self, compute_ns: u64, communication_ns: u64, moves: u64) {
        for (sum, more) in [
            (&self.compute_ns, compute_ns),
            (&self.communication_ns, communication_ns),
            (&self.moves, moves),
        ] {
            sum.set(sum.get() + more);
        }
    }

    pub(crate) fn take(&self) -> (u64, u64, u64) {
        self.since.set(0);
        (
            self.compute_ns.take(),
            self.communication_ns.take(),
            self.moves.take(),
        )
    }
}
