//! Making flows of the kernel, and waiting for them.

use std::io;

use super::answer;

/// A child process that has not been waited for.
#[derive(Debug)]
pub(crate) struct Child(libc::pid_t);

impl Child {
    /// Waits for its end; the answer is its exit code.
    ///
    /// # Errors
    /// It was ended by a signal.
    #[inline]
    pub(crate) fn wait(self) -> io::Result<u64> {
        let mut status = 0;
        loop {
            // SAFETY: the status is written to a variable that lives.
            match answer(unsafe { libc::waitpid(self.0, &raw mut status, libc::__WALL) }) {
                Ok(_) if libc::WIFEXITED(status) => return Ok(libc::WEXITSTATUS(status) as u64),
                Ok(_) => return Err(io::Error::other("it was ended by a signal")),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Ends this process without running anything of its parent's.
pub(crate) fn exit(code: i32) -> ! {
    // SAFETY: `_exit` ends the process and has no preconditions.
    unsafe { libc::_exit(code) }
}

/// Forks a process that does `work` and exits with 0; `shared` are flags of `clone` for what
/// it shares with its parent (not its memory). It is killed when its parent ends.
///
/// Only for processes of one thread: the child goes on with everything that this process has.
pub(crate) fn fork(work: impl FnOnce(), shared: libc::c_int) -> io::Result<Child> {
    let parent = std::process::id();
    let flags = libc::c_long::from(shared | libc::SIGCHLD);
    // SAFETY: with a null stack and no CLONE_VM the child runs on its own copy of this stack,
    // as after fork; callers have one thread; the child never returns.
    match answer(unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) })? {
        0 => {
            // SAFETY: the call takes numbers alone.
            unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
            if std::os::unix::process::parent_id() == parent {
                work();
            }
            exit(0)
        }
        pid => Ok(Child(pid as libc::pid_t)),
    }
}

/// Gives the calling thread a file table of its own.
pub(crate) fn unshare_files() -> io::Result<()> {
    // SAFETY: the call takes a number alone and changes no memory.
    answer(unsafe { libc::unshare(libc::CLONE_FILES) }).map(|_| ())
}
