use std::io;

use nix::unistd::{ForkResult, Pid};

/// Forks a process that shares what `shared` says: flags of `clone` such as `CLONE_FILES`. It has a
/// copy of the memory, and its parent gets SIGCHLD when it ends. The C library's fork handlers do
/// not run: its locks stay as they are, and it may remember the parent's thread id (use `gettid`).
/// # Safety
/// As for [`nix::unistd::fork`], and more so: where the process has more than one thread, the child
/// may make async-signal-safe calls only. `shared` must not hold `CLONE_VM`, `CLONE_SETTLS` or a
/// flag that has the kernel write to an address.
#[inline]
pub unsafe fn fork_sharing(shared: libc::c_int) -> io::Result<ForkResult> {
    debug_assert_eq!(
        shared & libc::CLONE_VM,
        0,
        "the child would run on our stack"
    );
    let flags = libc::c_long::from(shared | libc::SIGCHLD);
    // SAFETY: without stack and CLONE_VM the child has a copy of this stack; the caller promises
    // more.
    match unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(ForkResult::Child),
        pid => Ok(ForkResult::Parent {
            child: Pid::from_raw(pid as libc::pid_t),
        }),
    }
}

/// Makes a process that runs `entry(argument)` on the stack that ends at `top`, and exits with what
/// that returns; `flags` say what it shares with this one, which gets SIGCHLD when it ends.
/// # Safety
/// `top` is the end, aligned to 16 bytes, of memory that nothing else uses while the process runs
/// on it, large enough for `entry`. `argument` is what `entry` takes, and lives as long as it is
/// used. With `CLONE_VM`, `entry` touches nothing that this process may use at the same time.
#[inline]
pub unsafe fn clone_on(
    top: *mut libc::c_void,
    entry: extern "C" fn(*mut libc::c_void) -> libc::c_int,
    argument: *mut libc::c_void,
    flags: libc::c_int,
) -> io::Result<Pid> {
    // SAFETY: the caller promises all of it.
    match unsafe { libc::clone(entry, top, flags | libc::SIGCHLD, argument) } {
        -1 => Err(io::Error::last_os_error()),
        pid => Ok(Pid::from_raw(pid)),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use nix::sys::wait::{WaitStatus, waitpid};

    use super::*;
    use crate::{Mapping, Of, PAGE};

    /// The child ends at once, and its parent hears of that.
    pub(crate) fn ends(forked: ForkResult) {
        match forked {
            // SAFETY: `_exit` has no preconditions, and is async-signal-safe.
            ForkResult::Child => unsafe { libc::_exit(7) },
            ForkResult::Parent { child } => {
                assert_eq!(waitpid(child, None), Ok(WaitStatus::Exited(child, 7)));
            }
        }
    }

    /// A stack, and its end.
    pub(crate) fn stack() -> (Mapping, *mut libc::c_void) {
        let stack = Mapping::new(4 * PAGE, Of::Private).expect("a stack");
        let top = stack.as_ptr().wrapping_byte_add(stack.len());
        (stack, top)
    }

    #[test]
    fn one_that_shares_the_file_table_is_waited_for_as_others_are() {
        if skipped::is_emulated() {
            return skipped::skipped("an emulator forks none that shares the table of files");
        }
        // SAFETY: the child makes one call, which is async-signal-safe.
        ends(unsafe { fork_sharing(libc::CLONE_FILES) }.expect("a process"));
    }

    pub(crate) extern "C" fn number(argument: *mut libc::c_void) -> libc::c_int {
        argument.addr() as libc::c_int
    }

    #[test]
    fn one_on_a_stack_of_its_own_exits_with_what_its_entry_returns() {
        let (_stack, top) = stack();
        let nine = std::ptr::without_provenance_mut(9);
        // SAFETY: the stack is used by this process alone, has no other use, and outlives it;
        // `number` takes a number.
        let child = unsafe { clone_on(top, number, nine, 0) }.expect("a process");
        assert_eq!(waitpid(child, None), Ok(WaitStatus::Exited(child, 9)));
    }
}
