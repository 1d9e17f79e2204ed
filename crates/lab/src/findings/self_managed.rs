//! What the flows used that work made by itself; what a study of such work says is in [`said`].
//!
//! Each repetition tells what its flows used together, their number, and what the work counted. In
//! some rounds one more repetition has timers, which tell where time went; it counts nowhere else,
//! and what timers cost is given with it. Most kernels split user and system time by ticks some 4
//! ms apart, so the median CPU time is split by the shares of all repetitions together.

mod said;

use std::collections::BTreeMap;

use flow::record::Forgotten;
use flow::{Rep, SelfManagedUsage, SlotRecord};
use serde::{Deserialize, Serialize};

pub(super) use said::sentences;

use super::counts;
use super::profile::reps;
use crate::data::median;

/// What the flows of a variant used, medians of one repetition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SelfManaged {
    /// CPU time in user mode, in ns; `None` where the kernel forgot a part of it, as of the two below.
    pub user_ns: Option<f64>,
    /// CPU time in the kernel, in ns.
    pub system_ns: Option<f64>,
    /// CPU time over wall time; 1 = one CPU all the time.
    pub cpu_share: Option<f64>,
    /// Flows that were made.
    pub made: f64,
    /// Flows at one time, at the most.
    pub most: f64,
    /// The cap that held flows back, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_at: Option<f64>,
    /// Repetitions that read from a disk.
    pub from_disk: usize,
    /// Repetitions in all.
    pub reps: usize,
    /// The highest peak of RSS, in bytes.
    pub peak_rss: f64,
    /// What the work counted, by name.
    pub counts: BTreeMap<String, f64>,
    /// Time of all flows by class of work, in ns, by timers; empty without them.
    pub classes_ns: BTreeMap<String, f64>,
    /// How much longer a repetition took with timers, as a fraction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timers_cost: Option<f64>,
}

pub(super) fn self_managed(records: &[&SlotRecord]) -> Option<SelfManaged> {
    let own: Vec<(&Rep, &SelfManagedUsage)> = reps(records)
        .filter_map(|rep| Some((rep, rep.self_managed.as_deref()?)))
        .collect();
    let over =
        |what: fn(&SelfManagedUsage) -> u64| median(own.iter().map(|(_, own)| what(own) as f64));
    let share = |(rep, own): &(&Rep, &SelfManagedUsage)| {
        (own.user_ns + own.system_ns) as f64 / rep.total_ns().max(1) as f64
    };
    let timed = || records.iter().filter_map(|record| record.timed.as_deref());
    let classes = timed().filter_map(|rep| Some(&rep.self_managed.as_ref()?.classes_ns));
    let forgotten = counts::forgotten(own.iter().map(|(rep, _)| *rep));
    let is_known = |_: &f64| forgotten != Some(Forgotten::All);
    let cpu_ns = over(|own| own.user_ns + own.system_ns)?;
    let sum = |what: fn(&SelfManagedUsage) -> u64| {
        own.iter().map(|(_, own)| what(own)).sum::<u64>() as f64
    };
    let user_share = sum(|own| own.user_ns) / sum(|own| own.user_ns + own.system_ns).max(1.0);
    Some(SelfManaged {
        user_ns: Some(user_share * cpu_ns).filter(is_known),
        system_ns: Some((1.0 - user_share) * cpu_ns).filter(is_known),
        cpu_share: median(own.iter().map(share)).filter(is_known),
        made: over(|own| own.made)?,
        most: over(|own| own.most)?,
        held_at: median(own.iter().filter_map(|(_, own)| Some(own.held_at? as f64))),
        from_disk: own.iter().filter(|(_, own)| own.disk_blocks > 0).count(),
        reps: own.len(),
        peak_rss: own.iter().map(|(_, own)| own.peak_rss).max()? as f64,
        counts: by_name(own.iter().map(|(_, own)| &own.counts)),
        classes_ns: by_name(classes),
        timers_cost: median(records.iter().filter_map(|record| cost(record))),
    })
}

fn by_name<'a>(matrices: impl Iterator<Item = &'a BTreeMap<String, u64>>) -> BTreeMap<String, f64> {
    let mut all: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (name, value) in matrices.flatten() {
        all.entry(name).or_default().push(*value as f64);
    }
    let medians = all.into_iter();
    medians
        .filter_map(|(name, values)| Some((name.to_owned(), median(values)?)))
        .collect()
}

fn cost(record: &SlotRecord) -> Option<f64> {
    let timed = record.timed.as_deref()?.total_ns() as f64;
    let plain = median(record.reps.iter().map(|rep| rep.total_ns() as f64))?;
    (plain > 0.0).then(|| timed / plain - 1.0)
}
