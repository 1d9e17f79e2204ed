//! Control groups: quotas and limits set above this process. A limit in any group up to the root
//! binds, so all are read. One machine may run both versions, so it is found for each controller:
//! 1. `/proc/self/cgroup` has a line `N:CONTROLLERS:PATH` that names the controller: version 1.
//!    Otherwise the line `0::PATH`: version 2.
//! 2. `/proc/self/mountinfo` tells where that hierarchy is mounted, and for which of its groups the
//!    mount point stands: in a container often far below the root.

use measure::Measured;
use serde::{Deserialize, Serialize};

use crate::root::Root;

/// The CPU time that a group may use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CpuQuota {
    /// CPUs' worth of time: 1.5 is 150 ms in every 100 ms.
    pub cpus: f64,
    /// Directory of the group that sets it.
    pub group: String,
}

/// A limit of a group, and how much of it is used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupLimit {
    /// File that sets it.
    pub file: String,
    /// The limit: tasks, or bytes.
    pub max: u64,
    /// Use of the group and those below. Of memory, without inactive pages of files.
    pub current: u64,
}

impl GroupLimit {
    /// How much more the group may take.
    pub fn room(&self) -> u64 {
        self.max.saturating_sub(self.current)
    }
}

#[derive(Debug)]
pub(crate) struct Cgroups<'r> {
    root: &'r Root,
    files: Measured<(String, String)>,
}

struct Hierarchy {
    version: Version,
    groups: Vec<String>,
}

#[derive(Clone, Copy, PartialEq)]
enum Version {
    V1,
    V2,
}

impl<'r> Cgroups<'r> {
    pub(crate) fn read(root: &'r Root) -> Self {
        let files = root.text("/proc/self/cgroup").and_then(|own| {
            root.text("/proc/self/mountinfo")
                .map(|mounts| (own, mounts))
        });
        Self { root, files }
    }

    pub(crate) fn cpu_quota(&self) -> Measured<Option<CpuQuota>> {
        self.hierarchy("cpu").map(|hierarchy| {
            let quota = |group: &String| {
                let cpus = self.quota_of(hierarchy.version, group)?;
                Some(CpuQuota {
                    cpus,
                    group: group.clone(),
                })
            };
            let quotas = hierarchy.groups.iter().filter_map(quota);
            quotas.min_by(|a, b| a.cpus.total_cmp(&b.cpus))
        })
    }

    fn quota_of(&self, version: Version, group: &str) -> Option<f64> {
        let text = |file| self.root.told(format!("{group}/{file}"));
        let (quota, period) = match version {
            Version::V1 => (text("cpu.cfs_quota_us")?, text("cpu.cfs_period_us")?),
            Version::V2 => {
                let max = text("cpu.max")?;
                let (quota, period) = max.split_once(' ')?;
                (quota.to_owned(), period.to_owned())
            }
        };
        // No quota is -1 (version 1) or `max` (version 2): neither parses.
        Some(quota.parse::<u64>().ok()? as f64 / period.parse::<u64>().ok()? as f64)
    }

    pub(crate) fn pids(&self) -> Measured<Vec<GroupLimit>> {
        self.limits("pids", |_, group| {
            self.limit(group, "pids.max", "pids.current")
        })
    }

    pub(crate) fn memory(&self) -> Measured<Vec<GroupLimit>> {
        self.limits("memory", |version, group| {
            let (max, current, idle) = match version {
                Version::V1 => (
                    "memory.limit_in_bytes",
                    "memory.usage_in_bytes",
                    "total_inactive_file ",
                ),
                Version::V2 => ("memory.max", "memory.current", "inactive_file "),
            };
            let limit = self.limit(group, max, current)?;
            let stat = self.root.told(format!("{group}/memory.stat"));
            let stat = stat.unwrap_or_default();
            let mut lines = stat.lines();
            let idle = lines.find_map(|line| line.strip_prefix(idle)?.parse().ok());
            Some(GroupLimit {
                current: limit.current.saturating_sub(idle.unwrap_or(0)),
                ..limit
            })
        })
    }

    fn limits(
        &self,
        controller: &str,
        limit: impl Fn(Version, &str) -> Option<GroupLimit>,
    ) -> Measured<Vec<GroupLimit>> {
        let hierarchy = self.hierarchy(controller);
        hierarchy.map(|Hierarchy { version, groups }| {
            let limits = groups.iter().filter_map(|group| limit(version, group));
            limits.collect()
        })
    }

    /// No limit is `max`, or in version 1 a number of pages that no machine has.
    fn limit(&self, group: &str, max: &str, current: &str) -> Option<GroupLimit> {
        const NO_LIMIT: u64 = 1 << 62;
        let file = format!("{group}/{max}");
        Some(GroupLimit {
            max: self.root.count(&file).filter(|max| *max < NO_LIMIT)?,
            current: self.root.count(format!("{group}/{current}"))?,
            file,
        })
    }

    fn hierarchy(&self, controller: &str) -> Measured<Hierarchy> {
        self.files.as_ref().and_then(|(own, mounts)| {
            let Some((version, path)) = membership(own, controller) else {
                return Measured::not_available("this kernel has no control groups", "");
            };
            let mut lines = mounts.lines();
            let mount = lines.find_map(|line| mount(line, version, controller));
            Measured::of(
                mount.map(|mount| Hierarchy {
                    version,
                    groups: mount.groups(path),
                }),
                format!("the control groups of {controller} are not mounted here"),
                "mount /sys/fs/cgroup into the container",
            )
        })
    }
}

fn membership<'t>(own: &'t str, controller: &str) -> Option<(Version, &'t str)> {
    let lines = || {
        own.lines()
            .filter_map(|line| line.split_once(':')?.1.split_once(':'))
    };
    let v1 = lines().find(|(names, _)| names.split(',').any(|name| name == controller));
    let v2 = || lines().find(|(names, _)| names.is_empty());
    v1.map(|(_, path)| (Version::V1, path))
        .or_else(|| v2().map(|(_, path)| (Version::V2, path)))
}

struct Mount<'t> {
    point: &'t str,
    group: &'t str,
}

/// A line of `mountinfo`: `31 23 0:28 GROUP POINT rw shared:9 - cgroup cgroup rw,cpu,cpuacct`.
fn mount<'t>(line: &'t str, version: Version, controller: &str) -> Option<Mount<'t>> {
    let (mount, filesystem) = line.split_once(" - ")?;
    let mut filesystem = filesystem.split(' ');
    let (kind, options) = (filesystem.next()?, filesystem.nth(1)?);
    let fits = match version {
        Version::V1 => kind == "cgroup" && options.split(',').any(|name| name == controller),
        Version::V2 => kind == "cgroup2",
    };
    let mut mount = mount.split(' ').skip(3);
    fits.then_some(Mount {
        group: mount.next()?,
        point: mount.next()?,
    })
}

impl Mount<'_> {
    fn groups(&self, path: &str) -> Vec<String> {
        // A group outside the mount shows no files: the mount point is the nearest readable one.
        let below = path
            .strip_prefix(self.group.trim_end_matches('/'))
            .unwrap_or("");
        let mut groups = vec![self.point.to_owned()];
        for name in below.split('/').filter(|name| !name.is_empty()) {
            groups.push(format!("{}/{name}", groups[groups.len() - 1]));
        }
        groups.reverse();
        groups
    }
}

#[cfg(test)]
mod tests;
