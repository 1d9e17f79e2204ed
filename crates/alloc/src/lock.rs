//! A lock that sleeps: one word, no allocation, safe to hold over a fork.
//!
//! 0 is free. The word of a held lock has a bit for sleepers (U. Drepper, *Futexes Are Tricky*, 2011,
//! mutex 2) and says which process and which thread hold it. `std::sync::Mutex` cannot be unlocked by
//! the child of a fork, and waits for ever where nobody will unlock it. There are two such cases, in which
//! [`Lock::lock`] refuses:
//!
//! - This thread holds it: a signal handler interrupted the holder.
//! - The holder is in another process: a raw `clone` copied this one, and only the caller is in the copy
//!   (a fork by the C library takes all locks first, by [`Lock::lock_for_fork`]).
//!
//! What the lock guards may be half changed then, so the caller does without it: blocks come from another
//! heap or a mapping of their own, and those that are freed stay on the list of blocks from other cores.
//!
//! The number of the process stands on a page that the kernel empties in every copy (`MADV_WIPEONFORK`),
//! so that a copy takes the next one. Kernels before 4.14 refuse that: all copies have one number there.
//! Of a thread 17 bits are known. Two that agree in them cost a block of another heap, and nothing else.

use std::cell::UnsafeCell;
use std::ptr::null_mut;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicPtr, AtomicU32};

use crate::os;

/// How often a lock is looked at before its waiter sleeps.
const SPINS: u32 = 40;

const HELD: u32 = 1;
const SLEEPERS: u32 = 2;
const FORK: u32 = 4;
const THREAD: u32 = 3;
const PROCESS: u32 = 20;
const PROCESSES: u32 = (1 << (32 - PROCESS)) - 1;

#[derive(Debug, Default)]
pub(crate) struct Lock(AtomicU32);

impl Lock {
    pub(crate) const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Whether this thread holds the lock now; if not, it would have waited for ever.
    #[inline]
    #[must_use]
    pub(crate) fn lock(&self) -> bool {
        let own = own();
        self.is_taken_as(own) || self.wait(own)
    }

    #[inline]
    #[must_use]
    pub(crate) fn try_lock(&self) -> bool {
        self.is_taken_as(own())
    }

    fn is_taken_as(&self, own: u32) -> bool {
        self.0.compare_exchange(0, own, Acquire, Relaxed).is_ok()
    }

    /// Safety: the caller holds the lock, and has no reference left to what it guards.
    #[inline]
    pub(crate) unsafe fn unlock(&self) {
        if self.0.swap(0, Release) & SLEEPERS != 0 {
            self.wake();
        }
    }

    pub(crate) fn lock_for_fork(&self) {
        if self.lock() {
            self.0.fetch_or(FORK, Relaxed);
        }
    }

    /// Safety: this thread, or the one that forked it, took it so, and has no reference left to what it guards.
    pub(crate) unsafe fn unlock_after_fork(&self) {
        if self.0.load(Relaxed) & FORK != 0 {
            // SAFETY: the caller's.
            unsafe { self.unlock() };
        }
    }

    pub(crate) fn is_lost(&self) -> bool {
        is_lost(self.0.load(Relaxed), own())
    }

    #[cold]
    fn wait(&self, own: u32) -> bool {
        for _ in 0..SPINS {
            if self.0.load(Relaxed) == 0 && self.is_taken_as(own) {
                return true;
            }
            std::hint::spin_loop();
        }
        loop {
            let seen = self.0.load(Relaxed);
            if is_lost(seen, own) {
                return false;
            }
            // Others may sleep, too.
            let next = if seen == 0 { own } else { seen } | SLEEPERS;
            let is_next =
                seen == next || (self.0.compare_exchange(seen, next, Acquire, Relaxed)).is_ok();
            match (is_next, seen) {
                (false, _) => {}
                (true, 0) => return true,
                (true, _) => self.sleep(next),
            }
        }
    }

    fn sleep(&self, word: u32) {
        let operation = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
        let forever = std::ptr::null::<libc::timespec>();
        // SAFETY: the word outlives the call, which only reads it.
        unsafe { libc::syscall(libc::SYS_futex, self.0.as_ptr(), operation, word, forever) };
    }

    #[cold]
    fn wake(&self) {
        let operation = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
        // SAFETY: waking touches no memory.
        unsafe { libc::syscall(libc::SYS_futex, self.0.as_ptr(), operation, 1) };
    }
}

/// What a lock guards.
#[derive(Debug)]
pub(crate) struct Guarded<T> {
    pub(crate) lock: Lock,
    value: UnsafeCell<T>,
}

// SAFETY: the value is only touched by the holder of `lock`.
unsafe impl<T: Send> Sync for Guarded<T> {}

impl<T> Guarded<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self {
            lock: Lock::new(),
            value: UnsafeCell::new(value),
        }
    }

    /// What `work` makes of the value; `None` where the lock refuses.
    #[inline]
    pub(crate) fn locked<R>(&self, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        // SAFETY: the lock is held.
        self.lock.lock().then(|| unsafe { self.held(work) })
    }

    /// The same, but `None` at once while somebody holds the lock.
    pub(crate) fn if_free<R>(&self, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        // SAFETY: the lock is held.
        self.lock.try_lock().then(|| unsafe { self.held(work) })
    }

    /// Safety: the caller holds the lock, and `work` cannot reach it.
    #[inline]
    unsafe fn held<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: the caller's.
        let done = work(unsafe { &mut *self.value.get() });
        // SAFETY: the caller's, and `work` is over.
        unsafe { self.lock.unlock() };
        done
    }
}

fn is_lost(word: u32, own: u32) -> bool {
    let differs = word ^ own;
    word != 0 && (differs >> THREAD == 0 || differs >> PROCESS != 0)
}

#[inline]
fn own() -> u32 {
    // The golden ratio spreads addresses over the upper bits.
    let thread = here().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - (PROCESS - THREAD));
    process() << PROCESS | (thread as u32) << THREAD | HELD
}

#[inline]
fn here() -> u64 {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        let pointer: u64;
        // SAFETY: the psABI has the thread's pointer there, of every thread, and nobody changes it.
        unsafe {
            std::arch::asm!("mov {}, qword ptr fs:[0]", out(reg) pointer,
                options(nostack, pure, readonly, preserves_flags));
        }
        pointer
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    {
        thread_local!(static HERE: u64 = const { 0 });
        HERE.with(|here| std::ptr::from_ref(here).addr() as u64)
    }
}

/// Where the number of this process is; zero in a fresh copy of it.
static PLACE: AtomicPtr<AtomicU32> = AtomicPtr::new(null_mut());
static LAST: AtomicU32 = AtomicU32::new(0);

#[inline]
fn process() -> u32 {
    // SAFETY: the place is never unmapped.
    let number = unsafe { PLACE.load(Acquire).as_ref() }.map_or(0, |place| place.load(Relaxed));
    match number {
        0 => begin(),
        number => number,
    }
}

/// Takes a number for this process; who comes first does.
#[cold]
fn begin() -> u32 {
    let next = LAST.load(Relaxed) % PROCESSES + 1;
    match place().compare_exchange(0, next, Relaxed, Relaxed) {
        Ok(_) => {
            LAST.store(next, Relaxed);
            next
        }
        Err(number) => number,
    }
}

fn place() -> &'static AtomicU32 {
    static KEPT: AtomicU32 = AtomicU32::new(0);
    // SAFETY: the place is never unmapped.
    if let Some(place) = unsafe { PLACE.load(Acquire).as_ref() } {
        return place;
    }
    let fresh = emptied_in_copies().unwrap_or_else(|| (&raw const KEPT).cast_mut());
    match PLACE.compare_exchange(null_mut(), fresh, Release, Acquire) {
        // SAFETY: a page of zeros, or a static variable. A page that another thread was faster than stays.
        Ok(_) => unsafe { &*fresh },
        // SAFETY: the place is never unmapped.
        Err(place) => unsafe { &*place },
    }
}

/// A page of zeros that is one of zeros in every copy of this process.
fn emptied_in_copies() -> Option<*mut AtomicU32> {
    let page = os::map(os::PAGE, os::PAGE)?;
    // SAFETY: the mapping just made, which holds nothing.
    let is_so = unsafe { os::advise(page, os::PAGE, libc::MADV_WIPEONFORK) };
    is_so.then(|| page.as_ptr().cast())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_lets_one_in_at_a_time() {
        let counter = Guarded::new(0);
        let times = if cfg!(miri) { 50 } else { 20_000 };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..times {
                        assert!(counter.locked(|counter| *counter += 1).is_some());
                    }
                });
            }
        });
        assert_eq!(counter.value.into_inner(), 4 * times);
    }

    #[test]
    fn a_thread_does_not_wait_for_itself() {
        let lock = Lock::new();
        assert!(lock.lock() && lock.is_lost() && !lock.lock() && !lock.try_lock());
        // SAFETY: it is held, and guards nothing.
        unsafe { lock.unlock() };
        assert!(!lock.is_lost() && lock.lock());
    }

    #[test]
    fn nobody_waits_for_a_thread_that_is_in_another_process() {
        let elsewhere = Lock(AtomicU32::new(own() ^ 1 << PROCESS));
        assert!(elsewhere.is_lost() && !elsewhere.lock());
        elsewhere.lock_for_fork();
        // SAFETY: it guards nothing.
        unsafe { elsewhere.unlock_after_fork() };
        assert!(elsewhere.is_lost(), "it was not taken, and is not released");
    }

    #[test]
    fn a_lock_that_is_taken_for_a_fork_is_released_after_it_and_no_other() {
        let (taken, held) = (Lock::new(), Lock::new());
        assert!(held.lock());
        for lock in [&taken, &held] {
            lock.lock_for_fork();
            // SAFETY: as a fork does; they guard nothing.
            unsafe { lock.unlock_after_fork() };
        }
        assert!(taken.lock() && held.is_lost());
    }
}
