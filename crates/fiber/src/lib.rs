//! User-level threads: a switch of one nanosecond, stacks, a cooperative scheduler.
//!
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
//!
//! # Theory
//!
//! A flow that is not running is a few saved words, its stack pointer among them, in its control
//! block; the queue is an array of their addresses; to yield is to save those words, load those of
//! the next and jump. What is left is memory: each switch touches the control block of the next
//! flow, a cache line, and of its stack what does not fit the saved registers. All else follows
//! from keeping that little, near each other, and known in advance.
//!
//! ```text
//!  Scheduler ─▶ core: ring, rounds, holes ─▶ arch: the switch, one file a processor
//!      │          │
//!      │          └─▶ control: 64 bytes a fiber     slots: where stacks lie ─▶ memory
//!      └─▶ start: closure ─▶ context ─▶ result      fatal, guard: ends, by name
//! ```
//!
//! * [`Scheduler`] belongs to one kernel thread; make one on each of many, each for a [`scope`].
//! * [`Config`] chooses the stacks: [`Config::guarded`] for ordinary code, [`Config::packed`] for
//!   very many small flows that are known to fit, which is `unsafe` to claim.
//! * In a fiber: the closure's own [`Fiber`], or the functions [`yield_now`],
//!   [`suspend`], [`awaken`], [`spawn`], [`current`] anywhere below it.
//! * Under valgrind every stack is made known to it, so that memcheck's reports are about
//!   the program, not about switches.
//!
//! # What it deliberately does not do
//!
//! * **Without `std`.** The switch and the queue need nothing of it; but panics are caught, the
//!   scheduler that runs is found through a thread-local, memory comes from mappings and a
//!   touched guard from a signal. What would be left is not worth a second way to build.
//! * **Preempt by itself.** A fiber that never yields keeps all others of its kernel thread waiting,
//!   but in code that its author declares [`preemptible`].
//! * **Block for you.** A system call that sleeps puts the whole kernel thread to sleep.
//! * **Move fibers between kernel threads.** Thread-locals and the address of `errno`
//!   may be kept over a yield.
//! * **Make small slots fit.** Frames of unoptimised code are several times as large: sizes
//!   below some kilobytes are for optimised builds.
//! * **Check deep frames in packed slots.** Library calls can need kilobytes; the
//!   canary finds that, after the fact, and ends the program. A fiber that runs through all
//!   slots below its own is found at once, by a page that may not be touched; a frame that
//!   jumps over it is a bare fault.
//! * **Signals on small stacks.** A handler installed without `SA_ONSTACK` runs on the
//!   fiber's stack and breaks packed slots. [`Scheduler::new`] sees to an alternate stack.
//! * **Unwinding that yields.** A destructor that yields while a panic unwinds lets other
//!   fibers see `std::thread::panicking()`.
//!
//! Sources: G. Zheng, O. Lawlor, L. Kale, "Multiple Flows of Control in Migratable
//! Parallel Programs", 2006 (ring of runnable threads, minimal switch, time against the
//! number of flows).

#![warn(unreachable_pub)]

mod arch;
mod config;
mod control;
mod core;
mod current;
mod error;
mod fatal;
mod fiber;
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
pub use join::JoinHandle;
pub use movable::movable_available;
pub use preempt::preemptible;
pub use scheduler::{Scheduler, scope};
pub use start::{Floats, Life};

/// Are there fibers on this target?
///
/// # Errors
/// Why not.
pub fn available() -> Result<(), &'static str> {
    arch::available()
}

/// Lets every other runnable fiber of this kernel thread run once.
///
/// # Panics
/// When called outside any fiber.
#[inline(always)]
pub fn yield_now() {
    let turn = current::turn_for("fiber::yield_now");
    // SAFETY: there is a turn, so a fiber runs.
    unsafe { current::running() }.give_up(turn);
}

/// Stops the running fiber until somebody calls [`awaken`] with its id; at once if that
/// happened since the last time.
///
/// # Panics
/// When called outside any fiber.
#[inline(always)]
pub fn suspend() {
    let turn = current::turn_for("fiber::suspend");
    // SAFETY: there is a turn, so a fiber runs.
    unsafe { current::running() }.suspend(turn);
}

/// Has a fiber of this kernel thread's running scheduler go on, or not stop at its next
/// [`suspend`]; false when it has ended, or is another scheduler's, or while its scheduler is
/// dropped.
///
/// A destructor of what a fiber left may call it too.
///
/// # Panics
/// When no scheduler runs on this kernel thread.
pub fn awaken(id: FiberId) -> bool {
    // SAFETY: the scheduler that runs on this kernel thread lives: it runs below us.
    let core = unsafe { &*current::core_for("fiber::awaken") };
    let control = core.find(id).filter(|_| !core.is_dropped());
    control.is_some_and(|control| core.awaken(control))
}

/// As [`awaken`] for each id in turn, and faster for many fibers that lie far apart: their memory is
/// asked for ahead. Returns how many calls of [`awaken`] would have said true.
///
/// # Panics
/// When no scheduler runs on this kernel thread.
pub fn awaken_all(ids: &[FiberId]) -> usize {
    // SAFETY: the scheduler that runs on this kernel thread lives: it runs below us.
    let core = unsafe { &*current::core_for("fiber::awaken_all") };
    match core.is_dropped() {
        true => 0,
        false => core.awaken_all(ids),
    }
}

/// The fiber that runs on this kernel thread; also one that is unwound because its scheduler
/// is dropped.
///
/// # Panics
/// When called outside any fiber.
#[must_use]
pub fn current() -> FiberId {
    if current::turn().is_null() {
        current::turn_for("fiber::current");
    }
    // SAFETY: there is a turn, so a fiber runs, or is unwound by its scheduler.
    let core = unsafe { current::running() };
    core.id(core.running_index())
}

/// Makes a fiber of the scheduler that runs on this kernel thread.
///
/// A destructor of what a fiber left may call it too.
///
/// # Errors
/// As [`Scheduler::spawn`]; [`SpawnError::Outside`] where no scheduler runs, and
/// [`SpawnError::Dropped`] while it is dropped.
pub fn spawn<F, T>(body: F) -> Result<JoinHandle<T>, SpawnError>
where
    F: FnOnce(&mut Fiber) -> T + 'static,
    T: 'static,
{
    // SAFETY: null, or a scheduler that runs or is being dropped, below us on this kernel thread.
    let core = unsafe { current::core().as_ref() }.ok_or(SpawnError::Outside)?;
    let core = core.another_count().ok_or(SpawnError::Dropped)?;
    start::spawn(&core, Floats::Common, start::Closure::new(body))
}
