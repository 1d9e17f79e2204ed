use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Quota;
use crate::cgroup::places::{Version, hierarchy, is_ours, no_controller};
use crate::cgroup::{self, hold_to_the_end, make_locked, members, number};

const PERIOD: u64 = 100_000;
const PROCS: &str = "cgroup.procs";

/// A group with a quota; removed by [`cgroup::sweep`] once its maker has dropped it or ended.
#[derive(Debug)]
pub struct QuotaGroup {
    folder: PathBuf,
    version: Version,
    /// For this process and children that share its descriptors.
    procs: File,
    lock: File,
}

/// What a group was held back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Throttled {
    /// Time in which flows that could run were held back, summed over CPUs, in ns.
    pub ns: u64,
    /// Periods in which somebody wanted to run.
    pub periods: u64,
    /// Those in which the quota was used up.
    pub throttled: u64,
}

impl Throttled {
    /// From an earlier reading to this one.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            ns: self.ns.saturating_sub(before.ns),
            periods: self.periods.saturating_sub(before.periods),
            throttled: self.throttled.saturating_sub(before.throttled),
        }
    }
}

impl QuotaGroup {
    /// Makes a group with that quota. Errors: no `cpu` controller, no right, or another quota.
    pub fn make(quota: Quota) -> io::Result<Self> {
        let (version, parents) = hierarchy()?;
        let mut refused = None;
        for parent in parents {
            match Self::below(&parent, version, quota) {
                Ok(group) => return Ok(group),
                Err(error) => {
                    refused.get_or_insert_with(|| {
                        io::Error::new(error.kind(), format!("{}: {error}", parent.display()))
                    });
                }
            }
        }
        Err(refused.unwrap_or_else(no_controller))
    }

    fn below(parent: &Path, version: Version, quota: Quota) -> io::Result<Self> {
        let (folder, lock) = make_locked(parent)?;
        let set = || {
            // Only the root may have processes and hand a controller down.
            if version == Version::V2 && !folder.join("cpu.max").exists() {
                fs::write(parent.join("cgroup.subtree_control"), "+cpu")?;
            }
            set(&folder, version, quota)?;
            fs::OpenOptions::new().write(true).open(folder.join(PROCS))
        };
        match set() {
            Ok(procs) => Ok(Self {
                folder,
                version,
                procs,
                lock,
            }),
            Err(error) => {
                let _left_for_a_sweep = fs::remove_dir(&folder);
                Err(error)
            }
        }
    }

    /// Moves this process into it; what it makes is in it too. The group is held until this process ends.
    pub fn enter(&self) -> io::Result<()> {
        hold_to_the_end(&self.lock)?;
        fs::write(self.folder.join(PROCS), "0")
    }

    /// A file through which a child enters: it writes `0`.
    #[must_use]
    pub fn way_in(&self) -> BorrowedFd<'_> {
        self.procs.as_fd()
    }

    /// The processes in it.
    #[must_use]
    pub fn members(&self) -> Vec<i32> {
        members(&self.folder)
    }

    /// Threads in it, where it is the only group that has them.
    #[must_use]
    pub fn threads(&self) -> usize {
        match self.version {
            Version::V1 => 0,
            Version::V2 => cgroup::threads(&self.folder),
        }
    }

    /// CPU time of all that was ever in it, in ns, where it is in no other group that counts it.
    #[must_use]
    pub fn cpu_ns(&self) -> Option<[u64; 2]> {
        match self.version {
            Version::V1 => Some([0, 0]),
            Version::V2 => cgroup::cpu_ns(&self.stat().ok()?),
        }
    }

    /// What it was held back so far.
    pub fn throttled(&self) -> io::Result<Throttled> {
        throttled(&self.stat()?).ok_or_else(|| io::Error::other("cpu.stat has no periods"))
    }

    fn stat(&self) -> io::Result<String> {
        fs::read_to_string(self.folder.join("cpu.stat"))
    }
}

fn throttled(text: &str) -> Option<Throttled> {
    let of = |key| number(text, key);
    let ns = of("throttled_time ").or_else(|| Some(1_000 * of("throttled_usec ")?))?;
    Some(Throttled {
        ns,
        periods: of("nr_periods ")?,
        throttled: of("nr_throttled ")?,
    })
}

type Setting = (&'static str, String, String);

fn settings(version: Version, quota: Quota) -> Vec<Setting> {
    let same = |file, value: String| vec![(file, value.clone(), value)];
    match (version, quota) {
        (_, Quota::Whole) => Vec::new(),
        (Version::V1, Quota::Cpus(thousandths)) => [
            same("cpu.cfs_period_us", PERIOD.to_string()),
            same("cpu.cfs_quota_us", in_period(thousandths).to_string()),
        ]
        .concat(),
        (Version::V2, Quota::Cpus(thousandths)) => {
            same("cpu.max", format!("{} {PERIOD}", in_period(thousandths)))
        }
        // 1024 is what version 2 calls 100.
        (Version::V1, Quota::Weight(weight)) => {
            let shares = (u64::from(weight) * 1_024 / 100).max(2);
            same("cpu.shares", shares.to_string())
        }
        (Version::V2, Quota::Weight(weight)) => same("cpu.weight", weight.to_string()),
    }
}

fn in_period(thousandths: u32) -> u64 {
    u64::from(thousandths) * PERIOD / 1_000
}

fn set(folder: &Path, version: Version, quota: Quota) -> io::Result<()> {
    for (file, value, expected) in settings(version, quota) {
        let path = folder.join(file);
        fs::write(&path, &value)
            .map_err(|error| io::Error::new(error.kind(), format!("{file} = {value}: {error}")))?;
        let found = fs::read_to_string(&path)?;
        if found.trim() != expected {
            return Err(io::Error::other(format!(
                "{file} was set to {value}, and the kernel says {}",
                found.trim()
            )));
        }
    }
    Ok(())
}

/// This process leaves a group of a quota, as a load generator does: its own time is not limited.
pub fn leave() -> io::Result<()> {
    let Ok((_, parents)) = hierarchy() else {
        return Ok(());
    };
    let own = parents.first().filter(|own| is_ours(own));
    match own.and_then(|own| own.parent()) {
        Some(above) => fs::write(above.join(PROCS), "0"),
        None => Ok(()),
    }
}

impl Quota {
    /// Checks that it can be had: makes and removes a group with it. An error says what would help.
    pub fn check(self) -> Result<(), String> {
        let made = QuotaGroup::make(self).map(drop);
        cgroup::sweep();
        made.map_err(|error| {
            format!(
                "a CPU quota needs a control group with the cpu controller: {error}; run as root, or in a \
                 session that may use it: systemd-run --user --scope -p Delegate=yes flowgauge ..., or \
                 leave the quota out"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use nix::sys::signal::{Signal, kill};
    use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
    use nix::unistd::{ForkResult, fork};

    use super::*;

    #[test]
    fn each_version_has_files_of_its_own() {
        let written = |version, quota| {
            let all = settings(version, quota).into_iter();
            all.map(|(file, value, _)| format!("{file}={value}"))
                .collect::<Vec<_>>()
        };
        let half = Quota::Cpus(500);
        assert_eq!(written(Version::V2, half), ["cpu.max=50000 100000"]);
        let v1 = ["cpu.cfs_period_us=100000", "cpu.cfs_quota_us=50000"];
        assert_eq!(written(Version::V1, half), v1);
        assert_eq!(written(Version::V2, Quota::Weight(50)), ["cpu.weight=50"]);
        let usual = written(Version::V1, Quota::Weight(100));
        assert_eq!(usual, ["cpu.shares=1024"]);
        assert!(written(Version::V2, Quota::Whole).is_empty());
    }

    #[test]
    fn time_held_back_is_read_in_both_units_or_not_at_all() {
        let expected = Throttled {
            ns: 7_000,
            periods: 3,
            throttled: 2,
        };
        let v1 = "nr_periods 3\nnr_throttled 2\nthrottled_time 7000\n";
        let v2 = "usage_usec 9\nnr_periods 3\nnr_throttled 2\nthrottled_usec 7\n";
        assert_eq!(throttled(v1), Some(expected));
        assert_eq!(throttled(v2), Some(expected));
        assert_eq!(throttled("usage_usec 9\n"), None);
    }

    #[test]
    fn a_group_has_its_quota_and_goes_with_its_maker() {
        let group = match QuotaGroup::make(Quota::Cpus(500)) {
            Ok(group) => group,
            Err(error) => return skipped::skipped(error.to_string()),
        };
        let folder = group.folder.clone();
        assert!(folder.exists() && is_ours(&folder));
        assert!(group.members().is_empty() && group.throttled().is_ok());
        cgroup::sweep();
        assert!(folder.exists(), "its maker is alive");
        drop(group);
        // A process that another test starts just then holds the lock too, until it begins its program.
        assert!((0..12_000).any(|_| {
            cgroup::sweep();
            std::thread::sleep(std::time::Duration::from_millis(5));
            !folder.exists()
        }));
    }
    /// A slot let go of its group before it had answered, and the sweep of another run killed it.
    #[test]
    fn who_has_entered_a_group_holds_it_to_its_end() {
        let (mut reader, mut writer) = io::pipe().unwrap();
        // SAFETY: libc's allocator can be used after a fork, and nothing else of other threads is.
        let child = match unsafe { fork() }.unwrap() {
            ForkResult::Parent { child } => child,
            ForkResult::Child => {
                drop(reader);
                let entered = QuotaGroup::make(Quota::Cpus(500)).and_then(|group| group.enter());
                let _a_pipe_takes_a_byte = writer.write_all(&[u8::from(entered.is_ok())]);
                loop {
                    nix::unistd::pause();
                }
            }
        };
        let mut entered = [0];
        reader.read_exact(&mut entered).unwrap();
        cgroup::sweep();
        let state = waitpid(child, Some(WaitPidFlag::WNOHANG)).unwrap();
        kill(child, Signal::SIGKILL).unwrap();
        match entered {
            [0] => skipped::skipped("no group of a quota can be made and entered here"),
            _ => assert_eq!(state, WaitStatus::StillAlive),
        }
        if state == WaitStatus::StillAlive {
            waitpid(child, None).unwrap();
        }
        cgroup::sweep();
    }
}
