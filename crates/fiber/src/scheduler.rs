use std::mem;
use std::rc::Rc;

use crate::config::Config;
use crate::core::Core;
use crate::error::{ConfigError, SpawnError};
use crate::fiber::{Fiber, FiberId};
use crate::generator::{self, Generator, Giver};
use crate::guard;
use crate::join::JoinHandle;
use crate::naming;
use crate::start::{self, Closure, Floats, Life};

/// Runs fibers on the kernel thread that made it. Schedulers of several threads share nothing.
///
/// # Dropping it with fibers that have not ended
/// * A fiber that never ran: its closure is dropped.
/// * One that ran, on a stack of 16 KiB or more, is unwound from where it stopped, as by a panic, and drops all it
///   holds. It must not yield meanwhile (that ends the program).
/// * One that ran and cannot be unwound (smaller stack, `panic = "abort"`): on a guarded stack it ends the program, by
///   name; on others it never goes on, what it holds is not dropped, and the memory of *all* slots stays.
/// * Join handles that are left answer [`JoinError::Dropped`](crate::JoinError::Dropped).
#[derive(Debug)]
pub struct Scheduler {
    core: Rc<Core>,
}

impl Scheduler {
    /// Reserves address space; takes next to no memory. [`scope`] does it without a promise. Errors: the configuration
    /// makes no sense, or the kernel has no room.
    /// # Safety
    /// Before its kernel thread ends, each fiber that has begun has ended, or the scheduler is dropped: it is neither
    /// forgotten nor kept in a thread-local. Thread-locals die in an unknown order, and a fiber that stopped within
    /// `LocalKey::with` has borrowed one: it may not use it again, nor may those to whom it has lent it.
    pub unsafe fn new(config: Config) -> Result<Scheduler, ConfigError> {
        Scheduler::over(Core::new(&config)?)
    }

    pub(crate) fn over(core: Core) -> Result<Scheduler, ConfigError> {
        let core = core.counted();
        guard::report_touched_guards();
        naming::name_panics();
        guard::ensure_alternate_stack().map_err(|source| ConfigError::Memory {
            bytes: 64 << 10,
            source,
        })?;
        Ok(Scheduler { core })
    }

    /// Makes a fiber, after those in the queue. Errors: no room for it, or for its closure.
    #[inline]
    pub fn spawn<F, T>(&self, body: F) -> Result<JoinHandle<T>, SpawnError>
    where
        F: FnOnce(&mut Fiber) -> T + 'static,
        T: 'static,
    {
        start::spawn(&self.core, Floats::Common, Closure::new(body))
    }

    /// As [`Scheduler::spawn`], for a body that is a type of its own: its [`Life::live`] can be
    /// compiled into the fiber's first frame, and it may borrow what does not live for ever.
    /// # Safety
    /// What `body` borrows must live until the fiber has ended or its scheduler is dropped, and
    /// what it returns must not outlive that either.
    #[inline]
    pub unsafe fn spawn_life<L: Life>(&self, body: L) -> Result<JoinHandle<L::Output>, SpawnError> {
        start::spawn(&self.core, Floats::Common, body)
    }

    /// As [`Scheduler::spawn`], for a fiber that changes floating-point control state.
    pub fn spawn_with<F, T>(&self, floats: Floats, body: F) -> Result<JoinHandle<T>, SpawnError>
    where
        F: FnOnce(&mut Fiber) -> T + 'static,
        T: 'static,
    {
        start::spawn(&self.core, floats, Closure::new(body))
    }

    /// Makes a [`Generator`]. Errors: as [`Scheduler::spawn`]; it could not be unwound.
    #[inline]
    pub fn generator<F, I, O, R>(&self, body: F) -> Result<Generator<I, O, R>, SpawnError>
    where
        F: FnOnce(&mut Giver<I, O>, I) -> R + 'static,
        I: 'static,
        O: 'static,
        R: 'static,
    {
        generator::make(&self.core, body)
    }

    /// Runs until no fiber is runnable; returns how many are suspended. Panics: in its own fibers.
    pub fn run(&self) -> usize {
        self.core.run(|| false);
        self.core.live()
    }

    /// Has a fiber go on, or not stop at its next suspend; false if it has ended or is another's.
    pub fn awaken(&self, id: FiberId) -> bool {
        self.core.awaken_by(id)
    }

    /// As [`Scheduler::awaken`] for each id, with prefetches; returns how many times it was true.
    pub fn awaken_all(&self, ids: &[FiberId]) -> usize {
        self.core.awaken_all(ids)
    }

    pub(crate) fn core(&self) -> &Rc<Core> {
        &self.core
    }

    /// Fibers that have not ended.
    #[must_use]
    pub fn live(&self) -> usize {
        self.core.live()
    }
}

/// Calls `body` with a scheduler, and drops that before it returns.
///
/// No fiber is left when the kernel thread ends: one may stop within `LocalKey::with`. Errors: as
/// [`Scheduler::new`]. What follows does not compile. A scheduler that leaves `body`:
/// ```compile_fail
/// thread_local!(static KEPT: std::cell::Cell<Option<&'static fiber::Scheduler>> = const { std::cell::Cell::new(None) });
/// fiber::scope(fiber::Config::guarded(64 << 10), |scheduler| KEPT.set(Some(scheduler))).unwrap();
/// ```
/// ```compile_fail
/// let left = fiber::scope(fiber::Config::guarded(64 << 10), |scheduler| scheduler).unwrap();
/// ```
/// one that another thread uses:
/// ```compile_fail,E0277
/// fiber::scope(fiber::Config::guarded(64 << 10), |scheduler| {
///     std::thread::scope(|threads| { threads.spawn(|| scheduler.run()); });
/// }).unwrap();
/// ```
/// a result that another thread joins:
/// ```compile_fail,E0277
/// fiber::scope(fiber::Config::guarded(64 << 10), |scheduler| {
///     let handle = scheduler.spawn(|_| 1).unwrap();
///     std::thread::spawn(move || handle.join());
/// }).unwrap();
/// ```
/// a fiber that yields on another thread:
/// ```compile_fail,E0277
/// fiber::scope(fiber::Config::guarded(64 << 10), |scheduler| {
///     let _ = scheduler.spawn(|fiber| std::thread::scope(|threads| { threads.spawn(|| fiber.yield_now()); }));
/// }).unwrap();
/// ```
/// a fiber that runs its own scheduler:
/// ```compile_fail
/// fiber::scope(fiber::Config::guarded(64 << 10), |scheduler| {
///     let _ = scheduler.spawn(move |_| scheduler.run());
/// }).unwrap();
/// ```
/// a closure that borrows, or returns what it borrows:
/// ```compile_fail,E0373
/// fiber::scope(fiber::Config::guarded(64 << 10), |scheduler| {
///     let text = String::from("of the thread's stack");
///     let _ = scheduler.spawn(|_| text.len());
/// }).unwrap();
/// ```
/// ```compile_fail
/// fiber::scope(fiber::Config::guarded(64 << 10), |scheduler| {
///     let _ = scheduler.spawn(|_| { let local = String::new(); local.as_str() });
/// }).unwrap();
/// ```
/// a handle of the running fiber that it returns, lends for too long, or lends to another:
/// ```compile_fail
/// fiber::scope(fiber::Config::guarded(64 << 10), |scheduler| {
///     let _ = scheduler.spawn(|fiber| fiber);
/// }).unwrap();
/// ```
/// ```compile_fail
/// fiber::scope(fiber::Config::guarded(64 << 10), |scheduler| {
///     let _ = scheduler.spawn(|fiber| fiber.lend());
/// }).unwrap();
/// ```
/// ```compile_fail
/// fiber::scope(fiber::Config::guarded(64 << 10), |scheduler| {
///     let _ = scheduler.spawn(|fiber| { let _ = fiber::spawn(|_| fiber.yield_now()); });
/// }).unwrap();
/// ```
/// and stacks that are claimed to be large enough, without a promise:
/// ```compile_fail,E0133
/// fiber::scope(fiber::Config::packed(128), |scheduler| scheduler.run()).unwrap();
/// ```
pub fn scope<R>(config: Config, body: impl FnOnce(&Scheduler) -> R) -> Result<R, ConfigError> {
    // SAFETY: it is dropped at the end of this function, by a panic too; this frame lies on a kernel thread, or on a
    // fiber's stack, for which the same holds.
    let scheduler = unsafe { Scheduler::new(config) }?;
    Ok(body(&scheduler))
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        if !self.core.drop_fibers() {
            // Values that were not dropped lie there, and others may point to them.
            mem::forget(Rc::clone(&self.core));
        }
    }
}
