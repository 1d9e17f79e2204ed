//! What a run says of an expectation.

use flow::{Rep, SlotRecord};
use measure::memory::Reading;
use measure::usage::Usage;
use stats::{RUNS_ALPHA, estimate, typical};

use super::names::Target;
use super::{Bound, Checked, Expectation, Judged, Quantity, Side, Unit};
use crate::median::median;
use crate::number::{bytes, ratio_interval, significant, time};
use crate::slot::slot_value;
use crate::{CaseResult, RawSlot, Results, Value};

/// A value with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Found {
    pub(super) value: f64,
    pub(super) interval: Option<(f64, f64)>,
}

/// Looks at the slots of a run.
pub(super) fn judge(expectation: &Expectation, target: &Target<'_>, results: &Results) -> Checked {
    let value = results.header.settings.value;
    let studies = results.studies.iter();
    let mut cases = studies
        .filter(|study| study.study.name == target.study.name)
        .flat_map(|study| &study.cases);
    let case = cases.find(|case| case.case.name == target.case.name);
    let found = case.and_then(|case| match target.against {
        Some(against) => ratio(case, target, against, value),
        None => typical_of(case, target, value),
    });
    said(expectation, found)
}

/// What was found, held against the bound.
pub(super) fn said(expectation: &Expectation, found: Option<Found>) -> Checked {
    let judged = found.map_or(Judged::Undecided, |found| expectation.bound.judge(&found));
    let word = match judged {
        Judged::Holds => "holds",
        Judged::Fails => "FAILS",
        Judged::Undecided => "cannot be decided",
    };
    let found = match found {
        None => "no good slot".to_owned(),
        Some(found) => expectation.bound.shown(&found),
    };
    Checked {
        judged,
        sentence: format!("{}: {word}: {found}", expectation.text),
    }
}

impl Bound {
    fn judge(&self, found: &Found) -> Judged {
        let Some((low, high)) = found.interval else {
            return Judged::Undecided;
        };
        let keeps = |end: f64| match self.side {
            Side::Below { too: true } => end <= self.value,
            Side::Below { too: false } => end < self.value,
            Side::Above { too: true } => end >= self.value,
            Side::Above { too: false } => end > self.value,
        };
        match (keeps(low), keeps(high)) {
            (true, true) => Judged::Holds,
            (false, false) => Judged::Fails,
            _ => Judged::Undecided,
        }
    }

    fn shown(&self, found: &Found) -> String {
        let write = |value: f64| match self.unit {
            Unit::Time => time(value),
            Unit::Size => bytes(value),
            Unit::Ratio => significant(value),
        };
        let interval = match (found.interval, self.unit) {
            (Some((low, high)), Unit::Ratio) => ratio_interval(low, high),
            (Some((low, high)), _) => format!("[{} ... {}]", write(low), write(high)),
            (None, _) => "too few slots for an interval".to_owned(),
        };
        format!("{} {interval}", write(found.value))
    }
}

/// The median over the slots of a variant.
fn typical_of(case: &CaseResult, target: &Target<'_>, value: Value) -> Option<Found> {
    let own = case
        .slots
        .iter()
        .filter(|slot| slot.variant == target.variant);
    let values: Vec<f64> = own
        .filter_map(|slot| of_slot(case, slot, target.quantity, value))
        .collect();
    let typical = typical(&values, RUNS_ALPHA).ok()?;
    Some(Found {
        value: typical.median,
        interval: typical.interval,
    })
}

/// The ratio of two variants: that of their finding, or made from their rounds.
fn ratio(case: &CaseResult, target: &Target<'_>, against: usize, value: Value) -> Option<Found> {
    let label = |place: usize| case.case.variants[place].label.as_str();
    let (subject, reference) = (label(target.variant), label(against));
    let finding = |s: &str, r: &str| {
        let mut findings = case.findings.iter();
        findings
            .find(|f| f.subject == s && f.reference == r)?
            .estimate
    };
    let as_found = |e: stats::Estimate| Found {
        value: e.ratio,
        interval: e.interval(),
    };
    if target.quantity == Quantity::Value {
        if let Some(estimate) = finding(subject, reference) {
            return Some(as_found(estimate));
        }
        if let Some(estimate) = finding(reference, subject) {
            return Some(inverse(as_found(estimate)));
        }
    }
    let mut pairs = (Vec::new(), Vec::new());
    for slot in case
        .slots
        .iter()
        .filter(|slot| slot.variant == target.variant)
    {
        let mut round = case.slots.iter().filter(|other| other.round == slot.round);
        let other = round.find(|other| other.variant == against);
        let of = |slot| of_slot(case, slot, target.quantity, value);
        if let Some((r, s)) = other.and_then(of).zip(of(slot)) {
            pairs.0.push(r);
            pairs.1.push(s);
        }
    }
    estimate(&pairs.0, &pairs.1, RUNS_ALPHA).ok().map(as_found)
}

fn inverse(found: Found) -> Found {
    Found {
        value: 1.0 / found.value,
        interval: found.interval.map(|(low, high)| (1.0 / high, 1.0 / low)),
    }
}

/// One number for a slot; `None` for a failed one, and where it could not be measured.
fn of_slot(case: &CaseResult, slot: &RawSlot, quantity: Quantity, value: Value) -> Option<f64> {
    let record = slot.outcome.answer.done()?;
    let reps = |of: fn(&Rep) -> f64| median(record.reps.iter().map(of));
    match quantity {
        Quantity::Value => slot_value(&slot.outcome, case.case.metric, value),
        Quantity::Create => reps(|rep| rep.create_ns as f64),
        Quantity::Steady => reps(|rep| rep.steady_ns as f64),
        Quantity::TearDown => reps(|rep| rep.teardown_ns as f64),
        Quantity::Cpu => reps(|rep| cpu_ns(rep) as f64),
        Quantity::Memory => memory(record),
        Quantity::Rss => Some(match &record.memory {
            Reading::Honest(memory) => memory.rss as f64,
            Reading::RssOnly { rss, .. } => *rss as f64,
        }),
    }
    .filter(|value| *value > 0.0)
}

fn memory(record: &SlotRecord) -> Option<f64> {
    match &record.memory {
        Reading::Honest(memory) => Some(memory.honest() as f64),
        Reading::RssOnly { .. } => None,
    }
}

/// Of the parent and all flows.
fn cpu_ns(rep: &Rep) -> u64 {
    let parent = [rep.parent.create, rep.parent.steady, rep.parent.teardown];
    let flows = rep.flows.iter().flat_map(|flow| [flow.create, flow.steady]);
    parent.into_iter().chain(flows).sum::<Usage>().cpu_ns
}
