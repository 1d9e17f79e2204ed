//! Reading and writing words through descriptors.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd};

use super::answer;

/// Bytes of a word.
pub(crate) const WORD: usize = size_of::<u64>();

/// The error of a call that moved fewer bytes than asked for.
#[cold]
fn cut(moved: u64, wanted: usize) -> io::Error {
    io::Error::other(format!("{moved} of {wanted} bytes were moved"))
}

#[inline]
fn whole(moved: u64, wanted: usize) -> io::Result<()> {
    match moved == wanted as u64 {
        true => Ok(()),
        false => Err(cut(moved, wanted)),
    }
}

/// Opens a file that is there.
#[inline]
pub(crate) fn open(path: &CStr, flags: libc::c_int) -> io::Result<OwnedFd> {
    // SAFETY: the path is a C string, and the mode is read with O_CREAT only.
    let fd = answer(unsafe { libc::open(path.as_ptr(), flags | libc::O_CLOEXEC, 0o600) })?;
    // SAFETY: the call just gave this descriptor to us alone.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as i32) })
}

/// Closes a descriptor, and says so if that fails.
#[inline]
pub(crate) fn close(fd: OwnedFd) -> io::Result<()> {
    // SAFETY: the descriptor was owned, and is used by nobody after this.
    answer(unsafe { libc::close(fd.into_raw_fd()) }).map(|_| ())
}

/// Reads exactly `bytes`.
#[inline]
pub(crate) fn read(fd: BorrowedFd<'_>, bytes: &mut [u8]) -> io::Result<()> {
    // SAFETY: the buffer is as long as said.
    let moved = unsafe { libc::read(fd.as_raw_fd(), bytes.as_mut_ptr().cast(), bytes.len()) };
    whole(answer(moved as i64)?, bytes.len())
}

/// Writes exactly `bytes`.
#[inline]
pub(crate) fn write(fd: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<()> {
    // SAFETY: the buffer is as long as said.
    let moved = unsafe { libc::write(fd.as_raw_fd(), bytes.as_ptr().cast(), bytes.len()) };
    whole(answer(moved as i64)?, bytes.len())
}

/// Reads exactly `bytes` at a place of a file.
#[inline]
pub(crate) fn pread(fd: BorrowedFd<'_>, bytes: &mut [u8], at: u64) -> io::Result<()> {
    let (buffer, length) = (bytes.as_mut_ptr().cast(), bytes.len());
    // SAFETY: the buffer is as long as said.
    let moved = unsafe { libc::pread(fd.as_raw_fd(), buffer, length, at as i64) };
    whole(answer(moved as i64)?, length)
}

/// Reads one word.
#[inline]
pub(crate) fn read_word(fd: BorrowedFd<'_>) -> io::Result<u64> {
    let mut bytes = [0; WORD];
    read(fd, &mut bytes)?;
    Ok(u64::from_ne_bytes(bytes))
}

/// Writes one word.
#[inline]
pub(crate) fn write_word(fd: BorrowedFd<'_>, word: u64) -> io::Result<()> {
    write(fd, &word.to_ne_bytes())
}

/// Reads the word at a place of a file.
#[inline]
pub(crate) fn pread_word(fd: BorrowedFd<'_>, at: u64) -> io::Result<u64> {
    let mut bytes = [0; WORD];
    pread(fd, &mut bytes, at)?;
    Ok(u64::from_ne_bytes(bytes))
}
