//! A signal that counts itself.

use std::cell::Cell;
use std::io;

use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

use super::answer;

const SIGNAL: Signal = Signal::SIGUSR1;

thread_local! {
    // No destructor, made at compile time: safe in a handler.
    static SEEN: Cell<u64> = const { Cell::new(0) };
}

extern "C" fn count(_signal: libc::c_int) {
    SEEN.set(SEEN.get() + 1);
}

pub(crate) fn count_signals() -> io::Result<()> {
    let handler = SigHandler::Handler(count);
    let action = SigAction::new(handler, SaFlags::SA_RESTART, SigSet::empty());
    // SAFETY: the handler only changes a plain thread-local number.
    unsafe { sigaction(SIGNAL, &action) }?;
    Ok(())
}

pub(crate) fn seen() -> u64 {
    SEEN.get()
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Address {
    process: libc::c_long,
    thread: libc::c_long,
}

impl Address {
    /// Asks the kernel: the library may remember another process's number.
    pub(crate) fn of_self() -> Self {
        // SAFETY: the call has no preconditions and cannot fail.
        let process = unsafe { libc::syscall(libc::SYS_getpid) };
        // SAFETY: as above.
        let thread = unsafe { libc::syscall(libc::SYS_gettid) };
        Self { process, thread }
    }

    #[inline]
    pub(crate) fn signal(self) -> io::Result<()> {
        // SAFETY: the call takes numbers alone; the signal has a handler.
        answer(unsafe { libc::syscall(libc::SYS_tgkill, self.process, self.thread, SIGNAL as i32) })
            .map(|_| ())
    }
}
