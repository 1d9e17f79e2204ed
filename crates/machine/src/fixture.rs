//! Machines that nobody has at hand, as trees of files in a directory.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::Machine;
use crate::counters::Sample;
use crate::root::Root;

pub(crate) struct Fixture(TempDir);

/// A logical CPU: id, core, package, CPUs of its core.
pub(crate) type CpuRow<'a> = (u32, u32, u32, &'a str);

impl Fixture {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn file(self, path: &str, text: impl AsRef<str>) -> Self {
        fs::write(self.place(path), format!("{}\n", text.as_ref())).unwrap();
        self
    }

    pub(crate) fn link(self, path: &str, target: &str) -> Self {
        std::os::unix::fs::symlink(target, self.place(path)).unwrap();
        self
    }

    fn place(&self, path: &str) -> PathBuf {
        let path = self.path().join(path.trim_start_matches('/'));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }

    /// The CPUs that are online; all others do not exist.
    pub(crate) fn cpus(self, rows: &[CpuRow<'_>]) -> Self {
        let ids: Vec<_> = rows.iter().map(|row| row.0.to_string()).collect();
        let online = self.file("/sys/devices/system/cpu/online", ids.join(","));
        rows.iter()
            .fold(online, |tree, (id, core, package, siblings)| {
                let topology = format!("/sys/devices/system/cpu/cpu{id}/topology");
                let package_id = format!("{topology}/physical_package_id");
                tree.file(&format!("{topology}/core_id"), core.to_string())
                    .file(&package_id, package.to_string())
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
        let mounts = mounts.iter().map(|mount| format!("31 23 0:28 {mount}\n"));
        self.file("/proc/self/cgroup", own)
            .file("/proc/self/mountinfo", mounts.collect::<String>())
    }

    pub(crate) fn cache(self, (cpu, index): (u32, usize), told: [&str; 4]) -> Self {
        let files = ["level", "type", "size", "shared_cpu_list"];
        let cache = format!("/sys/devices/system/cpu/cpu{cpu}/cache/index{index}");
        let all = files.iter().zip(told);
        all.fold(self, |tree, (file, text)| {
            tree.file(&format!("{cache}/{file}"), text)
        })
    }

    /// A limit of a control group, and how much of it is used: `DIR/CONTROLLER`.
    pub(crate) fn limit(self, of: &str, max: impl ToString, current: u64) -> Self {
        self.file(&format!("{of}.max"), max.to_string())
            .file(&format!("{of}.current"), current.to_string())
    }

    pub(crate) fn governor(self, cpu: u32, name: &str) -> Self {
        let file = format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor");
        self.file(&file, name)
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn root(&self) -> Root {
        Root::new(self.path())
    }

    pub(crate) fn machine(&self) -> Machine {
        Machine::read_with(self.path(), &mut |_, _| Ok(RUNS))
    }
}

pub(crate) const RUNS: Sample = Sample {
    count: 1_000,
    enabled_ns: 100,
    running_ns: 100,
};

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
