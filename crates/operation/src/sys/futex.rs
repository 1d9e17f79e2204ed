//! Sleeping on a word, and waking who sleeps.

use std::io;
use std::sync::atomic::AtomicU32;

use super::answer;

/// Who else may use the word: this process alone, or others too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    Private,
    Shared,
}

impl Scope {
    fn flag(self) -> libc::c_int {
        match self {
            Self::Private => libc::FUTEX_PRIVATE_FLAG,
            Self::Shared => 0,
        }
    }
}

/// Sleeps while the word holds `expected`.
///
/// # Errors
/// `WouldBlock` when it holds something else.
#[inline]
pub(crate) fn wait(word: &AtomicU32, expected: u32, scope: Scope) -> io::Result<()> {
    let operation = libc::FUTEX_WAIT | scope.flag();
    let for_ever = std::ptr::null::<libc::timespec>();
    // SAFETY: the reference keeps the word alive and aligned; the call only reads it.
    let code = unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            operation,
            expected,
            for_ever,
        )
    };
    answer(code).map(|_| ())
}

/// Wakes one who sleeps on the word; the answer is how many there were, 0 or 1.
#[inline]
pub(crate) fn wake(word: &AtomicU32, scope: Scope) -> io::Result<u64> {
    let operation = libc::FUTEX_WAKE | scope.flag();
    // SAFETY: the address is a key alone, and the reference keeps it valid.
    answer(unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), operation, 1) })
}
