/// Whether this process ignores `signal`, as by `nohup`; false for numbers of no signal.
#[must_use]
pub fn is_ignored(signal: libc::c_int) -> bool {
    // SAFETY: all-zero bytes are a `sigaction`: the default action, no flags, an empty mask.
    let mut current: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: with a null new action the call only writes the present one to `current`.
    let asked = unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut current) };
    asked == 0 && current.sa_sigaction == libc::SIG_IGN
}

#[cfg(test)]
mod tests {
    use nix::sys::signal::{SigHandler, Signal, signal};

    use super::*;

    #[test]
    fn a_signal_is_ignored_from_when_that_is_asked_for() {
        assert!(!is_ignored(libc::SIGUSR2) && !is_ignored(-1));
        // SAFETY: no handler is installed by ignoring a signal.
        unsafe { signal(Signal::SIGUSR2, SigHandler::SigIgn) }.expect("ignored");
        assert!(is_ignored(libc::SIGUSR2));
    }
}
