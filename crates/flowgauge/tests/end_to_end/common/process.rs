//! Processes as /proc shows them.

use std::fs;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// A process that is not a zombie.
#[derive(Debug, Clone)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    parent: i32,
    /// Its first argument.
    role: String,
}

impl Process {
    /// Every process whose environment holds `setting`.
    pub(crate) fn all_with(setting: &str) -> Vec<Self> {
        let entries = fs::read_dir("/proc").unwrap().flatten();
        entries
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .filter_map(|pid| Self::read(pid, setting))
            .collect()
    }

    fn read(pid: i32, setting: &str) -> Option<Self> {
        let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
        environment
            .split(|&byte| byte == 0)
            .find(|&entry| entry == setting.as_bytes())?;
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        let words = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        let first = words.split(|&byte| byte == 0).nth(1).unwrap_or_default();
        (state != "Z").then(|| Self {
            pid,
            parent,
            role: String::from_utf8_lossy(first).into_owned(),
        })
    }

    /// The slot process among `processes`: the one that was not forked by another of its kind.
    pub(crate) fn slot_process(processes: &[Self]) -> Option<&Self> {
        let slots = || processes.iter().filter(|p| p.is("__cell"));
        slots().find(|p| slots().all(|q| q.pid != p.parent))
    }

    /// A forked flow of the slot process among `processes`.
    pub(crate) fn worker(processes: &[Self]) -> Option<&Self> {
        let slot_process = Self::slot_process(processes)?;
        let mut all = processes.iter();
        all.find(|p| p.is("__cell") && p.parent == slot_process.pid)
    }

    /// The sampler among `processes`.
    pub(crate) fn sampler(processes: &[Self]) -> Option<&Self> {
        processes.iter().find(|p| p.is("__sampler"))
    }

    /// Whether it was started as a slot process (`__cell`), the load generator of a server (`__load`), or the janitor
    /// of a run (`__janitor`), which sleeps until its main process ends.
    pub(crate) fn is(&self, role: &str) -> bool {
        self.role == role
    }

    pub(crate) fn send(&self, signal: Signal) {
        let _gone_is_fine = kill(Pid::from_raw(self.pid), signal);
    }
}
