//! A process that begins its life in a control group. To move one into another group, the kernel waits until every CPU
//! has gone through a state without references (RCU): 14 ms where this was measured. One made by `clone3` with
//! `CLONE_INTO_CGROUP` (Linux 5.7) begins there; the C library has no `clone3` with one's own stack:
//! ```text
//!   parent   syscall ─▶ rax = pid ──────────────────────────▶ on, after the block
//!   child    syscall ─▶ rax = 0, rsp = end of its stack ─▶ call entry ─▶ exit
//! ```
//! On aarch64 the same by `svc`, with x0 and sp. Sources: clone3(2); the kernel's
//! Documentation/admin-guide/cgroup-v2.rst.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use nix::unistd::Pid;

/// Too large for the C library's type of flags.
const INTO_CGROUP: u64 = 1 << 33;

/// The first version of `clone_args` with a control group.
#[repr(C)]
#[derive(Debug, Default)]
struct Arguments {
    flags: u64,
    pidfd: u64,
    child_tid: u64,
    parent_tid: u64,
    exit_signal: u64,
    stack: u64,
    stack_size: u64,
    tls: u64,
    set_tid: u64,
    set_tid_size: u64,
    cgroup: u64,
}

/// Makes a process as [`clone_on`](crate::clone_on) does, in the control group whose folder is open as `group`, on a
/// stack of `bytes` that ends at `top`. Errors: it makes none; before Linux 5.7, without a right to the group, and on
/// processors but x86-64 and aarch64.
/// # Safety
/// As for [`clone_on`](crate::clone_on).
pub unsafe fn clone_into(
    group: BorrowedFd<'_>,
    (top, bytes): (*mut libc::c_void, usize),
    entry: extern "C" fn(*mut libc::c_void) -> libc::c_int,
    argument: *mut libc::c_void,
    flags: libc::c_int,
) -> io::Result<Pid> {
    let arguments = Arguments {
        flags: INTO_CGROUP | u64::from(flags.cast_unsigned()),
        exit_signal: u64::from(libc::SIGCHLD.cast_unsigned()),
        stack: (top.addr() - bytes) as u64,
        stack_size: bytes as u64,
        cgroup: u64::from(group.as_raw_fd().cast_unsigned()),
        ..Arguments::default()
    };
    // SAFETY: the caller promises all of it.
    match unsafe { clone3(&arguments, entry, argument) } {
        errno @ ..0 => Err(io::Error::from_raw_os_error(-errno as i32)),
        pid => Ok(Pid::from_raw(pid as libc::pid_t)),
    }
}

/// Returns the pid or a negative error number. Safety: as for [`clone_into`], on that stack.
unsafe fn clone3(
    arguments: &Arguments,
    entry: extern "C" fn(*mut libc::c_void) -> libc::c_int,
    argument: *mut libc::c_void,
) -> i64 {
    let result;
    // SAFETY: the parent's registers but rax, rcx and r11 are as they were, as after every system call. The child has
    // the same and its own stack, aligned to 16 bytes; it calls `entry` with its argument, and ends by `exit` without
    // coming back.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "xor ebp, ebp",
            "mov rdi, {argument}",
            "call {entry}",
            "mov edi, eax",
            "mov eax, {exit}",
            "syscall",
            "ud2",
            "2:",
            entry = in(reg) entry,
            argument = in(reg) argument,
            exit = const libc::SYS_exit,
            inlateout("rax") libc::SYS_clone3 => result,
            in("rdi") arguments,
            in("rsi") size_of::<Arguments>(),
            out("rcx") _,
            out("r11") _,
        );
    }
    // SAFETY: the same, but for x0.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        std::arch::asm!(
            "svc 0",
            "cbnz x0, 2f",
            "mov x29, xzr",
            "mov x0, {argument}",
            "blr {entry}",
            "mov x8, {exit}",
            "svc 0",
            "brk 1",
            "2:",
            entry = in(reg) entry,
            argument = in(reg) argument,
            exit = const libc::SYS_exit,
            inlateout("x0") arguments => result,
            in("x1") size_of::<Arguments>(),
            in("x8") libc::SYS_clone3,
        );
    }
    result
}

/// Only these two were tried. Safety: none is needed.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
unsafe fn clone3(
    _arguments: &Arguments,
    _entry: extern "C" fn(*mut libc::c_void) -> libc::c_int,
    _argument: *mut libc::c_void,
) -> i64 {
    -i64::from(libc::ENOSYS)
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use super::*;
    use crate::fork::tests::{number, stack};

    /// A folder that is no control group is refused by the kernel, which has read all arguments by then. Processes that
    /// do begin in one are launched by crate `program`.
    #[test]
    fn what_is_no_group_is_an_error_and_makes_no_process() {
        let (stack, top) = stack();
        let folder = std::fs::File::open("/").expect("a folder");
        let nine = std::ptr::without_provenance_mut(9);
        // SAFETY: the stack is used by this process alone, has no other use, and outlives it;
        // `number` takes a number.
        let made = unsafe { clone_into(folder.as_fd(), (top, stack.len()), number, nine, 0) };
        let error = made.expect_err("the folder is no group");
        let old = [libc::ENOSYS, libc::E2BIG, libc::EINVAL, libc::EPERM];
        let errno = error.raw_os_error().expect("a number");
        assert!(errno == libc::EBADF || old.contains(&errno), "{error}");
    }
}
