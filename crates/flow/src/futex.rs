//! Sleeping on a word of shared memory.
//!
//! The word may lie in memory shared between processes, so the private flag of the
//! futex calls is never used: a private futex would be keyed by address space, and a
//! forked flow would sleep for ever.

use std::sync::atomic::{AtomicU32, Ordering};

/// Sleeps while `word` holds `expected`; returns when woken, when the word differs, or
/// on a signal. Callers loop.
pub(crate) fn wait(word: &AtomicU32, expected: u32) {
    // SAFETY: FUTEX_WAIT reads the word at the given address, which the reference keeps
    // alive and aligned; the timeout is null (no bound) and the rest is unused.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT,
            expected,
            std::ptr::null::<libc::timespec>(),
        )
    };
}

/// Wakes every sleeper on `word`.
pub(crate) fn wake_all(word: &AtomicU32) {
    wake(word, i32::MAX);
}

fn wake(word: &AtomicU32, sleepers: i32) {
    // SAFETY: FUTEX_WAKE only uses the address as a key; the reference keeps it valid.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, sleepers) };
}

/// Lays the token into `word`, whose owner may sleep on it.
#[inline]
pub(crate) fn hand_token(word: &AtomicU32) {
    word.store(1, Ordering::Release);
    wake(word, 1);
}

/// Takes the token out of `word`, asleep until it is there.
#[inline]
pub(crate) fn take_token(word: &AtomicU32) {
    while word.swap(0, Ordering::Acquire) == 0 {
        wait(word, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_differs_does_not_sleep() {
        wait(&AtomicU32::new(1), 0);
    }

    #[test]
    fn a_token_goes_there_and_back() {
        let (there, back) = (AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..100 {
                    take_token(&there);
                    hand_token(&back);
                }
            });
            for _ in 0..100 {
                hand_token(&there);
                take_token(&back);
            }
        });
    }

    #[test]
    fn a_sleeper_is_woken() {
        let word = AtomicU32::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while word.load(Ordering::Acquire) == 0 {
                    wait(&word, 0);
                }
            });
            word.store(1, Ordering::Release);
            wake_all(&word);
        });
    }
}
