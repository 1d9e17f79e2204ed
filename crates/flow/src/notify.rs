//! An eventfd by which flows wake the parent: the last arrived or is done, or a ring has results.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::Ordering;

use nix::errno::Errno;
use nix::sys::eventfd::{EfdFlags, EventFd};

use crate::shared_memory::SharedMemory;

#[derive(Debug)]
pub(crate) struct Notify(EventFd);

impl Notify {
    pub(crate) fn new() -> io::Result<Self> {
        let flags = EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK;
        let bell = EventFd::from_value_and_flags(0, flags);
        Ok(Self(bell.map_err(sys::refused("eventfd2"))?))
    }

    pub(crate) fn wake(&self) {
        let _full_is_ringing = self.0.write(1);
    }

    pub(crate) fn wake_if_asleep(&self, shared: &SharedMemory) {
        if shared.header().parent_sleeps.0.swap(0, Ordering::SeqCst) == 1 {
            self.wake();
        }
    }

    pub(crate) fn clear(&self) -> io::Result<()> {
        match self.0.read() {
            Ok(_) | Err(Errno::EAGAIN | Errno::EINTR) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    pub(crate) fn descriptor(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
