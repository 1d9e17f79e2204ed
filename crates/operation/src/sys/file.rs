use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use super::answer;

#[inline]
pub(crate) fn unlink(path: &CStr) -> io::Result<()> {
    // SAFETY: the path is a C string.
    answer(unsafe { libc::unlink(path.as_ptr()) }).map(|_| ())
}

#[inline]
pub(crate) fn rename(from: &CStr, to: &CStr) -> io::Result<()> {
    // SAFETY: both paths are C strings.
    answer(unsafe { libc::rename(from.as_ptr(), to.as_ptr()) }).map(|_| ())
}

#[inline]
pub(crate) fn allocate(fd: BorrowedFd<'_>, bytes: u64) -> io::Result<()> {
    // SAFETY: the call takes numbers alone.
    answer(unsafe { libc::fallocate(fd.as_raw_fd(), 0, 0, bytes as i64) }).map(|_| ())
}

#[inline]
pub(crate) fn empty(fd: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: the call takes numbers alone.
    answer(unsafe { libc::ftruncate(fd.as_raw_fd(), 0) }).map(|_| ())
}

#[inline]
pub(crate) fn flock(fd: BorrowedFd<'_>, operation: libc::c_int) -> io::Result<()> {
    // SAFETY: the call takes numbers alone.
    answer(unsafe { libc::flock(fd.as_raw_fd(), operation) }).map(|_| ())
}

/// The lock belongs to the file table.
#[inline]
pub(crate) fn lock_byte(fd: BorrowedFd<'_>, byte: u64, locked: bool) -> io::Result<()> {
    let kind = if locked { libc::F_WRLCK } else { libc::F_UNLCK };
    let mut lock = record(byte, kind);
    // SAFETY: the record is read, and lives.
    answer(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETLKW, &raw mut lock) }).map(|_| ())
}

/// Whether another open description holds a lock on the byte.
pub(crate) fn byte_is_locked(fd: BorrowedFd<'_>, byte: u64) -> io::Result<bool> {
    let mut lock = record(byte, libc::F_WRLCK);
    // SAFETY: the record is read and written, and lives.
    answer(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_OFD_GETLK, &raw mut lock) })?;
    Ok(i32::from(lock.l_type) != libc::F_UNLCK)
}

fn record(byte: u64, kind: libc::c_int) -> libc::flock {
    libc::flock {
        l_type: kind as i16,
        l_whence: libc::SEEK_SET as i16,
        l_start: byte as i64,
        l_len: 1,
        l_pid: 0,
    }
}
