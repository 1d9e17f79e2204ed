//! The limits that bound the number of flows, and what is used of each.

use std::fmt;

use measure::Measured;
use measure::memory::kib;
use serde::{Deserialize, Serialize};

use crate::cgroup::{Cgroups, GroupLimit};
use crate::credentials::{Credentials, threads};
use crate::root::{Root, unexpected};

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
    /// Ids in use below `pid_max`: the visible tasks in a namespace with its own, elsewhere all.
    pub ids: Measured<u64>,
    /// Mappings in one address space (`vm.max_map_count`).
    pub max_map_count: Measured<u64>,
    /// Mappings that this process has now.
    pub maps: Measured<u64>,
    /// Tasks of one user (`RLIMIT_NPROC`).
    pub nproc: Measured<Bound>,
    /// Tasks of this user. Not available where `RLIMIT_NPROC` does not bind: counting is dear.
    pub user_tasks: Measured<u64>,
    /// Open files of this process (`RLIMIT_NOFILE`).
    pub nofile: Measured<Bound>,
    /// How far a process may raise its own limit on open files.
    pub nofile_hard: Measured<Bound>,
    /// Connections that wait at one listening socket (`net.core.somaxconn`).
    pub somaxconn: Measured<u64>,
    /// Bytes of stack that a thread is given by default (`RLIMIT_STACK`).
    pub stack: Measured<Bound>,
    /// Bytes of one address space (`RLIMIT_AS`).
    pub address_space: Measured<Bound>,
    /// Bytes of address space that this process has now.
    pub address_space_used: Measured<u64>,
    /// Limits on tasks of the control groups, from that of this process upwards.
    pub pids: Measured<Vec<GroupLimit>>,
}

impl Limits {
    pub(crate) fn read(root: &Root, groups: &Cgroups<'_>, credentials: &Credentials) -> Self {
        let limits = root.text("/proc/self/limits");
        let limit = |name, place| limits.as_ref().and_then(|text| limit_at(text, name, place));
        let soft = |name| limit(name, 0);
        Self {
            pid_max: root.number("/proc/sys/kernel/pid_max"),
            threads_max: root.number("/proc/sys/kernel/threads-max"),
            tasks: tasks(root),
            ids: ids(root),
            max_map_count: root.number("/proc/sys/vm/max_map_count"),
            maps: root
                .text("/proc/self/maps")
                .map(|text| text.lines().count() as u64),
            nproc: soft("Max processes"),
            user_tasks: credentials.tasks(root),
            nofile: soft("Max open files"),
            nofile_hard: limit("Max open files", 1),
            somaxconn: root.number("/proc/sys/net/core/somaxconn"),
            stack: soft("Max stack size"),
            address_space: soft("Max address space"),
            address_space_used: address_space_used(root),
            pids: groups.pids(),
        }
    }
}

/// The inode of the first namespace of ids, the same on all machines.
const FIRST_NAMESPACE: &str = "pid:[4026531836]";

fn ids(root: &Root) -> Measured<u64> {
    match root.link("/proc/self/ns/pid") {
        Some(own) if own != FIRST_NAMESPACE => Measured::Value(threads(root, |_| true)),
        _ => tasks(root),
    }
}

fn address_space_used(root: &Root) -> Measured<u64> {
    let status = root.text("/proc/self/status");
    status.and_then(|text| {
        let bytes = kib(&text, "VmSize:");
        Measured::of(bytes, "/proc/self/status does not tell VmSize", "")
    })
}

fn tasks(root: &Root) -> Measured<u64> {
    root.text("/proc/loadavg").and_then(|text| {
        let ratio = text.split_whitespace().nth(3);
        let tasks = ratio.and_then(|ratio| ratio.split_once('/')?.1.parse().ok());
        tasks.map_or_else(|| unexpected("/proc/loadavg", &text), Measured::Value)
    })
}

/// `place`: 0 is the soft limit, 1 the hard one.
fn limit_at(limits: &str, name: &str, place: usize) -> Measured<Bound> {
    let line = limits.lines().find_map(|line| line.strip_prefix(name));
    let bound = line.and_then(|line| match line.split_whitespace().nth(place)? {
        "unlimited" => Some(Bound::Unlimited),
        soft => soft.parse().ok().map(Bound::At),
    });
    let lacks = format!("/proc/self/limits does not tell {name:?}");
    Measured::of(bound, lacks, "")
}

#[cfg(test)]
mod tests;
