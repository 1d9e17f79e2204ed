//! The temporary folder of a machine. Its file `pid` names who removes it: the two shells around a
//! conversation by ssh (`remote::SCRIPT`), the program, the next run's shell, or [`sweep`].

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use nix::sys::signal::kill;
use nix::unistd::{Pid, geteuid, getppid};

use super::limits::{Allowance, WORDS};

pub(super) const PREFIX: &str = "flowgauge-fleet.";
const PIDS: &str = "pid";

#[derive(Debug)]
pub(super) struct Guarded {
    folder: PathBuf,
    parent: Pid,
}

impl Guarded {
    pub(super) fn join(folder: &Path) -> Result<Self> {
        let mut options = OpenOptions::new();
        let pids = options.append(true).create(true).open(folder.join(PIDS));
        pids.and_then(|mut pids| writeln!(pids, "{}", std::process::id()))
            .with_context(|| format!("{} cannot be guarded", folder.display()))?;
        Ok(Self {
            folder: folder.to_owned(),
            parent: getppid(),
        })
    }

    pub(super) fn is_alone(&self) -> bool {
        getppid() != self.parent
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        if has_prefix(&self.folder) {
            let _another_one_does_too = fs::remove_dir_all(&self.folder);
        }
    }
}

/// A folder without guards is being made, or not ours.
pub(super) fn sweep(temporary: &Path) {
    let entries = fs::read_dir(temporary).into_iter().flatten().flatten();
    let folders = entries.map(|entry| entry.path());
    for folder in folders.filter(|path| has_prefix(path)) {
        let own = folder.symlink_metadata();
        let is_own = own.is_ok_and(|found| found.is_dir() && found.uid() == geteuid().as_raw());
        if is_own && is_left(&folder) {
            let _next_time = fs::remove_dir_all(&folder);
        }
    }
}

fn has_prefix(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.as_bytes().starts_with(PREFIX.as_bytes())
}

fn is_left(folder: &Path) -> bool {
    let pids = Allowance::of(WORDS).read(&folder.join(PIDS));
    let Ok(pids) = pids.and_then(|pids| Ok(String::from_utf8(pids)?)) else {
        return false;
    };
    let mut pids = pids.split_whitespace().map(str::parse).peekable();
    let is_dead =
        |pid: Result<i32, _>| pid.is_ok_and(|pid| kill(Pid::from_raw(pid), None).is_err());
    pids.peek().is_some() && pids.all(is_dead)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_whose_guards_are_dead_are_removed_and_no_others() {
        let temporary = tempfile::tempdir().unwrap();
        let mut dead = std::process::Command::new("true").spawn().unwrap();
        dead.wait().unwrap();
        let (own, dead) = (std::process::id(), dead.id());
        let folder = |name: &str, pids: &str| {
            let path = temporary.path().join(name);
            fs::create_dir(&path).unwrap();
            fs::write(path.join(PIDS), pids).unwrap();
            path
        };
        let left = folder("flowgauge-fleet.left", &format!("{dead}\n{dead}\n"));
        let others = [
            folder("flowgauge-fleet.runs", &format!("{dead}\n{own}\n")),
            folder("flowgauge-fleet.new", ""),
            folder("flowgauge-fleet.odd", "none"),
            folder("another.one", &dead.to_string()),
        ];
        let link = temporary.path().join("flowgauge-fleet.link");
        std::os::unix::fs::symlink(&others[3], &link).unwrap();
        sweep(temporary.path());
        assert!(!left.exists());
        assert!(others.iter().chain([&link]).all(|path| path.exists()));
    }

    #[test]
    fn a_guard_removes_its_folder_and_no_folder_of_another_name() {
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path().join("flowgauge-fleet.x");
        fs::create_dir(&path).unwrap();
        drop(Guarded::join(&path).unwrap());
        drop(Guarded::join(temporary.path()).unwrap());
        assert!(!path.exists() && temporary.path().exists());
    }
}
