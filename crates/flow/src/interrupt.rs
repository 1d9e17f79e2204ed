//! SIGINT and SIGTERM in the main process: a flag to look at and a descriptor to poll.
//!
//! No thread is made for it (the launcher forks, and a parent-death signal follows the
//! *thread* that forked), and nothing happens in the handler but a store and a write.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};

/// Tells whether this process was asked to stop.
#[derive(Debug)]
pub struct Interrupt {
    signal: Arc<AtomicUsize>,
    bell: UnixStream,
}

impl Interrupt {
    /// Installs the handlers for SIGINT and SIGTERM.
    ///
    /// # Errors
    /// The system refuses a handler or a descriptor.
    pub fn install() -> io::Result<Self> {
        let signal = Arc::new(AtomicUsize::new(0));
        let (bell, ringer) = UnixStream::pair()?;
        for number in [SIGINT, SIGTERM] {
            let value = usize::try_from(number).map_err(io::Error::other)?;
            signal_hook::flag::register_usize(number, Arc::clone(&signal), value)?;
            signal_hook::low_level::pipe::register(number, ringer.try_clone()?)?;
        }
        Ok(Self { signal, bell })
    }

    /// The signal that asked, if one did.
    #[must_use]
    pub fn signal(&self) -> Option<i32> {
        i32::try_from(self.signal.load(Ordering::Acquire))
            .ok()
            .filter(|&number| number != 0)
    }

    /// Readable from the moment a signal has come.
    pub(crate) fn descriptor(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }
}
