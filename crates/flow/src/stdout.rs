//! Whether this process was started with standard output closed (`>&-`). Before `main` the runtime
//! opens `/dev/null` in its place, so a constructor looks before that.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};

static CLOSED: AtomicBool = AtomicBool::new(false);

// SAFETY: the C library calls this section's functions once, with one thread, before `main`; this
// one makes a system call and a store, and needs nothing of the runtime.
#[unsafe(link_section = ".init_array")]
#[used]
static LOOK: extern "C" fn() = look;

extern "C" fn look() {
    // SAFETY: the call takes numbers alone and changes nothing.
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    CLOSED.store(flags == -1, Ordering::Relaxed);
}

/// Whether standard output was closed when this process began.
#[must_use]
pub fn stdout_was_closed() -> bool {
    // The linker keeps what is used.
    black_box(&LOOK);
    CLOSED.load(Ordering::Relaxed)
}
