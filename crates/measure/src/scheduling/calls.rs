//! What a task waits for, by the system call that it is in.

use std::fs::{metadata, read_to_string};
use std::os::unix::fs::FileTypeExt;

use nix::libc::*;

use super::State;

const CALLS: [(State, &[c_long]); 8] = [
    (State::Lock, &[SYS_futex]),
    (State::Events, &[SYS_ppoll, SYS_pselect6, SYS_epoll_pwait]),
    (State::Child, &[SYS_wait4, SYS_waitid]),
    (State::Time, &[SYS_nanosleep, SYS_clock_nanosleep]),
    (
        State::Disk,
        &[SYS_fsync, SYS_fdatasync, SYS_msync, SYS_sync],
    ),
    (
        State::Memory,
        &[
            SYS_mmap,
            SYS_munmap,
            SYS_mprotect,
            SYS_madvise,
            SYS_mremap,
            SYS_brk,
        ],
    ),
    (
        State::Files,
        &[
            SYS_openat,
            SYS_close,
            SYS_dup,
            SYS_dup3,
            SYS_fcntl,
            SYS_unlinkat,
            SYS_pipe2,
        ],
    ),
    (State::Making, &[SYS_clone, SYS_clone3, SYS_execve]),
];

#[cfg(target_arch = "x86_64")]
const OLD_CALLS: [(State, &[c_long]); 4] = [
    (State::Events, &[SYS_poll, SYS_select, SYS_epoll_wait]),
    (State::Making, &[SYS_fork, SYS_vfork]),
    (State::Files, &[SYS_open, SYS_dup2, SYS_pipe, SYS_unlink]),
    (State::Time, &[SYS_pause]),
];
#[cfg(not(target_arch = "x86_64"))]
const OLD_CALLS: [(State, &[c_long]); 0] = [];

/// Calls that wait for the file that is their first argument.
const TRANSFERS: [c_long; 12] = [
    SYS_read,
    SYS_write,
    SYS_readv,
    SYS_writev,
    SYS_pread64,
    SYS_pwrite64,
    SYS_sendto,
    SYS_recvfrom,
    SYS_sendmsg,
    SYS_recvmsg,
    SYS_accept4,
    SYS_connect,
];

/// What task `tid` waits for now; `None` if it does not wait, is not there, or does not show it.
#[must_use]
pub fn waits_for(tid: i32) -> Option<State> {
    let line = read_to_string(format!("/proc/{tid}/syscall")).ok()?;
    let mut words = line.split_whitespace();
    // `running` is no number.
    let call: c_long = words.next()?.parse().ok()?;
    let first = words.next().unwrap_or_default();
    Some(match call {
        // In the kernel without a call: a page is to be filled.
        -1 => State::Memory,
        call if TRANSFERS.contains(&call) => transfer(tid, first),
        call => by_call(call),
    })
}

fn by_call(call: c_long) -> State {
    let mut all = CALLS.iter().chain(&OLD_CALLS);
    all.find(|(_, calls)| calls.contains(&call))
        .map_or(State::Other, |(state, _)| *state)
}

fn transfer(tid: i32, file: &str) -> State {
    let number = i64::from_str_radix(file.trim_start_matches("0x"), 16);
    let about = number.map(|number| metadata(format!("/proc/{tid}/fd/{number}")));
    match about {
        Ok(Ok(about)) if about.is_file() => State::Disk,
        Ok(Ok(about)) if about.file_type().is_fifo() || about.file_type().is_socket() => {
            State::Pipe
        }
        _ => State::Other,
    }
}
