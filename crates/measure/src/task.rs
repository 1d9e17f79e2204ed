//! What the kernel tells of one thread in files: migrations, and bytes read and written.
//!
//! | count | source | needs |
//! |---|---|---|
//! | migrations between CPUs | `se.nr_migrations` of `/proc/PID/task/TID/sched` | `CONFIG_SCHED_DEBUG` |
//! | bytes that system calls read and wrote | `rchar`, `wchar` of `/proc/PID/task/TID/io` | `CONFIG_TASK_XACCT`, and to be allowed to trace the thread |
//! | bytes of storage on its behalf | `read_bytes`, `write_bytes` of the same | `CONFIG_TASK_IO_ACCOUNTING` |
//!
//! A performance counter of migrations makes each switch and each new flow dearer and is forbidden in many containers.
//! So the parent reads these files while the flows wait, in some 25 us a thread. `write_bytes` counts when a page of a
//! file becomes dirty, not when it is on the disk, and `read_bytes` leaves out what the page cache held.

use std::io::{self, ErrorKind};

use nix::errno::Errno;
use serde::{Deserialize, Serialize};

use crate::Measured;
use crate::text_files::TextFiles;

/// A thread, by the ids of its process and its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task {
    /// Process id.
    pub pid: i32,
    /// Thread id.
    pub tid: i32,
}

/// Bytes that one thread moved.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Io {
    /// Taken in by system calls, from files, pipes and sockets alike.
    pub read: u64,
    /// Given out by system calls.
    pub written: u64,
    /// Fetched from storage.
    pub storage_read: u64,
    /// Sent to storage, or to be sent later.
    pub storage_written: u64,
}

impl Io {
    /// What was moved between `earlier` and `self`.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        self.with(earlier, u64::saturating_sub)
    }

    fn with(self, other: Self, of: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            read: of(self.read, other.read),
            written: of(self.written, other.written),
            storage_read: of(self.storage_read, other.storage_read),
            storage_written: of(self.storage_written, other.storage_written),
        }
    }
}

impl std::ops::Add for Io {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.with(other, |one, other| one + other)
    }
}

impl std::iter::Sum for Io {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), std::ops::Add::add)
    }
}

/// Reads the files of threads, again and again into one buffer.
#[derive(Debug)]
pub struct Reader(TextFiles);

impl Default for Reader {
    fn default() -> Self {
        Self(TextFiles::below("/proc"))
    }
}

impl Reader {
    /// How often the thread was moved to another CPU since it began.
    pub fn migrations(&mut self, task: Task) -> Measured<u64> {
        self.read(task, "sched", "a kernel with CONFIG_SCHED_DEBUG", |text| {
            number(text, "se.nr_migrations")
        })
    }

    /// What the thread moved since it began.
    pub fn io(&mut self, task: Task) -> Measured<Io> {
        let remedy = "a kernel with CONFIG_TASK_IO_ACCOUNTING";
        self.read(task, "io", remedy, |text| {
            Some(Io {
                read: number(text, "rchar")?,
                written: number(text, "wchar")?,
                storage_read: number(text, "read_bytes")?,
                storage_written: number(text, "write_bytes")?,
            })
        })
    }

    /// As [`Reader::io`] of the calling thread, including the bytes of this reading itself.
    pub fn own_io(&mut self, task: Task) -> Measured<Io> {
        let before = self.io(task);
        let taken = self.0.text.len() as u64;
        before.map(|io| Io {
            read: io.read + taken,
            ..io
        })
    }

    fn read<T>(
        &mut self,
        task: Task,
        file: &str,
        remedy: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Measured<T> {
        let Task { pid, tid } = task;
        let read = self.0.read(format_args!("{pid}/task/{tid}/{file}"));
        let path = &self.0.path;
        match read {
            Ok(()) => parse(&self.0.text).map_or_else(
                || Measured::not_available(format!("{path} does not tell it"), remedy),
                Measured::Value,
            ),
            Err(error) => self.explain(task, &error, remedy),
        }
    }

    fn explain<T>(&self, task: Task, error: &io::Error, remedy: &str) -> Measured<T> {
        let Task { pid, tid } = task;
        let folder = self.0.root.join(format!("{pid}/task/{tid}"));
        let ended = error.raw_os_error() == Some(Errno::ESRCH as i32) || !folder.exists();
        let path = &self.0.path;
        let (reason, remedy) = match error.kind() {
            _ if ended => (format!("thread {tid} had ended before it was read"), ""),
            ErrorKind::NotFound => {
                let file = path.rsplit('/').next().unwrap_or_default();
                let reason = format!("this kernel has no /proc/PID/task/TID/{file}");
                (reason, remedy)
            }
            ErrorKind::PermissionDenied => (
                format!("reading {path} is forbidden"),
                "run as the user that owns the processes, or as root",
            ),
            _ => (format!("{path}: {error}"), ""),
        };
        Measured::not_available(reason, remedy)
    }
}

/// With or without spaces before the colon.
fn number(text: &str, key: &str) -> Option<u64> {
    let mut after = text.lines().filter_map(|line| line.strip_prefix(key));
    let value = after.find_map(|rest| rest.trim_start().strip_prefix(':'))?;
    value.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::{Seek, Write};

    fn me() -> Task {
        Task {
            pid: nix::unistd::getpid().as_raw(),
            tid: nix::unistd::gettid().as_raw(),
        }
    }

    const SCHED: &str = "cat (7, #threads: 1)\n-----\n\
        se.sum_exec_runtime                          :             0.000000\n\
        se.nr_migrations                             :                   12\n\
        nr_switches                                  :                    3\n";
    const IO: &str = "rchar: 6976\nwchar: 5\nsyscr: 10\nsyscw: 0\nread_bytes: 4096\n\
        write_bytes: 8192\ncancelled_write_bytes: 0\n";

    /// A reader of files with that text, of thread 8 of process 7.
    fn told(sched: Option<&str>, io: Option<&str>) -> (tempfile::TempDir, Reader) {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("7/task/8");
        fs::create_dir_all(&folder).unwrap();
        for (name, text) in [("sched", sched), ("io", io)] {
            if let Some(text) = text {
                fs::write(folder.join(name), text).unwrap();
            }
        }
        let reader = Reader(TextFiles::below(root.path()));
        (root, reader)
    }

    const OTHER: Task = Task { pid: 7, tid: 8 };

    #[test]
    fn what_the_files_tell_is_read() {
        let (_root, mut reader) = told(Some(SCHED), Some(IO));
        assert_eq!(reader.migrations(OTHER), Measured::Value(12));
        let io = Io {
            read: 6976,
            written: 5,
            storage_read: 4096,
            storage_written: 8192,
        };
        assert_eq!(reader.io(OTHER), Measured::Value(io));
    }

    fn reason<T>(measured: Measured<T>) -> String {
        match measured {
            Measured::NotAvailable { reason, remedy } => format!("{reason} ({remedy})"),
            Measured::Value(_) => "a value".to_owned(),
        }
    }

    #[test]
    fn what_is_not_told_is_not_zero() {
        let (_root, mut reader) = told(None, Some("rchar: 1\nwchar: 2\n"));
        let said = reason(reader.migrations(OTHER));
        assert!(said.contains("no /proc/PID/task/TID/sched"), "{said}");
        assert!(said.contains("CONFIG_SCHED_DEBUG"), "{said}");
        assert!(reason(reader.io(OTHER)).contains("does not tell it"));
        let gone = Task { pid: 7, tid: 9 };
        assert!(reason(reader.io(gone)).contains("thread 9 had ended"));
    }

    #[test]
    fn a_reading_of_oneself_knows_its_own_bytes() {
        let mut reader = Reader::default();
        let Measured::Value(before) = reader.own_io(me()) else {
            return;
        };
        let Measured::Value(after) = reader.io(me()) else {
            panic!("told a moment ago")
        };
        assert_eq!(after.since(before), Io::default());
    }

    #[test]
    fn bytes_through_a_file_are_counted() {
        let mut reader = Reader::default();
        let mut file = tempfile::tempfile().unwrap();
        let Measured::Value(before) = reader.own_io(me()) else {
            return;
        };
        file.write_all(&[1; 5000]).unwrap();
        file.rewind().unwrap();
        let mut bytes = [0; 3000];
        io::Read::read_exact(&mut file, &mut bytes).unwrap();
        let after = reader.io(me()).into_value().unwrap().since(before);
        assert_eq!((after.written, after.read), (5000, 3000));
    }

    #[test]
    fn a_move_to_another_cpu_is_a_migration() {
        use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
        use nix::unistd::Pid;
        let own = Pid::from_raw(0);
        let allowed = sched_getaffinity(own).unwrap();
        let cpus = (0..CpuSet::count()).filter(|&cpu| allowed.is_set(cpu).unwrap_or(false));
        let [first, second] = cpus.take(2).collect::<Vec<_>>()[..] else {
            return;
        };
        let only = |cpu| {
            let mut set = CpuSet::new();
            set.set(cpu).unwrap();
            sched_setaffinity(own, &set).unwrap();
        };
        only(first);
        let mut reader = Reader::default();
        let Measured::Value(before) = reader.migrations(me()) else {
            return;
        };
        only(second);
        let after = reader.migrations(me()).into_value().unwrap();
        assert_eq!(after - before, 1);
    }
}
