//! Processes as /proc shows them.

use std::fs;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// A process that is not a zombie.
#[derive(Debug, Clone)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    parent: i32,
    is_slot_process: bool,
    is_sampler: bool,
    is_load: bool,
    is_janitor: bool,
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
        let first = words.split(|&byte| byte == 0).nth(1);
        let is = |argument: &[u8]| first == Some(argument);
        (state != "Z").then_some(Self {
            pid,
            parent,
            is_slot_process: is(b"__cell"),
            is_sampler: is(b"__sampler"),
            is_load: is(b"__load"),
            is_janitor: is(b"__janitor"),
        })
    }

    /// The slot process among `processes`: the one that was not forked by another of its kind.
    pub(crate) fn slot_process(processes: &[Self]) -> Option<&Self> {
        let parent_is_cell = |p: &Self| {
            processes
                .iter()
                .any(|q| q.is_slot_process && q.pid == p.parent)
        };
        processes
            .iter()
            .find(|p| p.is_slot_process && !parent_is_cell(p))
    }

    /// A forked flow of the slot process among `processes`.
    pub(crate) fn worker(processes: &[Self]) -> Option<&Self> {
        let slot_process = Self::slot_process(processes)?;
        processes
            .iter()
            .find(|p| p.is_slot_process && p.parent == slot_process.pid)
    }

    /// The sampler among `processes`.
    pub(crate) fn sampler(processes: &[Self]) -> Option<&Self> {
        processes.iter().find(|p| p.is_sampler)
    }

    /// Whether it was started as a slot process.
    pub(crate) fn is_slot(&self) -> bool {
        self.is_slot_process
    }

    /// Whether it is the janitor of a run, which sleeps until its main process ends.
    pub(crate) fn is_janitor(&self) -> bool {
        self.is_janitor
    }

    /// Whether it is the load generator of a server.
    pub(crate) fn is_load(&self) -> bool {
        self.is_load
    }

    pub(crate) fn send(&self, signal: Signal) {
        let _gone_is_fine = kill(Pid::from_raw(self.pid), signal);
    }
}
