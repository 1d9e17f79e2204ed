//! What a model of another machine counted: threads over processes, case by case (docs/simulate.md,
//! "What is shown"). A slot has one number for each count, scaled to all accesses of all flows; a
//! variant the median over slots, a unit of work. Two variants are compared within each round;
//! beside the median ratio stands the *spread* of all launches and orders, without the model's own
//! error.
//!
//! Two variants differ where all values of one lie below all of the other (the permutation test),
//! are the same where every ratio is within [`ALIKE`], and *exact* where all values are equal.
//! Ratios of parts of the window, and of turns 16 times as long, stand beside. Each sentence says
//! *simulated*.

mod conclusion;
mod of_cases;
mod pair;
#[cfg(test)]
pub(crate) mod testing;
mod time;

use measure::counters::Event;
use serde::{Deserialize, Serialize};
use simulate::Machine;

use super::paired::{of, rounds};
use super::phrases::joined;
use super::quantity::Word;
use crate::data::gathered::grouped;
use crate::data::number::many;
use crate::data::simulation::PARTS;
use crate::data::words::plural;
use crate::data::{Case, RawSlot, Simulated, Topology, along, base, median};

pub use crate::data::simulation::Count;
pub use conclusion::{Conclusion, conclusion};
pub(super) use of_cases::simulated;
pub use time::{Part, TimePart};

use pair::Pair;

/// Whether two cases are of one work along one way and compare the same.
#[must_use]
pub fn is_of(one: &SimulatedCase, other: &SimulatedCase) -> bool {
    (&one.workload, one.along, &one.subject) == (&other.workload, other.along, &other.subject)
}

/// Cases of one work along one way, by their numbers of flows.
#[must_use]
pub fn groups(simulated: &[SimulatedCase]) -> Vec<Vec<&SimulatedCase>> {
    let of = |one: &SimulatedCase| (one.workload.clone(), one.along, one.subject.clone());
    let groups = grouped(simulated.iter().map(|one| (of(one), one)));
    let groups = groups.into_iter().map(|(_, mut group)| {
        group.sort_by_key(|case| case.flows);
        group
    });
    groups.collect()
}

/// A case on a simulated machine: one variant against the reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SimulatedCase {
    /// The case by its name.
    pub case: String,
    /// The work: what the names of its cases begin with.
    pub workload: String,
    /// The way through the machine, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub along: Option<Topology>,
    /// Flows.
    pub flows: u32,
    /// Label of the subject.
    pub subject: String,
    /// Label of the reference.
    pub reference: String,
    /// Launches of both.
    pub launches: usize,
    /// Units of work of a slot.
    pub units: f64,
    /// The share of all accesses that was counted, median.
    pub counted: f64,
    /// A hash of the traces of each launch: reference, subject.
    pub traces: Vec<[String; 2]>,
    /// Subject over reference in relative throughput, by the time model.
    pub throughput: Spread,
    /// What the simulated time of all flows is made of.
    pub time: Vec<TimePart>,
    /// Each count.
    pub counts: Vec<SimulatedCount>,
}

/// A count of two variants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SimulatedCount {
    /// Which.
    pub count: Count,
    /// Of the reference, median: for each unit of work, or of a slot.
    pub reference: f64,
    /// Of the subject.
    pub subject: f64,
    /// Subject over reference; `None` where the reference has none.
    pub ratio: Option<Spread>,
    /// Whether the subject has less of it or more.
    pub verdict: Word,
    /// Values of each side: launches times orders.
    pub draws: usize,
    /// Whether all values of the subject are equal, and all of the reference.
    pub exact: bool,
    /// The median ratio with parts of the window: a number is that of equal parts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_parts: Vec<(u64, f64)>,
    /// The same with longer turns, where flows share a core.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longer_turns: Option<f64>,
    /// What this machine counted of the same slots, where it is the simulated one and was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<CountedHere>,
}

/// What a processor counted, medians for each unit of work.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CountedHere {
    /// Which event.
    pub event: Event,
    /// Of the reference.
    pub reference: f64,
    /// Of the subject.
    pub subject: f64,
    /// Subject over reference, the median over launches.
    pub ratio: f64,
}

/// What a model says against what was counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Against {
    /// Simulated.
    pub simulated: f64,
    /// Counted.
    pub counted: f64,
}

impl Against {
    /// By how much the simulated is more than the counted, as a share of that.
    #[must_use]
    pub fn error(self) -> Option<f64> {
        (self.counted > 0.0).then(|| self.simulated / self.counted - 1.0)
    }
}

impl SimulatedCount {
    /// The model against what was counted: reference, subject and ratio; `None` where nothing was.
    #[must_use]
    pub fn against(&self) -> Option<[Against; 3]> {
        let here = self.counted?;
        let against = |simulated, counted| Against { simulated, counted };
        Some([
            against(self.reference, here.reference),
            against(self.subject, here.subject),
            against(self.ratio?.median, here.ratio),
        ])
    }
}

pub(crate) const ALIKE: f64 = 0.02;
/// Fewest values of each side that can differ by more than chance.
const DRAWS: usize = 5;

/// A ratio over launches and orders.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// In the middle.
    pub median: f64,
    /// The smallest.
    pub least: f64,
    /// The largest.
    pub most: f64,
}

impl Spread {
    fn of(ratios: &[f64]) -> Option<Self> {
        let ends = |pick: fn(f64, f64) -> f64| ratios.iter().copied().reduce(pick);
        Some(Self {
            median: median(ratios.iter().copied())?,
            least: ends(f64::min)?,
            most: ends(f64::max)?,
        })
    }
}

impl SimulatedCase {
    /// One of its counts.
    #[must_use]
    pub fn count(&self, count: Count) -> Option<&SimulatedCount> {
        self.counts.iter().find(|one| one.count == count)
    }
}

pub(super) fn compared(
    case: &Case,
    slots: &[RawSlot],
    (reference, subject): (usize, usize),
    machine: &Machine,
) -> Option<SimulatedCase> {
    let both = rounds(of(slots, reference), of(slots, subject));
    let pairs = both.filter_map(|[reference, subject]| {
        Some(Pair {
            reference: told(reference)?,
            subject: told(subject)?,
        })
    });
    let pairs: Vec<Pair<'_>> = pairs.collect();
    let first = pairs.first()?;
    let units = units(first.reference.0).max(1.0);
    let variant = &case.variants[subject];
    let times = pairs.iter().filter_map(|pair| {
        let (of, over) = (pair.reference.0.value_ns?, pair.subject.0.value_ns?);
        Some(of / over)
    });
    Some(SimulatedCase {
        case: case.name.clone(),
        workload: base(case).to_owned(),
        along: along(case),
        flows: variant.variant.flows,
        subject: variant.label.clone(),
        reference: case.variants[reference].label.clone(),
        launches: pairs.len(),
        units,
        counted: median(pairs.iter().map(|pair| pair.subject.1.merged.counted()))?,
        traces: pairs.iter().map(hashes).collect(),
        throughput: Spread::of(&times.collect::<Vec<_>>())?,
        time: time::parts(&pairs, &machine.time),
        counts: (Count::ALL.into_iter())
            .filter_map(|count| counted(count, &pairs, units))
            .collect(),
    })
}

fn told(slot: &RawSlot) -> Option<(&RawSlot, &Simulated)> {
    slot.value_ns?;
    Some((slot, slot.outcome.simulated.as_ref()?.value()?))
}

/// Misses at the most flows of a work; each says *simulated* and the machine's name.
pub(super) fn sentences(machine: &str, all: &[SimulatedCase]) -> Vec<String> {
    let last = all.iter().enumerate().filter(|(place, one)| {
        let mut later = all[place + 1..].iter();
        !later.any(|other| is_of(one, other))
    });
    last.filter_map(|(_, one)| sentence(machine, one)).collect()
}

const SAID: [Count; 4] = [Count::L1d, Count::Llc, Count::Dtlb, Count::Walks];

fn sentence(machine: &str, one: &SimulatedCase) -> Option<String> {
    let said = SAID.iter().filter_map(|count| {
        let own = one.count(*count)?;
        let ratio = own.ratio?;
        Some(format!("{} {:.2}x", count.head(), ratio.median))
    });
    let said = joined(said, ", ")?;
    let way = one
        .along
        .map_or(String::new(), |along| format!(" {}", along.spoken()));
    let flows = many(one.flows.into(), "flow");
    Some(format!(
        "simulated, {machine}: {} with {flows}{way}: {} against {}: {said}; relative throughput \
         by the time model {:.3}",
        one.workload,
        plural(&one.subject),
        plural(&one.reference),
        one.throughput.median
    ))
}

fn hashes(pair: &Pair<'_>) -> [String; 2] {
    [pair.reference, pair.subject].map(|(_, one)| one.merged.traces.clone())
}

fn units(slot: &RawSlot) -> f64 {
    let record = slot.outcome.answer.done();
    record.map_or(0.0, |record| record.proof.count as f64)
}

fn counted_here(count: Count, pairs: &[Pair<'_>], units: f64) -> Option<CountedHere> {
    let event = count.event()?;
    let of = |(slot, _): (&RawSlot, &Simulated)| {
        let rep = slot.outcome.answer.done()?.reps.last()?;
        rep.counted.as_ref()?.value()?.of(event)?.scaled()
    };
    let both = pairs
        .iter()
        .filter_map(|pair| Some([of(pair.reference)?, of(pair.subject)?]));
    let both: Vec<[f64; 2]> = both.collect();
    let ratios = both.iter().filter(|[reference, _]| *reference > 0.0);
    Some(CountedHere {
        event,
        reference: median(both.iter().map(|[reference, _]| *reference))? / units,
        subject: median(both.iter().map(|[_, subject]| *subject))? / units,
        ratio: median(ratios.map(|[reference, subject]| subject / reference))?,
    })
}

struct Draws {
    reference: Vec<f64>,
    subject: Vec<f64>,
    ratios: Vec<f64>,
}

impl Draws {
    fn of(count: Count, pairs: &[Pair<'_>]) -> Self {
        let orders = pairs
            .iter()
            .map(|pair| pair.subject.1.in_other_orders.len());
        let orders = 0..=orders.max().unwrap_or(0);
        let both = orders.flat_map(|order| {
            let of = move |one: &Simulated| in_order(count, one, order);
            let both = pairs
                .iter()
                .map(move |pair| (of(pair.reference.1), of(pair.subject.1)));
            both.collect::<Vec<_>>()
        });
        let both: Vec<(f64, f64)> = both.filter_map(|(a, b)| a.zip(b)).collect();
        Self {
            reference: both.iter().map(|one| one.0).collect(),
            subject: both.iter().map(|one| one.1).collect(),
            ratios: both.iter().filter_map(|one| over(*one)).collect(),
        }
    }

    fn verdict(&self) -> Word {
        let ends = |side: &[f64]| {
            let all = side.iter().copied();
            all.fold((f64::MAX, f64::MIN), |(low, high), one| {
                (low.min(one), high.max(one))
            })
        };
        let (reference, subject) = (ends(&self.reference), ends(&self.subject));
        let alike = |ratio: &f64| (ratio - 1.0).abs() < ALIKE;
        match self.subject.len() >= DRAWS {
            _ if !self.ratios.is_empty() && self.ratios.iter().all(alike) => Word::Same,
            true if subject.1 < reference.0 => Word::Less,
            true if subject.0 > reference.1 => Word::More,
            _ => Word::CannotTell,
        }
    }

    fn are_exact(&self) -> bool {
        let equal = |side: &[f64]| side.len() > 1 && side.iter().all(|one| *one == side[0]);
        equal(&self.reference) && equal(&self.subject)
    }
}

fn in_order(count: Count, one: &Simulated, order: usize) -> Option<f64> {
    match order.checked_sub(1) {
        None => Some(count.of(one)),
        Some(other) => Some(count.in_merged(one.in_other_orders.get(other)?)),
    }
}

fn over((reference, subject): (f64, f64)) -> Option<f64> {
    (reference > 0.0).then(|| subject / reference)
}

fn counted(count: Count, pairs: &[Pair<'_>], units: f64) -> Option<SimulatedCount> {
    let unit = if count.grows_with_work() { units } else { 1.0 };
    let middle = |of: &dyn Fn(&Simulated) -> Option<f64>| {
        let ratio = |pair: &Pair<'_>| over(of(pair.reference.1).zip(of(pair.subject.1))?);
        median(pairs.iter().filter_map(ratio))
    };
    let part = |part: u64| {
        let of = |one: &Simulated| {
            let (_, merged) = one.in_parts.iter().find(|(own, _)| *own == part)?;
            Some(count.in_merged(merged))
        };
        Some((part, middle(&of)?))
    };
    let draws = Draws::of(count, pairs);
    let first = middle(&|one| in_order(count, one, 0));
    Some(SimulatedCount {
        count,
        reference: median(pairs.iter().map(|pair| count.of(pair.reference.1)))? / unit,
        subject: median(pairs.iter().map(|pair| count.of(pair.subject.1)))? / unit,
        ratio: Spread::of(&draws.ratios).map(|spread| Spread {
            median: first.unwrap_or(spread.median),
            ..spread
        }),
        verdict: draws.verdict(),
        draws: draws.subject.len(),
        exact: draws.are_exact(),
        in_parts: PARTS.into_iter().filter_map(part).collect(),
        longer_turns: middle(&|one| Some(count.in_merged(one.with_longer_turns.as_deref()?))),
        counted: counted_here(count, pairs, units),
    })
}
