//! The memory of a tree of processes at its peak, by looking again and again. The sum of `VmHWM` over processes counts
//! shared pages once each and peaks of different times: an upper bound. The RSS of each process from `statm` (2 us)
//! says whether this may be a new peak; only then the honest sum is read (PSS, page tables, kernel stacks: up to a
//! millisecond for each 100 MiB). The largest that was seen is a lower bound; the time between two looks and the upper
//! bound are reported beside it.
//!
//! Looking costs CPU time and holds the lock that page faults take. So it is done in a launch of its own that counts
//! nowhere else, or, of programs that run long and of servers, beside the launch with a hundredth of one CPU at the
//! most. A server is looked at once more when the measured time is over and its connections are still open; one whose
//! load is a command, which closes them, gets a launch of its own where it was not looked at three times.

use std::fs;
use std::time::{Duration, Instant};

use measure::memory::{Memory, Reading, Sampler};

use crate::tree;

const LEAST_LOOKS: u64 = 3;
/// RSS growth that causes a full look.
const HIGHER: f64 = 1.02;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pace {
    least: Duration,
    share: f64,
}

impl Pace {
    pub(crate) const ALONE: Self = Self {
        least: Duration::from_millis(1),
        share: 0.2,
    };
    pub(crate) const BESIDE: Self = Self {
        least: Duration::from_millis(20),
        share: 0.01,
    };
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) peak: Option<Memory>,
    pub(crate) processes: u64,
    pub(crate) tasks: u64,
    /// Number of looks, and the longest time between two, in ns.
    pub(crate) looks: u64,
    pub(crate) longest_gap_ns: u64,
    /// Processes reported their own memory ([`crate::report::Elsewhere`]).
    pub(crate) is_said: bool,
    /// It was seen with all that it held at the end.
    pub(crate) is_at_end: bool,
}

impl Seen {
    pub(crate) fn said(memory: Memory) -> Self {
        Self {
            peak: Some(memory),
            processes: memory.processes.into(),
            tasks: memory.tasks.into(),
            is_said: true,
            ..Self::default()
        }
    }

    pub(crate) fn is_enough(&self) -> bool {
        (self.is_said || self.is_at_end || self.looks >= LEAST_LOOKS) && self.peak.is_some()
    }

    /// The peak; with too few looks, the most that one process had.
    pub(crate) fn reading(seen: Option<Self>, most_rss: u64) -> Reading {
        let peak = seen.filter(Self::is_enough).and_then(|seen| seen.peak);
        peak.map_or_else(
            || Reading::RssOnly {
                rss: most_rss,
                reason: "it ended before it had been looked at three times".to_owned(),
                remedy: "give it more work; without -r a launch of its own is looked at more often"
                    .to_owned(),
            },
            Reading::Honest,
        )
    }
}

#[derive(Debug)]
pub(crate) struct Looks {
    pace: Pace,
    root: i32,
    /// Children of the root that belong to the harness.
    apart: Vec<i32>,
    sampler: Sampler,
    highest_rss: u64,
    page: u64,
    next: Instant,
    last: Option<Instant>,
    pub(crate) seen: Seen,
}

impl Looks {
    pub(crate) fn new(pace: Pace, root: i32, apart: Vec<i32>) -> Self {
        Self {
            pace,
            root,
            apart,
            sampler: Sampler::new(),
            highest_rss: 0,
            page: flow::page_bytes(),
            next: Instant::now() + pace.least,
            last: None,
            seen: Seen::default(),
        }
    }

    pub(crate) fn until(&self) -> Duration {
        self.next.saturating_duration_since(Instant::now())
    }

    pub(crate) fn look(&mut self) {
        let began = Instant::now();
        if began < self.next {
            return;
        }
        self.once();
        let ended = Instant::now();
        if let Some(last) = self.last.replace(ended) {
            let gap = u64::try_from((ended - last).as_nanos()).unwrap_or(u64::MAX);
            self.seen.longest_gap_ns = self.seen.longest_gap_ns.max(gap);
        }
        let pause = (ended - began).div_f64(self.pace.share);
        self.next = ended + pause.max(self.pace.least);
    }

    /// A full look, whatever it costs: after what is measured, and before anything is closed.
    pub(crate) fn at_the_end(&mut self) {
        self.highest_rss = 0;
        self.once();
        self.seen.is_at_end = self.highest_rss > 0;
    }

    fn once(&mut self) {
        let apart = &self.apart;
        let all = tree::descendants(self.root);
        let own: Vec<i32> = all.into_iter().filter(|pid| !apart.contains(pid)).collect();
        let each = own.iter().filter_map(|&pid| Some((pid, self.rss(pid)?)));
        let each: Vec<(i32, u64)> = each.collect();
        if each.is_empty() {
            return;
        }
        self.seen.looks += 1;
        self.seen.processes = self.seen.processes.max(each.len() as u64);
        let rss: u64 = each.iter().map(|(_, rss)| rss).sum();
        if rss as f64 <= HIGHER * self.highest_rss as f64 {
            return;
        }
        let pids: Vec<i32> = each.into_iter().map(|(pid, _)| pid).collect();
        // A process that ended between the two looks is no part of a peak.
        if let Ok(memory) = self.sampler.of(&pids) {
            self.highest_rss = rss;
            self.seen.tasks = self.seen.tasks.max(memory.tasks.into());
            let highest = self.seen.peak.filter(|peak| peak.total() >= memory.total());
            self.seen.peak = highest.or(Some(memory));
        }
    }

    fn rss(&self, pid: i32) -> Option<u64> {
        let text = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
        let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
        (pages > 0).then_some(pages * self.page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(looks: u64) -> Option<Seen> {
        let mut sampler = Sampler::new();
        let peak = sampler.of(&[std::process::id().cast_signed()]);
        Some(Seen {
            peak: Some(peak.expect("the memory of this process can be read")),
            looks,
            ..Seen::default()
        })
    }

    #[test]
    fn one_early_look_at_a_short_load_is_no_peak() {
        for few in [None, Some(Seen::default()), seen(1), seen(2)] {
            let most = 3 << 19;
            let Reading::RssOnly { rss, reason, .. } = Seen::reading(few, most) else {
                panic!("{few:?}");
            };
            assert_eq!(rss, most);
            assert!(reason.contains("three times"), "{reason}");
        }
        assert!(matches!(Seen::reading(seen(3), 4096), Reading::Honest(_)));
        let at_end = seen(1).map(|seen| Seen {
            is_at_end: true,
            ..seen
        });
        assert!(matches!(Seen::reading(at_end, 4096), Reading::Honest(_)));
        let memory = seen(3).and_then(|seen| seen.peak);
        let said = memory.map(Seen::said);
        assert_eq!(Some(Seen::reading(said, 4096)), memory.map(Reading::Honest));
    }
}
