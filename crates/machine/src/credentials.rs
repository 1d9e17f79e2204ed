//! Who this process runs as, as far as the kernel asks when it limits, in the first user namespace
//! only. `RLIMIT_NPROC` does not bind root, nor a process with `CAP_SYS_RESOURCE` or
//! `CAP_SYS_ADMIN`; `kernel.perf_event_paranoid` not one with `CAP_PERFMON` or `CAP_SYS_ADMIN`.

use measure::Measured;

use crate::root::{Root, field};

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
        let status = root.told("/proc/self/status").unwrap_or_default();
        let capabilities = field(&status, ':', "CapEff").unwrap_or_default();
        let namespace = root.told("/proc/self/uid_map");
        let all_ids = |map: String| map.split_whitespace().eq(["0", "0", "4294967295"]);
        Self {
            user: user_of(&status),
            capabilities: u64::from_str_radix(capabilities, 16).unwrap_or(0),
            // No such file: no user namespaces.
            first_namespace: namespace.is_none_or(all_ids),
        }
    }

    fn has(&self, capabilities: u64) -> bool {
        self.first_namespace && self.capabilities & capabilities != 0
    }

    pub(crate) fn may_count_events(&self) -> bool {
        self.has(Self::SYS_ADMIN | Self::PERFMON)
    }

    fn exceeds_nproc(&self) -> bool {
        let root = self.first_namespace && self.user == Some(0);
        root || self.has(Self::SYS_ADMIN | Self::SYS_RESOURCE)
    }

    pub(crate) fn tasks(&self, root: &Root) -> Measured<u64> {
        if self.exceeds_nproc() {
            return Measured::not_available("RLIMIT_NPROC does not bind a privileged user", "");
        }
        let Some(user) = self.user else {
            return Measured::not_available("/proc/self/status does not tell the user", "");
        };
        Measured::Value(threads(root, |status| user_of(status) == Some(user)))
    }
}

pub(crate) fn threads(root: &Root, is_wanted: impl Fn(&str) -> bool) -> u64 {
    let threads = |pid| {
        let status = root.told(format!("/proc/{pid}/status"));
        let status = status.filter(|status| is_wanted(status))?;
        field(&status, ':', "Threads")?.parse::<u64>().ok()
    };
    let processes = root.numbered("/proc", "").into_iter();
    processes.filter_map(threads).sum()
}

fn user_of(status: &str) -> Option<u32> {
    let all = field(status, ':', "Uid")?;
    all.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    const USER: &str = "Uid:\t1000\t1000\t1000\t1000\nCapEff:\t0000000000000000\nThreads:\t1";
    const ROOT: &str = "Uid:\t0\t0\t0\t0\nCapEff:\t0000000000000000\nThreads:\t1";

    fn credentials(tree: &Fixture) -> Credentials {
        Credentials::read(&tree.root())
    }

    #[test]
    fn tasks_of_the_user_are_those_of_all_its_processes() {
        let tree = Fixture::new()
            .status(USER)
            .file("/proc/7/status", USER)
            .file(
                "/proc/8/status",
                USER.replace("Threads:\t1", "Threads:\t40"),
            )
            .file("/proc/9/status", ROOT);
        assert_eq!(credentials(&tree).tasks(&tree.root()), Measured::Value(41));
    }

    #[test]
    fn nproc_does_not_bind_root() {
        let tree = Fixture::new().status(ROOT);
        assert!(credentials(&tree).exceeds_nproc());
        assert_eq!(credentials(&tree).tasks(&tree.root()).value(), None);
    }

    #[test]
    fn nproc_binds_the_root_of_a_user_namespace() {
        let tree = Fixture::new()
            .status("Uid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\nThreads:\t1")
            .file("/proc/self/uid_map", "         0       1000          1");
        assert!(!credentials(&tree).exceeds_nproc());
        assert!(!credentials(&tree).may_count_events());
    }

    #[test]
    fn capabilities_count_as_root() {
        let with = |bits: u64| {
            let tree = Fixture::new().status(&format!("Uid:\t1000\t1000\nCapEff:\t{bits:016x}"));
            (
                credentials(&tree).exceeds_nproc(),
                credentials(&tree).may_count_events(),
            )
        };
        assert_eq!(with(0), (false, false));
        assert_eq!(with(1 << 24), (true, false), "CAP_SYS_RESOURCE");
        assert_eq!(with(1 << 38), (false, true), "CAP_PERFMON");
        assert_eq!(with(1 << 21), (true, true), "CAP_SYS_ADMIN");
    }
}
