//! Names of named pipes, and the removal of those that dead runs left.

use std::path::Path;

use nix::errno::Errno;
use nix::unistd::Pid;

const FIFO_PREFIX: &str = "flowgauge-";
const FIFO_SUFFIX: &str = ".fifo";

/// The name of the pipe of a run's n-th slot.
pub(super) fn fifo_name(pid: u32, slot: u64) -> String {
    format!("{FIFO_PREFIX}{pid}-{slot}{FIFO_SUFFIX}")
}

/// Removes the named pipes of runs that are no more.
pub(super) fn sweep(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let orphan = name
            .to_str()
            .and_then(pid_of_fifo)
            .is_some_and(|pid| !is_alive(pid));
        if orphan {
            let _raced_is_fine = std::fs::remove_file(entry.path());
        }
    }
}

fn pid_of_fifo(name: &str) -> Option<i32> {
    let middle = name.strip_prefix(FIFO_PREFIX)?.strip_suffix(FIFO_SUFFIX)?;
    middle
        .split_once('-')?
        .0
        .parse()
        .ok()
        .filter(|&pid| pid > 0)
}

fn is_alive(pid: i32) -> bool {
    nix::sys::signal::kill(Pid::from_raw(pid), None) != Err(Errno::ESRCH)
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn only_pipes_of_dead_runs_are_swept() {
        let folder = tempfile::tempdir().unwrap();
        let alive = format!("flowgauge-{}-1.fifo", std::process::id());
        for name in [
            alive.as_str(),
            "flowgauge-2147483646-1.fifo",
            "flowgauge-x-1.fifo",
            "other",
        ] {
            File::create(folder.path().join(name)).unwrap();
        }
        sweep(folder.path());
        assert!(folder.path().join(alive).exists());
        assert!(folder.path().join("flowgauge-x-1.fifo").exists());
        assert!(folder.path().join("other").exists());
        assert!(!folder.path().join("flowgauge-2147483646-1.fifo").exists());
    }
}
