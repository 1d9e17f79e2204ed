use std::io;
use std::sync::atomic::AtomicU32;

use rustix::thread::futex::{self, Flags};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    Private,
    Shared,
}

impl Scope {
    fn flags(self) -> Flags {
        match self {
            Self::Private => Flags::PRIVATE,
            Self::Shared => Flags::empty(),
        }
    }
}

/// Sleeps while the word holds `expected`; `WouldBlock` if it holds something else.
#[inline]
pub(crate) fn wait(word: &AtomicU32, expected: u32, scope: Scope) -> io::Result<()> {
    Ok(futex::wait(word, scope.flags(), expected, None)?)
}

/// Returns the number woken, 0 or 1.
#[inline]
pub(crate) fn wake(word: &AtomicU32, scope: Scope) -> io::Result<u64> {
    Ok(futex::wake(word, scope.flags(), 1)? as u64)
}

#[inline]
pub(crate) fn wake_all(word: &AtomicU32, scope: Scope) -> io::Result<u64> {
    Ok(futex::wake(word, scope.flags(), i32::MAX as u32)? as u64)
}
