//! What a body prints goes to standard error: on standard output the launch gives its answer.

use std::ffi::{c_int, c_void};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::ptr;

use nix::unistd::dup2_stdout;

unsafe extern "C" {
    fn fflush(stream: *mut c_void) -> c_int;
}

/// While it lives, standard output is standard error.
#[derive(Debug)]
pub struct StdoutAside {
    own: OwnedFd,
}

impl StdoutAside {
    /// To be made before the body's library is loaded.
    ///
    /// # Errors
    /// No further descriptor can be made.
    pub fn begin() -> io::Result<StdoutAside> {
        let own = io::stdout().as_fd().try_clone_to_owned()?;
        dup2_stdout(io::stderr())?;
        Ok(StdoutAside { own })
    }
}

impl Drop for StdoutAside {
    fn drop(&mut self) {
        // SAFETY: null stands for every stream of the C library. What is buffered is the body's.
        unsafe { fflush(ptr::null_mut()) };
        // The descriptor was one until now: the call cannot fail.
        let _ = dup2_stdout(&self.own);
    }
}
