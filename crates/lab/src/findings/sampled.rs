//! What samplers recorded beside the slots of a variant, in a few numbers.

use flow::Samples;
use measure::Measured;

use super::{CaseResult, RawSlot};
use crate::data::Outcome;
use crate::data::gathered::distinct;

/// The sampled slots of one variant together.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampled {
    /// Slots with samples.
    pub slots: usize,
    /// Samples in them.
    pub samples: usize,
    /// Time between two of them, in ns.
    pub interval_ns: u64,
    /// CPU time over wall time, from the task's being given to the slot's end; 1 is one CPU.
    pub cpu: f64,
    /// The same in the busiest interval.
    pub most_cpu: Option<f64>,
    /// Largest sum of the RSS, in bytes.
    pub most_rss: Option<u64>,
    /// Largest honest memory, in bytes.
    pub most_memory: Option<u64>,
    /// How often honest memory was read: much less often than the rest.
    pub memory_readings: usize,
    /// Largest number of threads.
    pub most_tasks: Option<u32>,
    /// Bytes written to storage in a slot, at the most.
    pub written: Option<u64>,
    /// Disk space of the folder, in bytes, at the most.
    pub most_disk: Option<u64>,
    /// CPU time of the samplers over the time that they ran beside the slots.
    pub own_share: f64,
    /// Whether samplers kept to CPUs of no flow.
    pub aside: bool,
    /// Ticks that passed without a sample.
    pub missed: u64,
    /// Why samples or parts of them are not available; each reason once.
    pub not_available: Vec<String>,
}

/// What samplers recorded of a variant; `None` where none was to.
#[must_use]
pub fn sampled(case: &CaseResult, variant: usize) -> Option<Sampled> {
    let asked = case
        .slots_of(variant)
        .filter(|slot| slot.outcome.samples.is_some());
    let asked: Vec<&RawSlot> = asked.collect();
    let found: Vec<&Samples> = asked.iter().filter_map(|slot| of(&slot.outcome)).collect();
    if asked.is_empty() {
        return None;
    }
    let all = || found.iter().flat_map(|samples| &samples.samples);
    let ends = || found.iter().filter_map(|samples| samples.end);
    let span_ns: u64 = found.iter().map(|samples| samples.span_ns).sum();
    let own_ns: u64 = found.iter().map(|samples| samples.own_cpu_ns).sum();
    let (cpu_ns, at_ns) = ends().fold((0, 0), |(cpu, at), end| (cpu + end.cpu_ns, at + end.at_ns));
    let shares = found.iter().flat_map(|samples| course(samples));
    Some(Sampled {
        slots: found.len(),
        samples: all().count(),
        interval_ns: found.first().map_or(0, |samples| samples.interval_ns),
        cpu: ratio(cpu_ns, at_ns),
        most_cpu: shares.map(|(_, share)| share).max_by(f64::total_cmp),
        most_rss: all().map(|sample| sample.rss).max(),
        most_memory: all().filter_map(|sample| sample.memory).max(),
        memory_readings: all().filter(|sample| sample.memory.is_some()).count(),
        most_tasks: all().map(|sample| sample.tasks).max(),
        written: ends().filter_map(|end| end.written).max(),
        most_disk: all().filter_map(|sample| sample.disk).max(),
        own_share: ratio(own_ns, span_ns),
        aside: !found.is_empty() && found.iter().all(|samples| !samples.cpus.is_empty()),
        missed: found.iter().map(|samples| samples.missed).sum(),
        not_available: missing(&asked),
    })
}

/// The samples of a slot, if there are any.
#[must_use]
pub fn of(outcome: &Outcome) -> Option<&Samples> {
    outcome.samples.as_ref()?.value()
}

/// CPU time over wall time in each interval, with its end in ns after the task was given. A last
/// one too short to tell is left out; without a sample there is no course.
#[must_use]
pub fn course(samples: &Samples) -> Vec<(u64, f64)> {
    let counters = samples.samples.iter().map(|s| (s.at_ns, s.cpu_ns));
    let telling = |end: &flow::sampler::Totals| {
        let last = samples.samples.last().map(|sample| sample.at_ns);
        last.is_some_and(|last| end.at_ns > last + samples.interval_ns / 2)
    };
    let end = samples
        .end
        .filter(telling)
        .map(|end| (end.at_ns, end.cpu_ns));
    let mut before = (0, 0);
    let shares = counters.chain(end).map(|(at_ns, cpu_ns)| {
        let (at_before, cpu_before) = std::mem::replace(&mut before, (at_ns, cpu_ns));
        let share = ratio(
            cpu_ns.saturating_sub(cpu_before),
            at_ns.saturating_sub(at_before),
        );
        (at_ns, share)
    });
    shares.collect()
}

fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

fn missing(slots: &[&RawSlot]) -> Vec<String> {
    let reasons = slots.iter().flat_map(|slot| match &slot.outcome.samples {
        Some(Measured::NotAvailable { reason, .. }) => std::slice::from_ref(reason),
        Some(Measured::Value(samples)) => &samples.not_available[..],
        None => &[],
    });
    distinct(reasons.cloned())
}

#[cfg(test)]
mod tests {
    use flow::sampler::{Sample, Totals};

    use super::*;

    fn samples(at_and_cpu_ms: &[(u64, u64)], end_ms: (u64, u64)) -> Samples {
        let sample = |&(at, cpu): &(u64, u64)| Sample {
            at_ns: at * 1_000_000,
            cpu_ns: cpu * 1_000_000,
            processes: 1,
            tasks: 2,
            rss: 4_096 * at,
            memory: None,
            written: None,
            disk: None,
        };
        Samples {
            interval_ns: 100_000_000,
            cpus: vec![1],
            samples: at_and_cpu_ms.iter().map(sample).collect(),
            end: Some(Totals {
                at_ns: end_ms.0 * 1_000_000,
                cpu_ns: end_ms.1 * 1_000_000,
                written: None,
                disk: None,
            }),
            missed: 0,
            not_kept: 0,
            own_cpu_ns: 1,
            span_ns: 100,
            not_available: Vec::new(),
        }
    }

    #[test]
    fn shares_are_of_the_time_that_passed_and_not_of_the_interval() {
        let late = samples(&[(100, 50), (250, 200), (300, 200)], (390, 290));
        let shares: Vec<_> = course(&late).iter().map(|(_, share)| *share).collect();
        assert_eq!(shares, [0.5, 1.0, 0.0, 1.0]);
    }

    #[test]
    fn an_end_close_after_a_sample_tells_nothing_and_no_samples_are_no_course() {
        assert_eq!(course(&samples(&[(100, 50)], (110, 60))).len(), 1);
        assert_eq!(course(&samples(&[], (40, 20))), []);
    }
}
