use std::io;
use std::os::fd::AsFd;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, SigmaskHow, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};

const ASKS: [Signal; 4] = [
    Signal::SIGHUP,
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGTERM,
];

#[derive(Debug)]
pub(crate) struct Held {
    before: SigSet,
    /// None where the kernel or a sandbox lacks it: such a signal waits for the whole file.
    waiting: Option<SignalFd>,
}

impl Held {
    pub(crate) fn from_here() -> io::Result<Self> {
        let asks = SigSet::from_iter(ASKS);
        let waiting = SignalFd::with_flags(&asks, SfdFlags::SFD_CLOEXEC).ok();
        let before = asks.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
        Ok(Self { before, waiting })
    }

    pub(crate) fn one_waits(&self) -> bool {
        let Some(waiting) = &self.waiting else {
            return false;
        };
        let mut waiting = [PollFd::new(waiting.as_fd(), PollFlags::POLLIN)];
        poll(&mut waiting, PollTimeout::ZERO).is_ok_and(|ready| ready > 0)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let _a_mask_that_was_there = self.before.thread_set_mask();
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use nix::sys::signal::raise;

    use super::*;

    pub(crate) fn signal_this_thread() -> Arc<AtomicBool> {
        let came = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(Signal::SIGHUP as i32, Arc::clone(&came)).unwrap();
        raise(Signal::SIGHUP).unwrap();
        came
    }

    #[test]
    fn a_signal_that_asks_to_end_waits_until_a_file_has_its_name() {
        let held = Held::from_here().unwrap();
        assert!(!held.one_waits());
        let came = signal_this_thread();
        assert!(held.one_waits() && !came.load(Ordering::SeqCst));
        drop(held);
        assert!(came.load(Ordering::SeqCst));
    }
}
