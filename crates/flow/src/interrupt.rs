//! SIGINT, SIGTERM and SIGHUP in the main process: a flag and a descriptor to poll, from
//! [`Interrupt::begin`] to [`Interrupt::end`], while slots run or a journal is open. At other
//! times, as whole files are written, a signal ends the process with the exit code of one that was
//! cut. No thread: the launcher forks, and parent-death signals follow the *thread*.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use nix::sys::signal::{SigHandler, Signal, signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use sys::is_ignored;

/// Whether this process was asked to stop.
#[derive(Debug)]
pub struct Interrupt {
    signal: Arc<AtomicUsize>,
    at_rest: Arc<AtomicBool>,
    bell: UnixStream,
}

impl Interrupt {
    /// Installs the handlers (unless ignored, as under `nohup`) and [`ignore_file_size_signal`].
    pub fn install() -> io::Result<Self> {
        let signal = Arc::new(AtomicUsize::new(0));
        let at_rest = Arc::new(AtomicBool::new(true));
        let (bell, ringer) = UnixStream::pair()?;
        ignore_file_size_signal()?;
        let hangup = (!is_ignored(SIGHUP)).then_some(SIGHUP);
        for number in [SIGINT, SIGTERM].into_iter().chain(hangup) {
            let value = usize::try_from(number).map_err(io::Error::other)?;
            let ends = Arc::clone(&at_rest);
            signal_hook::flag::register_conditional_shutdown(number, 128 + number, ends)?;
            signal_hook::flag::register_usize(number, Arc::clone(&signal), value)?;
            signal_hook::low_level::pipe::register(number, ringer.try_clone()?)?;
        }
        Ok(Self {
            signal,
            at_rest,
            bell,
        })
    }

    /// From now on a signal is noted and slots are ended in order.
    pub fn begin(&self) {
        self.at_rest.store(false, Ordering::SeqCst);
    }

    /// From now on a signal ends the process at once.
    pub fn end(&self) {
        self.at_rest.store(true, Ordering::SeqCst);
    }

    /// The signal that asked, if one did.
    #[must_use]
    pub fn signal(&self) -> Option<i32> {
        i32::try_from(self.signal.load(Ordering::Acquire))
            .ok()
            .filter(|&number| number != 0)
    }

    pub(crate) fn descriptor(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }
}

/// Has a limit on the size of files (RLIMIT_FSIZE) refuse a write, without SIGXFSZ.
pub fn ignore_file_size_signal() -> io::Result<()> {
    // SAFETY: ignoring a signal installs no handler that could do anything unsafe.
    unsafe { signal(Signal::SIGXFSZ, SigHandler::SigIgn) }?;
    Ok(())
}
