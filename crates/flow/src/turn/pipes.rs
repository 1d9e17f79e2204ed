//! The pipes of a ring: one a flow, into which its predecessor writes, inherited. Each flow needs
//! two descriptors in every process; the soft limit is raised to the hard one.

use std::io;
use std::os::fd::OwnedFd;

use nix::fcntl::OFlag;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::unistd::{pipe2, read, write};

/// For everything else in the slot process.
const OTHERS: u64 = 32;

#[derive(Debug, Default)]
pub(crate) struct Pipes(Vec<(OwnedFd, OwnedFd)>);

impl Pipes {
    pub(crate) fn open(flows: u32) -> io::Result<Self> {
        make_room(2 * u64::from(flows) + OTHERS)?;
        let pipes = (0..flows).map(|_| pipe2(OFlag::O_CLOEXEC));
        Ok(Self(pipes.collect::<Result<_, _>>()?))
    }

    /// A pipe that fails ends the flow's wait with the deadline.
    pub(crate) fn pass_to(&self, index: usize) {
        let _one_byte_fits = write(&self.0[index].1, &[1]);
    }

    pub(crate) fn wait_for(&self, index: usize) {
        while read(&self.0[index].0, &mut [0]) != Ok(1) {}
    }
}

fn make_room(files: u64) -> io::Result<()> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    if files > hard {
        return Err(io::Error::other(format!(
            "a ring of pipes needs {files} open files and RLIMIT_NOFILE allows {hard}: use fewer \
             flows or another way to hand over, or raise the limit (ulimit -Hn {files})"
        )));
    }
    if files > soft {
        setrlimit(Resource::RLIMIT_NOFILE, files, hard)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_passed_arrives() {
        let pipes = Pipes::open(2).unwrap();
        pipes.pass_to(1);
        pipes.wait_for(1);
    }

    #[test]
    fn more_than_the_system_allows_is_refused_with_the_limit() {
        let error = Pipes::open(u32::MAX).unwrap_err().to_string();
        assert!(error.contains("RLIMIT_NOFILE"), "{error}");
    }
}
