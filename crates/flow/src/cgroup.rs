//! A control group that holds all that the commands of a run make, where the kernel allows one.
//!
//! Descent finds a command's processes as long as the process above them is there
//! (`program::tree`). But no process can leave its control group by itself: a slot of a command
//! makes a group and launches into it, and any survivor can end the whole group by one write,
//! without a race and without hitting a stranger. The kernel counts all of its CPU time.
//! ```text
//!   own group of the main process (cgroup v2)
//!     flowgauge-RANDOM.group   made and locked by a slot, which launches into it
//! ```
//! The slot holds a lock (`flock`) on that folder for as long as it lives, across namespaces. So a
//! group that can be locked has lost its slot, and anyone may end and remove it: the main process
//! after each slot, else the janitor, else the next run. None needs the name, and none can take the
//! group of a live run. The group has no controllers and no `pids.max`. Commands are made in it
//! ([`sys::clone_into`]); where that is not allowed, the slot enters once, before it launches
//! anything (moving takes milliseconds), and leaves to end all others ([`Cgroup::kill_others`]). No
//! fork escapes from `cgroup.kill`; without that file, the group is frozen first.
//!
//! It needs cgroup v2 and the right to make a group below one's own: root, or `Delegate=yes`; else
//! descent is all there is. Source: Linux's admin-guide/cgroup-v2.rst.

pub(crate) mod places;

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use nix::sys::signal::Signal;
use nix::unistd::Pid;
use tidy::names::Kind;

const LOOKS: usize = 400;
const PAUSE: Duration = Duration::from_millis(5);
/// Another run may sweep a new group.
const TRIES: usize = 10;

/// A group that this process has made.
#[derive(Debug)]
pub struct Cgroup {
    folder: PathBuf,
    before: PathBuf,
    /// Open and locked: the slot is alive.
    lock: File,
    is_entered: bool,
}

impl Cgroup {
    /// Makes a group below this process's. Errors: no cgroup v2, or no right to.
    pub fn make() -> io::Result<Self> {
        let before = places::own_folder()?;
        let (folder, lock) = make_locked(&before)?;
        Ok(Self {
            folder,
            before,
            lock,
            is_entered: false,
        })
    }

    /// Moves this process into it, and so what it launches.
    pub fn enter(&mut self) -> io::Result<()> {
        hold_to_the_end(&self.lock)?;
        fs::write(self.folder.join("cgroup.procs"), "0")?;
        self.is_entered = true;
        Ok(())
    }

    /// Whether this process is in it.
    #[must_use]
    pub fn is_entered(&self) -> bool {
        self.is_entered
    }

    /// Its folder, for a process that is to begin in it.
    #[must_use]
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.lock.as_fd()
    }

    /// The processes in it.
    #[must_use]
    pub fn members(&self) -> Vec<i32> {
        members(&self.folder)
    }

    /// How many threads are in it.
    #[must_use]
    pub fn threads(&self) -> usize {
        threads(&self.folder)
    }

    /// Kills all other members; this process leaves meanwhile, and may not if that fails.
    pub fn kill_others(&self) -> io::Result<()> {
        if !self.is_entered {
            kill(&self.folder);
            return Ok(());
        }
        fs::write(self.before.join("cgroup.procs"), "0")?;
        kill(&self.folder);
        fs::write(self.folder.join("cgroup.procs"), "0")
    }

    /// CPU time of all that was ever in it, in ns: in user mode and in the kernel.
    #[must_use]
    pub fn cpu_ns(&self) -> Option<[u64; 2]> {
        cpu_ns(&fs::read_to_string(self.folder.join("cpu.stat")).ok()?)
    }
}

pub(crate) fn make_locked(parent: &Path) -> io::Result<(PathBuf, File)> {
    for _ in 0..TRIES {
        let folder = parent.join(tidy::names::new(Kind::Group)?);
        fs::create_dir(&folder)?;
        // Another run may have removed it before it was locked.
        if let Some(lock) = locked(&folder)
            && folder.exists()
        {
            return Ok((folder, lock));
        }
        let _swept_is_fine = fs::remove_dir(&folder);
    }
    Err(io::Error::other("no control group could be made"))
}

/// Ends and removes groups whose slot is gone. True where a slot of any run is alive.
pub fn sweep() -> bool {
    let mut folders = places::folders();
    folders.extend(
        places::own_folder()
            .ok()
            .filter(|own| !folders.contains(own)),
    );
    let entries = folders
        .iter()
        .filter_map(|folder| fs::read_dir(folder).ok());
    let mut held = false;
    for entry in entries.flatten().flatten() {
        let folder = entry.path();
        match places::is_ours(&folder).then(|| locked(&folder)) {
            Some(Some(_lock)) => end_folder(&folder),
            Some(None) => held |= folder.exists(),
            None => {}
        }
    }
    held
}

/// Keeps the lock until this process ends. The sweep of another run kills members of a group that nobody holds,
/// and a member may drop its group before it answers.
pub(crate) fn hold_to_the_end(lock: &File) -> io::Result<()> {
    std::mem::forget(lock.try_clone()?);
    Ok(())
}

fn locked(folder: &Path) -> Option<File> {
    let handle = File::open(folder).ok()?;
    handle.try_lock().is_ok().then_some(handle)
}

/// Of the line that begins so.
pub(crate) fn number(text: &str, key: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix(key))?;
    value.trim().parse().ok()
}

pub(crate) fn cpu_ns(text: &str) -> Option<[u64; 2]> {
    let (user, system) = (number(text, "user_usec ")?, number(text, "system_usec ")?);
    Some([1_000 * user, 1_000 * system])
}

pub(crate) fn threads(folder: &Path) -> usize {
    let text = fs::read_to_string(folder.join("cgroup.threads")).unwrap_or_default();
    text.lines().count()
}

pub(crate) fn members(folder: &Path) -> Vec<i32> {
    let text = fs::read_to_string(folder.join("cgroup.procs")).unwrap_or_default();
    text.lines().filter_map(|line| line.parse().ok()).collect()
}

fn kill(folder: &Path) {
    if fs::write(folder.join("cgroup.kill"), "1").is_ok() {
        return;
    }
    // Before Linux 5.14. Frozen members cannot fork, and can be killed.
    let _freezing_is_all_there_is = fs::write(folder.join("cgroup.freeze"), "1");
    for pid in members(folder) {
        let _ended_is_fine = nix::sys::signal::kill(Pid::from_raw(pid), Signal::SIGKILL);
    }
    let _thawed_or_gone = fs::write(folder.join("cgroup.freeze"), "0");
}

fn end_folder(folder: &Path) {
    for _ in 0..LOOKS {
        match fs::remove_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {}
            _ => return,
        }
        kill(folder);
        sleep(PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_is_read_in_its_two_parts_or_not_at_all() {
        let text = "usage_usec 12\nuser_usec 7\nsystem_usec 5\nnice_usec 0\n";
        assert_eq!(cpu_ns(text), Some([7_000, 5_000]));
        assert_eq!(cpu_ns("usage_usec 12\n"), None);
    }

    /// Groups were named by the number of the main process, which is 1 in every PID namespace:
    /// two runs killed each other's slots.
    #[test]
    fn a_group_that_somebody_holds_is_not_swept_and_another_one_is() {
        let folder = tempfile::tempdir().unwrap();
        let group = folder.path().join(tidy::names::new(Kind::Group).unwrap());
        fs::create_dir(&group).unwrap();
        let held = locked(&group).unwrap();
        assert!(locked(&group).is_none());
        drop(held);
        // A process that another test starts just then holds it too, until it begins its program.
        assert!((0..12_000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(5));
            locked(&group).is_some()
        }));
        end_folder(&group);
        assert!(!group.exists() && locked(&group).is_none());
    }
}
