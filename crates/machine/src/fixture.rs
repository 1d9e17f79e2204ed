//! Machines that nobody has at hand, as trees of files in a directory.

use std::fs;
use std::path::Path;

use nix::errno::Errno;
use tempfile::TempDir;

use crate::Machine;
use crate::counters::{Event, EventSource, Sample, Scope};
use crate::root::Root;

pub(crate) struct Fixture(TempDir);

/// A logical CPU: id, core, package, CPUs of its core.
pub(crate) type CpuRow<'a> = (u32, u32, u32, &'a str);

impl Fixture {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn file(self, path: &str, text: impl AsRef<str>) -> Self {
        let path = self.0.path().join(path.trim_start_matches('/'));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{}\n", text.as_ref())).unwrap();
        self
    }

    pub(crate) fn link(self, path: &str, target: &str) -> Self {
        let path = self.0.path().join(path.trim_start_matches('/'));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
        self
    }

    /// The CPUs that are online; all others do not exist.
    pub(crate) fn cpus(self, rows: &[CpuRow<'_>]) -> Self {
        let ids: Vec<_> = rows.iter().map(|row| row.0.to_string()).collect();
        let online = self.file("/sys/devices/system/cpu/online", ids.join(","));
        rows.iter()
            .fold(online, |tree, (id, core, package, siblings)| {
                let topology = format!("/sys/devices/system/cpu/cpu{id}/topology");
                tree.file(&format!("{topology}/core_id"), core.to_string())
                    .file(
                        &format!("{topology}/physical_package_id"),
                        package.to_string(),
                    )
                    .file(&format!("{topology}/core_cpus_list"), siblings)
            })
    }

    pub(crate) fn status(self, lines: &str) -> Self {
        self.file("/proc/self/status", lines)
    }

    pub(crate) fn allowing(self, cpus: &str) -> Self {
        self.status(&format!("Name:\tflowgauge\nCpus_allowed_list:\t{cpus}"))
    }

    /// Control groups: `own` is `/proc/self/cgroup`, `mounts` has the end of
    /// each line of `mountinfo`.
    pub(crate) fn groups(self, own: &str, mounts: &[&str]) -> Self {
        let mounts: Vec<_> = mounts
            .iter()
            .map(|mount| format!("31 23 0:28 {mount}"))
            .collect();
        self.file("/proc/self/cgroup", own)
            .file("/proc/self/mountinfo", mounts.join("\n"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn root(&self) -> Root {
        Root::new(self.path())
    }

    pub(crate) fn machine(&self) -> Machine {
        Machine::read_with(self.path(), &mut Script(|_, _| Ok(RUNS)))
    }
}

pub(crate) const RUNS: Sample = Sample {
    count: 1_000,
    enabled_ns: 100,
    running_ns: 100,
};

pub(crate) struct Script<F>(pub(crate) F);

impl<F: FnMut(Event, Scope) -> Result<Sample, Errno>> EventSource for Script<F> {
    fn count(&mut self, event: Event, scope: Scope) -> Result<Sample, Errno> {
        (self.0)(event, scope)
    }
}

/// A guest with 2 CPUs and no SMT, as clouds rent them out.
pub(crate) fn guest() -> Fixture {
    Fixture::new()
        .cpus(&[(0, 0, 0, "0"), (1, 1, 0, "1")])
        .file("/proc/cpuinfo", CPUINFO)
        .file("/proc/meminfo", MEMINFO)
        .file("/proc/loadavg", "0.02 0.12 0.08 1/85 6928")
        .file("/proc/sys/kernel/pid_max", "32768")
        .file("/proc/sys/kernel/threads-max", "192730")
        .file("/proc/sys/vm/max_map_count", "65530")
        .file("/proc/sys/kernel/perf_event_paranoid", "2")
        .file("/proc/self/maps", "a\n".repeat(24))
        .file("/proc/self/limits", LIMITS)
        .file("/proc/self/uid_map", "         0          0 4294967295")
        .status("Uid:\t0\t0\t0\t0\nCapEff:\t000001fffeffffff\nCpus_allowed_list:\t0-1")
}

const CPUINFO: &str = "\
processor\t: 0
vendor_id\t: GenuineIntel
model name\t: Intel(R) Xeon(R) Processor
cpu MHz\t\t: 2600.000
flags\t\t: fpu vme hypervisor lahf_lm

processor\t: 1
vendor_id\t: GenuineIntel";

const MEMINFO: &str = "\
MemTotal:       24684084 kB
MemFree:        24502372 kB
MemAvailable:   24427892 kB
SwapTotal:             0 kB
SwapFree:              0 kB";

const LIMITS: &str = "\
Limit                     Soft Limit           Hard Limit           Units
Max stack size            8388608              unlimited            bytes
Max processes             96365                96365                processes
Max open files            20000                20000                files
Max address space         unlimited            unlimited            bytes";
