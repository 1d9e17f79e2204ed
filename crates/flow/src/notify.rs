//! Waking the parent: one eventfd that flows write at the few moments that matter
//! (the last one arrives, the last one is done, a ring has results and the parent sleeps).

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::Ordering;

use nix::errno::Errno;
use nix::sys::eventfd::{EfdFlags, EventFd};

use crate::shared_memory::SharedMemory;

/// The parent's doorbell.
#[derive(Debug)]
pub(crate) struct Notify(EventFd);

impl Notify {
    pub(crate) fn new() -> io::Result<Self> {
        let flags = EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK;
        let bell = EventFd::from_value_and_flags(0, flags);
        Ok(Self(bell.map_err(sys::refused("eventfd2"))?))
    }

    /// Rings. A counter that is full is already ringing, so that error is none.
    pub(crate) fn wake(&self) {
        let _full_is_ringing = self.0.write(1);
    }

    /// Rings if the parent said that it sleeps.
    pub(crate) fn wake_if_asleep(&self, shared: &SharedMemory) {
        if shared.header().parent_sleeps.0.swap(0, Ordering::SeqCst) == 1 {
            self.wake();
        }
    }

    /// Stops ringing.
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
