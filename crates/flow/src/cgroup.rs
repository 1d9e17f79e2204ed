//! A control group that holds all that the commands of a run make, where the kernel allows one.
//!
//! # Theory
//!
//! Descent finds a command's processes as long as the process above them is there (`program::tree`).
//! If that one is killed, and the main process with it, nobody is left who could find them. What
//! no process can leave by itself is its control group: a slot of a command enters a group of its
//! run, all that it launches begins in it, and any survivor can end the whole group by one
//! write, without a race and without hitting a stranger. The kernel also counts the CPU time of
//! the group, of children that nobody has waited for too.
//!
//! ```text
//!   own group of the main process (cgroup v2)
//!     flowgauge-PID            PID: the main process. Made by the slot, which moves into it
//! ```
//!
//! The group has no controllers, so it changes nothing about how its members are scheduled. The
//! main process ends and removes it after each slot, the janitor if that one is gone, and the next
//! run if both are. A slot enters once and before it launches anything, since moving a process
//! takes milliseconds.
//!
//! It needs cgroup v2 and the right to make a group below one's own: root has it, and a service
//! or a user's session with `Delegate=yes`. Without it descent is all there is.
//!
//! Source: the kernel's Documentation/admin-guide/cgroup-v2.rst.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

/// How groups of runs are called, before the number of the main process.
const NAME: &str = "flowgauge-";
/// Looks at whether the members of a group are gone.
const LOOKS: usize = 200;
const PAUSE: Duration = Duration::from_millis(5);

/// A group that this process is in.
#[derive(Debug)]
pub struct Cgroup {
    folder: PathBuf,
}

impl Cgroup {
    /// Enters the group of the run whose main process has that number, and makes it where it is
    /// not there.
    ///
    /// # Errors
    /// There is no cgroup v2, or it may not be used.
    pub fn enter(owner: u32) -> io::Result<Self> {
        let folder = folder_of(owner)?;
        match fs::create_dir(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        fs::write(folder.join("cgroup.procs"), "0")?;
        Ok(Self { folder })
    }

    /// The processes in it.
    #[must_use]
    pub fn members(&self) -> Vec<i32> {
        let text = fs::read_to_string(self.folder.join("cgroup.procs")).unwrap_or_default();
        text.lines().filter_map(|line| line.parse().ok()).collect()
    }

    /// CPU time of all that was ever in it, in ns.
    #[must_use]
    pub fn cpu_ns(&self) -> Option<u64> {
        let text = fs::read_to_string(self.folder.join("cpu.stat")).ok()?;
        let mut lines = text.lines();
        let used = lines.find_map(|line| line.strip_prefix("usage_usec "))?;
        Some(1_000 * used.trim().parse::<u64>().ok()?)
    }
}

/// Ends all that is in the group of a run, and removes it. Nothing happens where there is none.
pub fn end(owner: u32) {
    if let Ok(folder) = folder_of(owner) {
        end_folder(&folder);
    }
}

/// Ends and removes the groups of runs whose main process is gone.
pub fn sweep() {
    let Ok(own) = own_folder() else { return };
    let entries = fs::read_dir(own).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(NAME));
        let owner = owner.and_then(|owner| owner.parse::<u32>().ok());
        let is_gone = |owner: u32| !Path::new(&format!("/proc/{owner}")).exists();
        if owner.is_some_and(is_gone) {
            end_folder(&entry.path());
        }
    }
}

fn end_folder(folder: &Path) {
    for _ in 0..LOOKS {
        // Members that have ended take a moment to leave.
        match fs::remove_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {}
            _ => return,
        }
        let _ended_is_fine = fs::write(folder.join("cgroup.kill"), "1");
        sleep(PAUSE);
    }
}

fn folder_of(owner: u32) -> io::Result<PathBuf> {
    Ok(own_folder()?.join(format!("{NAME}{owner}")))
}

/// The folder of this process's own group.
fn own_folder() -> io::Result<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts")?;
    let groups = fs::read_to_string("/proc/self/cgroup")?;
    let missing = || io::Error::new(io::ErrorKind::NotFound, "no cgroup v2 is mounted");
    let mount = mount_of(&mounts).ok_or_else(missing)?;
    let path = groups
        .lines()
        .find_map(|line| line.strip_prefix("0::/"))
        .ok_or_else(missing)?;
    Ok(Path::new(mount).join(path))
}

fn mount_of(mounts: &str) -> Option<&str> {
    mounts.lines().find_map(|line| {
        let mut fields = line.split(' ').skip(1);
        let (at, kind) = (fields.next()?, fields.next()?);
        (kind == "cgroup2").then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_version_is_found_beside_the_first() {
        let mounts = "cgroup /sys/fs/cgroup/pids cgroup rw 0 0\n\
                      cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0\n";
        assert_eq!(mount_of(mounts), Some("/sys/fs/cgroup/unified"));
        assert_eq!(mount_of("proc /proc proc rw 0 0\n"), None);
    }
}
