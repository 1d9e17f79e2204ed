//! User-level threads: a switch of one nanosecond, stacks, a cooperative scheduler.
//! ```
//! fiber::scope(fiber::Config::guarded(64 << 10), |scheduler| {
//!     let counts = [2_u64, 3].map(|times| {
//!         scheduler.spawn(move |fiber| {
//!             for _ in 0..times {
//!                 fiber.yield_now();
//!             }
//!             times
//!         })
//!     });
//!     for count in counts {
//!         println!("yielded {} times", count?.join()?);
//!     }
//!     Ok::<(), Box<dyn std::error::Error>>(())
//! })??;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! A flow at rest is a few saved words in its control block; the queue is an array of their
//! addresses; to yield is to save those words, load the next one's and jump. A switch touches the
//! next flow's control block, a cache line, and of its stack what the saved registers cannot hold.
//! ```text
//!  Scheduler ─▶ core: ring, rounds, holes ─▶ arch: the switch, one file a processor
//!      │          │
//!      │          └─▶ control: 64 bytes a fiber     slots: where stacks lie ─▶ memory
//!      └─▶ start: closure ─▶ context ─▶ result      fatal, guard: ends, by name
//! ```
//! * [`Scheduler`] belongs to one kernel thread; make one on each of many, each for a [`scope`].
//! * [`Config`] chooses the stacks: [`Config::guarded`] for ordinary code, [`Config::packed`]
//!   (`unsafe`) for very many small flows.
//! * In a fiber: its [`Fiber`], or [`yield_now`], [`suspend`], [`awaken`], [`spawn`], [`current`].
//! * A [`Generator`] passes values in and out; it runs while somebody waits for the next one.
//! * Under valgrind every stack is made known to it: memcheck does not report switches.
//!
//! # What it deliberately does not do
//! * **Without `std`.** Panics, thread-locals, mappings and signals need it.
//! * **Preempt by itself.** A fiber that never yields keeps others waiting; see [`preemptible`].
//! * **Block for you.** A system call that sleeps puts the whole kernel thread to sleep.
//! * **Move fibers between kernel threads.** Code may keep thread-locals and `errno` over a yield.
//! * **Make small slots fit.** Frames of unoptimised code are several times as large.
//! * **Check deep frames in packed slots.** Library calls can need kilobytes; canary or guard page
//!   below all slots finds that and ends the program; a frame that jumps over it faults.
//! * **Signals on small stacks.** A handler installed without `SA_ONSTACK` runs on the fiber's
//!   stack and breaks packed slots. [`Scheduler::new`] sees to an alternate stack.
//! * **Unwinding that yields.** A destructor that yields while a panic unwinds lets other fibers
//!   see `std::thread::panicking()`.
//!
//! Sources: G. Zheng, O. Lawlor, L. Kale, "Multiple Flows of Control in Migratable Parallel
//! Programs", 2006 (ring of runnable threads, minimal switch, time against the number of flows).

#![warn(unreachable_pub)]

mod arch;
mod config;
mod control;
mod core;
mod current;
mod error;
mod fatal;
mod fiber;
mod generator;
mod guard;
mod join;
mod memory;
pub mod movable;
mod naming;
mod preempt;
mod room;
mod scheduler;
mod slots;
mod start;
mod valgrind;

pub use config::{Config, Stack};
pub use error::{ConfigError, JoinError, PreemptError, SpawnError};
pub use fiber::{Fiber, FiberId, Lent};
pub use generator::{Generator, Giver, Step};
pub use join::JoinHandle;
pub use movable::movable_available;
pub use preempt::preemptible;
pub use scheduler::{Scheduler, scope};
pub use start::{Floats, Life};

/// Whether there are fibers on this target; else why not.
pub fn available() -> Result<(), &'static str> {
    arch::available()
}

/// Lets every other runnable fiber of this thread run once. Panics: when called outside any fiber.
#[inline(always)]
pub fn yield_now() {
    let turn = current::turn_for("fiber::yield_now");
    // SAFETY: there is a turn, so a fiber runs.
    unsafe { current::running() }.give_up(turn);
}

/// Stops the running fiber until [`awaken`] has its id. Panics outside any fiber.
#[inline(always)]
pub fn suspend() {
    let turn = current::turn_for("fiber::suspend");
    // SAFETY: there is a turn, so a fiber runs.
    unsafe { current::running() }.suspend(turn);
}

/// Has a fiber of this thread's running scheduler go on, or not stop at its next [`suspend`]; false
/// when it has ended, or is another scheduler's or a dropped one's. Panics without one.
pub fn awaken(id: FiberId) -> bool {
    // SAFETY: the scheduler that runs on this kernel thread lives: it runs below us.
    let core = unsafe { &*current::core_for("fiber::awaken") };
    !core.is_dropped() && core.awaken_by(id)
}

/// As [`awaken`] for each id, faster for many far apart; returns how many were true.
pub fn awaken_all(ids: &[FiberId]) -> usize {
    // SAFETY: the scheduler that runs on this kernel thread lives: it runs below us.
    let core = unsafe { &*current::core_for("fiber::awaken_all") };
    match core.is_dropped() {
        true => 0,
        false => core.awaken_all(ids),
    }
}

/// The fiber that runs on this kernel thread, or is unwound. Panics: when called outside any fiber.
#[must_use]
pub fn current() -> FiberId {
    if current::turn().is_null() {
        current::turn_for("fiber::current");
    }
    // SAFETY: there is a turn, so a fiber runs, or is unwound by its scheduler.
    let core = unsafe { current::running() };
    core.id(core.running_index())
}

/// Makes a generator of this thread's running scheduler. Errors: as [`Scheduler::generator`];
/// [`SpawnError::Outside`] where none runs.
pub fn generator<F, I, O, R>(body: F) -> Result<Generator<I, O, R>, SpawnError>
where
    F: FnOnce(&mut Giver<I, O>, I) -> R + 'static,
    I: 'static,
    O: 'static,
    R: 'static,
{
    generator::make(&current::another_count()?, body)
}

/// Makes a fiber of this thread's running scheduler. Errors: as [`Scheduler::spawn`];
/// [`SpawnError::Outside`] where none runs, [`SpawnError::Dropped`] in its drop.
pub fn spawn<F, T>(body: F) -> Result<JoinHandle<T>, SpawnError>
where
    F: FnOnce(&mut Fiber) -> T + 'static,
    T: 'static,
{
    let core = current::another_count()?;
    start::spawn(&core, Floats::Common, start::Closure::new(body))
}
