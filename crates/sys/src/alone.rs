//! That this process has one thread. A fork copies the thread that calls it alone: of locks that
//! others hold at that moment nobody gives the copies back.

use std::fs;
use std::io;
use std::os::linux::fs::MetadataExt;
use std::thread;
use std::time::Duration;

use nix::unistd::{ForkResult, fork};

const TASKS: &str = "/proc/self/task";
/// Links of a folder without folders in it.
const OWN_LINKS: u64 = 2;
/// A thread that was joined is counted until the kernel is through with it.
const LOOKS: u32 = 1_000;
const BETWEEN: Duration = Duration::from_micros(100);

/// One thread runs in this process, so that what it forks may go on with all that it has.
#[derive(Debug)]
pub struct Alone {
    is_counted: bool,
}

impl Alone {
    /// Counts the threads of this process. The error says how many there are, and what to do.
    pub fn now() -> io::Result<Self> {
        for _ in 0..LOOKS {
            if excess()? == 0 {
                break;
            }
            thread::sleep(BETWEEN);
        }
        excess().and_then(refuse)?;
        Ok(Self { is_counted: true })
    }

    /// Counts nothing.
    /// # Safety
    /// As for [`nix::unistd::fork`]: whenever this forks, the process has one thread, or the child
    /// does nothing that a copy of another thread's lock could stop before it ends.
    #[must_use]
    pub unsafe fn assumed() -> Self {
        Self { is_counted: false }
    }

    /// Forks. Counts again first: any code may have run since.
    pub fn fork(&self) -> io::Result<ForkResult> {
        if self.is_counted {
            excess().and_then(refuse)?;
        }
        // SAFETY: no other thread holds a lock, as was counted or is promised by who assumed it.
        Ok(unsafe { fork() }?)
    }
}

fn refuse(excess: u64) -> io::Result<()> {
    match excess {
        0 => Ok(()),
        _ => Err(io::Error::other(format!(
            "{} threads run in this process, and a fork copies one of them: take away what starts the \
             others (a library of LD_PRELOAD?), or use no model of processes",
            excess + 1
        ))),
    }
}

/// Threads beside this one, an emulator's own not counted.
fn excess() -> io::Result<u64> {
    let said = |error| io::Error::other(format!("threads cannot be counted: {TASKS}: {error}"));
    let threads = match fs::metadata(TASKS).map_err(said)?.st_nlink() {
        links if links > OWN_LINKS => links - OWN_LINKS,
        _ => fs::read_dir(TASKS).map_err(said)?.count() as u64,
    };
    Ok(match threads {
        // One of the emulator of user programs.
        2 if is_emulated() => 0,
        threads => threads.saturating_sub(1),
    })
}

/// It says of one path to this program what the program expects, and not of the other.
fn is_emulated() -> bool {
    let told = |path: &str| fs::read_link(path).ok();
    let (own, kernels) = (told("/proc/self/exe"), told("/proc/thread-self/exe"));
    kernels.is_some() && own != kernels
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::fork::tests::ends;

    /// A search could be asked to fork beside threads that held locks.
    #[test]
    fn beside_another_thread_nothing_is_forked() {
        let (end, ended) = mpsc::channel::<()>();
        let other = thread::spawn(move || ended.recv());
        let error = Alone::now().unwrap_err().to_string();
        assert!(error.contains("threads run in this process"), "{error}");
        let before = Alone { is_counted: true };
        assert!(before.fork().is_err());
        drop(end);
        assert!(other.join().unwrap().is_err());
    }

    #[test]
    fn where_it_is_assumed_there_is_a_fork() {
        // SAFETY: the child makes one call, which is async-signal-safe.
        let assumed = unsafe { Alone::assumed() };
        ends(assumed.fork().expect("a process"));
    }
}
