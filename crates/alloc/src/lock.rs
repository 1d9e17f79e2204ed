//! A lock that sleeps: one word, no allocation, safe to hold over a fork.
//!
//! # Theory
//!
//! 0 is free, 1 held, 2 held with sleepers (U. Drepper, *Futexes Are Tricky*, 2011, mutex 2).
//! `std::sync::Mutex` is the same, but cannot be unlocked by the child of a fork.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// How often a lock is looked at before its waiter sleeps.
const SPINS: u32 = 40;

/// The lock.
#[derive(Debug, Default)]
pub(crate) struct Lock(AtomicU32);

impl Lock {
    pub(crate) const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    #[inline]
    pub(crate) fn lock(&self) {
        if self.0.compare_exchange(0, 1, Acquire, Relaxed).is_err() {
            self.wait();
        }
    }

    #[inline]
    pub(crate) fn try_lock(&self) -> bool {
        self.0.compare_exchange(0, 1, Acquire, Relaxed).is_ok()
    }

    /// # Safety
    /// The caller holds the lock, and has no reference left to what it guards.
    #[inline]
    pub(crate) unsafe fn unlock(&self) {
        if self.0.swap(0, Release) == 2 {
            self.wake();
        }
    }

    #[cold]
    fn wait(&self) {
        for _ in 0..SPINS {
            if self.0.load(Relaxed) == 0 && self.try_lock() {
                return;
            }
            std::hint::spin_loop();
        }
        while self.0.swap(2, Acquire) != 0 {
            let operation = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
            let forever = std::ptr::null::<libc::timespec>();
            // SAFETY: the word outlives the call, which only reads it.
            unsafe { libc::syscall(libc::SYS_futex, self.0.as_ptr(), operation, 2, forever) };
        }
    }

    #[cold]
    fn wake(&self) {
        let operation = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
        // SAFETY: waking touches no memory.
        unsafe { libc::syscall(libc::SYS_futex, self.0.as_ptr(), operation, 1) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::UnsafeCell;

    struct Counter(Lock, UnsafeCell<u64>);
    // SAFETY: the number is only touched while the lock is held.
    unsafe impl Sync for Counter {}

    #[test]
    fn it_lets_one_in_at_a_time() {
        let counter = Counter(Lock::new(), UnsafeCell::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let counter = &counter;
                    for _ in 0..20_000 {
                        counter.0.lock();
                        // SAFETY: the lock is held.
                        unsafe { *counter.1.get() += 1 };
                        // SAFETY: as above.
                        unsafe { counter.0.unlock() };
                    }
                });
            }
        });
        assert_eq!(counter.1.into_inner(), 80_000);
    }
}
