//! Names of code that a program made at run time: `/tmp/perf-PID.map`, a line for each function with its address, its
//! size and its name (the kernel's `tools/perf/Documentation/jit-interface.txt`).

use std::fs::{File, Metadata, read_dir, remove_file, symlink_metadata};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

const MOST: u64 = 64 << 20;

#[derive(Debug)]
pub(super) struct PerfMap {
    bytes: u64,
    functions: Vec<(u64, u64, String)>,
}

impl PerfMap {
    pub(super) fn of(pid: i32, since: Option<SystemTime>) -> Option<Self> {
        let path = path(pid);
        let bytes = written(&path, since)?;
        let file = File::open(path).ok()?;
        Some(Self {
            bytes,
            ..Self::read(BufReader::new(file.take(MOST)))
        })
    }

    pub(super) fn has_grown(&self, pid: i32) -> bool {
        written(&path(pid), None).is_some_and(|bytes| bytes > self.bytes)
    }

    fn read(text: impl BufRead) -> Self {
        let lines = text.lines().map_while(Result::ok);
        let mut functions: Vec<(u64, u64, String)> =
            lines.filter_map(|line| function(&line)).collect();
        functions.sort_by_key(|(from, ..)| *from);
        Self {
            bytes: 0,
            functions,
        }
    }

    pub(super) fn name(&self, address: u64) -> Option<&str> {
        let at = self
            .functions
            .partition_point(|(from, ..)| *from <= address);
        let (from, size, name) = self.functions.get(at.checked_sub(1)?)?;
        (address - from < *size).then_some(name)
    }
}

fn path(pid: i32) -> PathBuf {
    format!("/tmp/perf-{pid}.map").into()
}

/// Bytes that were written since then, to what is no link to somewhere else.
fn written(path: &Path, since: Option<SystemTime>) -> Option<u64> {
    let about = symlink_metadata(path).ok().filter(Metadata::is_file)?;
    let is_new = since.is_none_or(|since| about.modified().is_ok_and(|at| at >= since));
    is_new.then_some(about.len())
}

/// Removes what a process wrote since then: its map, and the log that Node writes into its folder with it.
pub(super) fn remove(pid: i32, since: SystemTime, folder: &Path) {
    let end = format!("-{pid}-v8.log");
    let is_log = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("isolate") && name.ends_with(&end)
    };
    let beside = read_dir(folder).into_iter().flatten().flatten();
    let logs = beside.map(|entry| entry.path()).filter(is_log);
    for path in logs.chain([path(pid)]) {
        if written(&path, Some(since)).is_some() {
            let _gone_is_fine = remove_file(path);
        }
    }
}

fn function(line: &str) -> Option<(u64, u64, String)> {
    let mut words = line.splitn(3, ' ');
    let mut hex = || {
        let word = words.next()?;
        u64::from_str_radix(word.trim_start_matches("0x"), 16).ok()
    };
    let (from, size) = (hex()?, hex()?);
    Some((from, size, words.next()?.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process of the same number had left one.
    #[test]
    fn an_old_map_is_not_read_and_not_removed() {
        // Above what any machine has.
        let pid = (1 << 22) + 5;
        std::fs::write(path(pid), "1000 10 f\n").expect("it is written");
        let now = SystemTime::now();
        let later = now + std::time::Duration::from_secs(60);
        let earlier = now - std::time::Duration::from_secs(60);
        assert!(PerfMap::of(pid, Some(later)).is_none());
        let folder = tempfile::tempdir().unwrap();
        let logs =
            [pid, pid + 1].map(|pid| folder.path().join(format!("isolate-0x2-{pid}-v8.log")));
        for log in &logs {
            std::fs::write(log, "").expect("it is written");
        }
        remove(pid, later, folder.path());
        assert!(logs[0].exists());
        let map = PerfMap::of(pid, Some(earlier)).expect("it is there still");
        assert_eq!(map.name(0x1005), Some("f"));
        remove(pid, earlier, folder.path());
        assert!(!logs[0].exists() && logs[1].exists());
        assert!(PerfMap::of(pid, None).is_none());
    }

    #[test]
    fn an_address_has_the_name_of_its_line() {
        let text = "3000 20 py::slow:/a b.py\n1000 10 f\nbroken\n";
        let map = PerfMap::read(text.as_bytes());
        assert_eq!(map.name(0x3010), Some("py::slow:/a b.py"));
        assert_eq!(map.name(0x100f), Some("f"));
        assert_eq!(map.name(0x1010), None);
        assert_eq!(map.name(0x10), None);
    }
}
