use std::convert::Infallible;
use std::io;

use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, fork};

/// In a process of its own, which goes with its parent.
pub(super) fn forked(run: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    // SAFETY: this process has one thread, so no lock is held by one that the child lacks.
    match unsafe { fork() }? {
        ForkResult::Parent { .. } => Ok(()),
        ForkResult::Child => {
            let tied = set_pdeathsig(Signal::SIGKILL);
            let done = tied.map_err(io::Error::from).and_then(|()| run());
            std::process::exit(done.is_err().into())
        }
    }
}

/// Runs it in as many processes; in this one, if that is one.
pub(super) fn each_process(
    processes: u32,
    run: impl Fn() -> io::Result<()>,
) -> io::Result<Infallible> {
    let ended = || io::Error::other("a worker ended");
    if processes <= 1 {
        run()?;
        return Err(ended());
    }
    (0..processes).try_for_each(|_| forked(&run))?;
    waitpid(None, None)?;
    Err(ended())
}
