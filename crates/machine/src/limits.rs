//! The limits that bound how many flows can be created, and how much of each is
//! already used.

use std::fmt;

use measure::Measured;
use serde::{Deserialize, Serialize};

use crate::cgroup::{Cgroups, GroupLimit};
use crate::root::{Root, field};

/// A resource limit that a process may have none of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// At most this.
    At(u64),
    /// No limit.
    Unlimited,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::At(value) => value.fmt(f),
            Bound::Unlimited => f.write_str("unlimited"),
        }
    }
}

/// The limits. Those of a process are the soft ones, of this process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Ids of tasks end below this (`kernel.pid_max`).
    pub pid_max: Measured<u64>,
    /// Tasks on the whole machine (`kernel.threads-max`).
    pub threads_max: Measured<u64>,
    /// Tasks that exist on the whole machine now.
    pub tasks: Measured<u64>,
    /// Mappings in one address space (`vm.max_map_count`).
    pub max_map_count: Measured<u64>,
    /// Mappings that this process has now.
    pub maps: Measured<u64>,
    /// Tasks of one user (`RLIMIT_NPROC`).
    pub nproc: Measured<Bound>,
    /// Tasks that this user has now. Not available where `RLIMIT_NPROC` does not
    /// bind: counting them reads every process.
    pub user_tasks: Measured<u64>,
    /// Open files of this process (`RLIMIT_NOFILE`).
    pub nofile: Measured<Bound>,
    /// Bytes of stack that a thread is given by default (`RLIMIT_STACK`).
    pub stack: Measured<Bound>,
    /// Limits on tasks of the control groups, from that of this process upwards.
    pub pids: Measured<Vec<GroupLimit>>,
}

impl Limits {
    pub(crate) fn read(root: &Root, groups: &Cgroups<'_>, credentials: &Credentials) -> Self {
        let limits = root.text("/proc/self/limits");
        let soft = |name| limits.as_ref().and_then(|text| soft_limit(text, name));
        Self {
            pid_max: root.number("/proc/sys/kernel/pid_max"),
            threads_max: root.number("/proc/sys/kernel/threads-max"),
            tasks: tasks(root),
            max_map_count: root.number("/proc/sys/vm/max_map_count"),
            maps: root
                .text("/proc/self/maps")
                .map(|text| text.lines().count() as u64),
            nproc: soft("Max processes"),
            user_tasks: credentials.tasks(root),
            nofile: soft("Max open files"),
            stack: soft("Max stack size"),
            pids: groups.pids(),
        }
    }
}

/// The 85 of `/proc/loadavg`: `0.02 0.12 0.08 1/85 6928`.
fn tasks(root: &Root) -> Measured<u64> {
    root.text("/proc/loadavg").and_then(|text| {
        let ratio = text
            .split_whitespace()
            .nth(3)
            .and_then(|ratio| ratio.split_once('/'));
        match ratio.and_then(|(_, tasks)| tasks.parse().ok()) {
            Some(tasks) => Measured::Value(tasks),
            None => crate::root::unexpected("/proc/loadavg", &text),
        }
    })
}

/// The first number of a line such as `Max processes   96365   96365   processes`.
fn soft_limit(limits: &str, name: &str) -> Measured<Bound> {
    let line = limits.lines().find_map(|line| line.strip_prefix(name));
    match line.and_then(|line| line.split_whitespace().next()) {
        Some("unlimited") => Measured::Value(Bound::Unlimited),
        Some(soft) if soft.parse::<u64>().is_ok() => {
            Measured::Value(Bound::At(soft.parse().unwrap_or(u64::MAX)))
        }
        _ => Measured::not_available(format!("/proc/self/limits does not tell {name:?}"), ""),
    }
}

/// Who this process runs as, as far as limits ask.
///
/// `RLIMIT_NPROC` does not bind root, nor a process with `CAP_SYS_RESOURCE` or
/// `CAP_SYS_ADMIN`, but only in the first user namespace: the root of a
/// container that has one of its own is an ordinary user to the kernel.
#[derive(Debug)]
pub(crate) struct Credentials {
    user: Option<u32>,
    capabilities: u64,
    first_namespace: bool,
}

impl Credentials {
    const SYS_ADMIN: u64 = 1 << 21;
    const SYS_RESOURCE: u64 = 1 << 24;
    const PERFMON: u64 = 1 << 38;

    pub(crate) fn read(root: &Root) -> Self {
        let status = root
            .text("/proc/self/status")
            .into_value()
            .unwrap_or_default();
        let capabilities = field(&status, ':', "CapEff").unwrap_or_default();
        let namespace = root.text("/proc/self/uid_map").into_value();
        let all_ids = |map: String| map.split_whitespace().eq(["0", "0", "4294967295"]);
        Self {
            user: user_of(&status),
            capabilities: u64::from_str_radix(capabilities, 16).unwrap_or(0),
            // A kernel without user namespaces has no such file.
            first_namespace: namespace.is_none_or(all_ids),
        }
    }

    fn has(&self, capabilities: u64) -> bool {
        self.first_namespace && self.capabilities & capabilities != 0
    }

    /// Whether `kernel.perf_event_paranoid` does not apply.
    pub(crate) fn may_count_events(&self) -> bool {
        self.has(Self::SYS_ADMIN | Self::PERFMON)
    }

    fn exceeds_nproc(&self) -> bool {
        let root = self.first_namespace && self.user == Some(0);
        root || self.has(Self::SYS_ADMIN | Self::SYS_RESOURCE)
    }

    /// The tasks of this user, counted over all processes that can be seen.
    fn tasks(&self, root: &Root) -> Measured<u64> {
        if self.exceeds_nproc() {
            return Measured::not_available("RLIMIT_NPROC does not bind a privileged user", "");
        }
        let Some(user) = self.user else {
            return Measured::not_available("/proc/self/status does not tell the user", "");
        };
        let threads = |pid| {
            let status = root.text(&format!("/proc/{pid}/status")).into_value()?;
            let mine = user_of(&status) == Some(user);
            field(&status, ':', "Threads")?
                .parse::<u64>()
                .ok()
                .filter(|_| mine)
        };
        Measured::Value(
            root.numbered("/proc", "")
                .into_iter()
                .filter_map(threads)
                .sum(),
        )
    }
}

/// The real user id, the first of four.
fn user_of(status: &str) -> Option<u32> {
    field(status, ':', "Uid")?
        .split_whitespace()
        .next()?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests;
