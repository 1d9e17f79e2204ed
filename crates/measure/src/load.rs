//! How busy the machine is: CPU time of all processes against this one's and its children's, waits
//! for a CPU, what a host and a quota take. Sources: `/proc/stat` and `/proc/self/stat` (ticks),
//! `/proc/pressure/cpu` (some task waited), `cpu.stat` of the own control group.

use std::fs;

use serde::{Deserialize, Serialize};

use crate::clock::now_ns;

/// What was counted between two moments, or since the machine was booted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Load {
    /// Time that passed, in ns.
    pub elapsed_ns: u64,
    /// CPUs of the machine.
    pub cpus: u64,
    /// Ticks of all CPUs together.
    pub ticks: u64,
    /// Of these, ticks in which a CPU worked for any process.
    pub busy: u64,
    /// Of these, ticks that the host of a virtual machine gave to others.
    pub stolen: u64,
    /// Ticks of this process and of the children that it waited for.
    pub own: u64,
    /// Time in which some task waited for a CPU, in µs; `None` where the kernel does not tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_us: Option<u64>,
    /// Time in which a quota held the own control group up, in µs; `None` where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttled_us: Option<u64>,
}

impl Load {
    /// Since the machine was booted; `None` where `/proc` does not tell it.
    #[must_use]
    pub fn now() -> Option<Self> {
        let stat = fs::read_to_string("/proc/stat").ok()?;
        let own = fs::read_to_string("/proc/self/stat").ok()?;
        let pressure = fs::read_to_string("/proc/pressure/cpu").ok();
        let mut load = Self::read(&stat, &own)?;
        load.elapsed_ns = now_ns();
        load.waiting_us = pressure.as_deref().and_then(waiting_us);
        load.throttled_us = throttled_us();
        Some(load)
    }

    fn read(stat: &str, own: &str) -> Option<Self> {
        let mut lines = stat.lines();
        let all = lines.next()?.strip_prefix("cpu ")?;
        // user nice system idle iowait irq softirq steal; guests are in user and nice.
        let all = all.split_whitespace().take(8);
        let all: Vec<u64> = all.flat_map(str::parse).collect();
        let [user, nice, system, idle, iowait, irq, softirq, stolen] = *all.as_slice() else {
            return None;
        };
        let busy = user + nice + system + irq + softirq;
        let fields: Vec<&str> = own.rsplit_once(')')?.1.split_whitespace().collect();
        let own = fields.get(11..15)?.iter();
        let own = own.map(|ticks| ticks.parse::<u64>().ok());
        Some(Self {
            elapsed_ns: 0,
            cpus: lines.take_while(|line| line.starts_with("cpu")).count() as u64,
            ticks: busy + idle + iowait + stolen,
            busy,
            stolen,
            own: own.sum::<Option<u64>>()?,
            waiting_us: None,
            throttled_us: None,
        })
    }

    /// What was counted since an earlier moment.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        self.with(earlier, u64::saturating_sub)
    }

    /// What was counted in both parts of a run.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        other.with(self, |one, other| one + other)
    }

    /// Each count with that of another; the CPUs are its own.
    fn with(&self, other: &Self, of: impl Fn(u64, u64) -> u64) -> Self {
        let both = |own: Option<u64>, other: Option<u64>| Some(of(own?, other?));
        Self {
            elapsed_ns: of(self.elapsed_ns, other.elapsed_ns),
            cpus: self.cpus,
            ticks: of(self.ticks, other.ticks),
            busy: of(self.busy, other.busy),
            stolen: of(self.stolen, other.stolen),
            own: of(self.own, other.own),
            waiting_us: both(self.waiting_us, other.waiting_us),
            throttled_us: both(self.throttled_us, other.throttled_us),
        }
    }

    /// The share of all CPUs that other processes had.
    #[must_use]
    pub fn others(&self) -> f64 {
        share(self.busy.saturating_sub(self.own), self.ticks)
    }

    /// The share of all CPUs that the host of a virtual machine gave to others.
    #[must_use]
    pub fn host(&self) -> f64 {
        share(self.stolen, self.ticks)
    }

    /// The share of the time in which some task waited for a CPU.
    #[must_use]
    pub fn waiting(&self) -> Option<f64> {
        Some(share(1_000 * self.waiting_us?, self.elapsed_ns))
    }

    /// The share of the time in which a quota held the own control group up.
    #[must_use]
    pub fn throttled(&self) -> Option<f64> {
        Some(share(1_000 * self.throttled_us?, self.elapsed_ns))
    }
}

fn share(part: u64, of: u64) -> f64 {
    match of {
        0 => 0.0,
        of => part as f64 / of as f64,
    }
}

/// `some avg10=0.00 avg60=0.00 avg300=0.00 total=1234`.
fn waiting_us(text: &str) -> Option<u64> {
    let some = text.lines().find(|line| line.starts_with("some "))?;
    some.split("total=").nth(1)?.trim().parse().ok()
}

/// Of the own group of version 2, mounted at its usual place.
fn throttled_us() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let stat = fs::read_to_string(format!("/sys/fs/cgroup{own}/cpu.stat"));
    let stat = stat
        .or_else(|_| fs::read_to_string("/sys/fs/cgroup/cpu.stat"))
        .ok()?;
    let mut lines = stat.lines();
    let us = lines.find_map(|line| line.strip_prefix("throttled_usec "))?;
    us.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "cpu  100 10 40 700 50 5 5 90 0 0\ncpu0 50 5 20 350 25 2 3 45 0 0\n\
                        cpu1 50 5 20 350 25 3 2 45 0 0\nintr 12 0\n";
    const OWN: &str = "7 (a) b) R 1 7 7 0 -1 0 1 2 3 4 20 10 6 4 20 0 1 0 5";

    #[test]
    fn shares_are_of_all_cpus() {
        let load = Load::read(STAT, OWN).expect("it is like that of Linux");
        assert_eq!(
            (load.cpus, load.ticks, load.busy, load.own),
            (2, 1000, 160, 40)
        );
        assert!((load.others() - 0.12).abs() < 1e-9 && (load.host() - 0.09).abs() < 1e-9);
        assert_eq!(load.waiting(), None);
        assert_eq!(load.since(&load).others(), 0.0);
        assert_eq!(load.since(&load).and(&load).ticks, 1000);
        let pressure = "some avg10=1.00 avg60=0.50 avg300=0.10 total=5000\nfull avg10=0 total=1\n";
        let waiting_us = waiting_us(pressure);
        let half = Load {
            waiting_us,
            elapsed_ns: 10_000_000,
            ..load
        };
        assert_eq!(half.waiting(), Some(0.5));
        assert_eq!(Load::read("cpu 1 2", OWN), None);
    }
}
