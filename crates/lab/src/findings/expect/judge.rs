use stats::{Estimate, RUNS_ALPHA, estimate, typical};

use super::names::Target;
use super::{Bound, Checked, Expectation, Judged, Side, Unit};
use crate::data::number::{DOTS, bytes, significant, time};
use crate::data::{Header, RawSlot};
use crate::findings::paired::{rounds, values};
use crate::findings::quantity::{Kind, Look, Seen};
use crate::findings::{CaseResult, Results};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Found {
    pub(super) value: f64,
    pub(super) interval: Option<(f64, f64)>,
}

impl Found {
    pub(super) fn of(estimate: &Estimate) -> Self {
        Self {
            value: estimate.ratio,
            interval: estimate.interval(),
        }
    }
}

pub(super) fn judge(expectation: &Expectation, target: &Target<'_>, results: &Results) -> Checked {
    let header = &results.header;
    let found = target
        .case_in(results)
        .ok_or_else(|| "it was not run".to_owned())
        .and_then(|case| match target.against {
            Some(against) => ratio(case, target, against, header),
            None => typical_of(case, target, header),
        });
    said(expectation, found)
}

impl Target<'_> {
    pub(super) fn case_in<'a>(&self, results: &'a Results) -> Option<&'a CaseResult> {
        results.case_named(&self.study.name, &self.case.name)
    }
}

pub(super) fn said(expectation: &Expectation, found: Result<Found, String>) -> Checked {
    let (judged, found) = match found {
        Ok(found) => (
            expectation.bound.judge(&found),
            expectation.bound.shown(&found),
        ),
        Err(why) => (Judged::Undecided, why),
    };
    let word = match judged {
        Judged::Holds => "holds",
        Judged::Fails => "FAILS",
        Judged::Undecided => "cannot be decided",
    };
    Checked {
        judged,
        sentence: format!("{}: {word}: {found}", expectation.text),
    }
}

impl Bound {
    pub(super) fn judge(&self, found: &Found) -> Judged {
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

    pub(super) fn shown(&self, found: &Found) -> String {
        let write = |value: f64| match self.unit {
            Unit::Time => time(value),
            Unit::Size => bytes(value),
            Unit::Ratio => significant(value),
        };
        let interval = match (found.interval, self.unit) {
            (Some((low, high)), Unit::Ratio) => format!("[{low:.3}{DOTS}{high:.3}]"),
            (Some((low, high)), _) => format!("[{}{DOTS}{}]", write(low), write(high)),
            (None, _) => "(too few slots for an interval)".to_owned(),
        };
        format!("{} {interval}", write(found.value))
    }
}

fn typical_of(case: &CaseResult, target: &Target<'_>, header: &Header) -> Result<Found, String> {
    let values: Vec<f64> = case
        .slots_of(target.variant)
        .filter_map(|slot| of_slot(case, slot, target.quantity, header))
        .collect();
    let why = || nothing(case, target.variant, target.quantity);
    let typical = typical(&values, RUNS_ALPHA).map_err(|_| why())?;
    Ok(Found {
        value: typical.median,
        interval: typical.interval,
    })
}

pub(super) fn nothing(case: &CaseResult, variant: usize, quantity: Kind) -> String {
    let summary = case.variants.get(variant);
    let reason = summary.and_then(|summary| summary.memory_not_available.as_deref());
    match (has_good_slot(case, variant), quantity, reason) {
        (false, ..) => "no good slot".to_owned(),
        (_, Kind::Memory, Some(reason)) => format!("memory is not available: {reason}"),
        _ => "no slot tells it".to_owned(),
    }
}

fn has_good_slot(case: &CaseResult, variant: usize) -> bool {
    case.slots_of(variant)
        .any(|slot| slot.outcome.answer.done().is_some())
}

/// From their finding, else from their rounds.
fn ratio(
    case: &CaseResult,
    target: &Target<'_>,
    against: usize,
    header: &Header,
) -> Result<Found, String> {
    let label = |place: usize| case.case.variants[place].label.as_str();
    let (subject, reference) = (label(target.variant), label(against));
    let estimated = |s: &str, r: &str| case.finding(s, r)?.estimate;
    if target.quantity == Kind::Time {
        let turned = || estimated(reference, subject).map(|one| one.turned());
        if let Some(estimate) = estimated(subject, reference).or_else(turned) {
            return Ok(Found::of(&estimate));
        }
    }
    let both = rounds(case.slots_of(against), case.slots_of(target.variant));
    let (r, s) = values(both, |slot| of_slot(case, slot, target.quantity, header));
    let estimate = estimate(&r, &s, RUNS_ALPHA);
    estimate
        .map(|estimate| Found::of(&estimate))
        .map_err(|_| no_pair(case, target, against))
}

fn no_pair(case: &CaseResult, target: &Target<'_>, against: usize) -> String {
    let both = [target.variant, against];
    match both.into_iter().find(|place| !has_good_slot(case, *place)) {
        Some(place) => format!("no good slot of {}", case.case.variants[place].label),
        None => "no round in which both have a value".to_owned(),
    }
}

/// `None` for a failed slot and for values that were not measured. An amount of 0 has no ratio.
pub(super) fn of_slot(
    case: &CaseResult,
    slot: &RawSlot,
    quantity: Kind,
    header: &Header,
) -> Option<f64> {
    let look = Look::of(&case.case, header);
    let value = quantity.of_slot(look, &Seen::of(slot)?)?.into_value();
    value.filter(|value| *value > 0.0)
}
