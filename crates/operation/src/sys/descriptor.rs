use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd};

use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags};
use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::sys::memfd::{MFdFlags, memfd_create};

use super::answer;

pub(crate) const WORD: usize = size_of::<u64>();

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

#[inline]
pub(crate) fn open(path: &CStr, flags: libc::c_int) -> io::Result<OwnedFd> {
    // SAFETY: the path is a C string, and the mode is read with O_CREAT only.
    owned(unsafe { libc::open(path.as_ptr(), flags | libc::O_CLOEXEC, 0o600) })
}

#[inline]
pub(crate) fn close(fd: OwnedFd) -> io::Result<()> {
    // SAFETY: the descriptor was owned, and is used by nobody after this.
    answer(unsafe { libc::close(fd.into_raw_fd()) }).map(|_| ())
}

/// Exactly all of `bytes`.
#[inline]
pub(crate) fn read(fd: BorrowedFd<'_>, bytes: &mut [u8]) -> io::Result<()> {
    // SAFETY: the buffer is as long as said.
    let moved = unsafe { libc::read(fd.as_raw_fd(), bytes.as_mut_ptr().cast(), bytes.len()) };
    whole(answer(moved as i64)?, bytes.len())
}

#[inline]
pub(crate) fn write(fd: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<()> {
    // SAFETY: the buffer is as long as said.
    let moved = unsafe { libc::write(fd.as_raw_fd(), bytes.as_ptr().cast(), bytes.len()) };
    whole(answer(moved as i64)?, bytes.len())
}

#[inline]
pub(crate) fn pread(fd: BorrowedFd<'_>, bytes: &mut [u8], at: u64) -> io::Result<()> {
    let (buffer, length) = (bytes.as_mut_ptr().cast(), bytes.len());
    // SAFETY: the buffer is as long as said.
    let moved = unsafe { libc::pread(fd.as_raw_fd(), buffer, length, at as i64) };
    whole(answer(moved as i64)?, length)
}

#[inline]
pub(crate) fn read_word(fd: BorrowedFd<'_>) -> io::Result<u64> {
    let mut bytes = [0; WORD];
    read(fd, &mut bytes)?;
    Ok(u64::from_ne_bytes(bytes))
}

#[inline]
pub(crate) fn write_word(fd: BorrowedFd<'_>, word: u64) -> io::Result<()> {
    write(fd, &word.to_ne_bytes())
}

#[inline]
pub(crate) fn pread_word(fd: BorrowedFd<'_>, at: u64) -> io::Result<u64> {
    let mut bytes = [0; WORD];
    pread(fd, &mut bytes, at)?;
    Ok(u64::from_ne_bytes(bytes))
}

#[inline]
pub(crate) fn pwrite(fd: BorrowedFd<'_>, bytes: &[u8], at: u64) -> io::Result<()> {
    let (buffer, length) = (bytes.as_ptr().cast(), bytes.len());
    // SAFETY: the buffer is as long as said.
    let moved = unsafe { libc::pwrite(fd.as_raw_fd(), buffer, length, at as i64) };
    whole(answer(moved as i64)?, length)
}

#[inline]
pub(crate) fn seek(fd: BorrowedFd<'_>, to: u64) -> io::Result<u64> {
    // SAFETY: the call takes numbers alone.
    answer(unsafe { libc::lseek(fd.as_raw_fd(), to as i64, libc::SEEK_SET) })
}

#[inline]
pub(crate) fn dup(fd: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    // SAFETY: the call takes a number alone.
    owned(unsafe { libc::dup(fd.as_raw_fd()) })
}

pub(crate) fn eventfd() -> io::Result<OwnedFd> {
    Ok(EventFd::from_flags(EfdFlags::EFD_CLOEXEC)?.into())
}

pub(crate) fn memory_file() -> io::Result<OwnedFd> {
    Ok(memfd_create(c"flowgauge", MFdFlags::MFD_CLOEXEC)?)
}

#[inline]
fn owned(fd: libc::c_int) -> io::Result<OwnedFd> {
    answer(fd)?;
    // SAFETY: a call just gave this descriptor to us alone.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

pub(crate) fn watched(fd: BorrowedFd<'_>) -> libc::pollfd {
    libc::pollfd {
        fd: fd.as_raw_fd(),
        events: libc::POLLIN,
        revents: 0,
    }
}

#[inline]
pub(crate) fn poll(watched: &mut [libc::pollfd]) -> io::Result<u64> {
    let count = watched.len() as libc::nfds_t;
    // SAFETY: the entries are as many as said.
    answer(unsafe { libc::poll(watched.as_mut_ptr(), count, 0) })
}

pub(crate) fn epoll(watched: &[OwnedFd]) -> io::Result<OwnedFd> {
    let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
    for (number, fd) in (0..).zip(watched) {
        epoll.add(fd, EpollEvent::new(EpollFlags::EPOLLIN, number))?;
    }
    Ok(epoll.0)
}

/// The number of the ready descriptor, if exactly one is.
#[inline]
pub(crate) fn only_ready(epoll: BorrowedFd<'_>) -> io::Result<Option<u64>> {
    let mut events = [libc::epoll_event { events: 0, u64: 0 }; 2];
    // SAFETY: there are two entries, as said.
    let ready = answer(unsafe { libc::epoll_wait(epoll.as_raw_fd(), events.as_mut_ptr(), 2, 0) })?;
    Ok((ready == 1).then_some(events[0].u64))
}
