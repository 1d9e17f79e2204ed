//! `findings.csv`: the verdict on each pair.

use lab::findings::Word;
use lab::{Finding, Phases, Results};
use stats::{Estimate, Tail, Verdict};

use super::place::Place;
use super::{Field, number, said, sheet, text, whole, yes_or_no};

type Column = (&'static str, fn(&Finding) -> Field);

const COLUMNS: &[Column] = &[
    ("subject", |row| text(&row.subject)),
    ("reference", |row| text(&row.reference)),
    ("metric", |row| text(row.metric.name())),
    ("verdict", |row| text(Word::of_time(row.verdict).name())),
    ("at_least", |row| number(at_least(&row.verdict))),
    ("floor", |row| number(Some(row.floor))),
    ("more_rounds", |row| match row.verdict {
        Verdict::CannotTell { more_rounds } => whole(more_rounds.map(|rounds| rounds as u64)),
        _ => Field::default(),
    }),
    ("rounds", |row| whole(row.estimate.map(|e| e.rounds as u64))),
    ("ratio", |row| number(row.estimate.map(|e| e.ratio))),
    ("low", |row| number(row.estimate.and_then(|e| e.low))),
    ("high", |row| number(row.estimate.and_then(|e| e.high))),
    ("alpha", |row| number(row.estimate.map(|e| e.alpha))),
    ("create_difference_ns", |row| {
        phase(row, |phases| phases.create_ns)
    }),
    ("steady_difference_ns", |row| {
        phase(row, |phases| phases.steady_ns)
    }),
    ("teardown_difference_ns", |row| {
        phase(row, |phases| phases.teardown_ns)
    }),
    ("subject_p95_ns", |row| tail(row, |tail| tail.subject.p95)),
    ("subject_p99_ns", |row| tail(row, |tail| tail.subject.p99)),
    ("subject_slow_runs", |row| {
        whole(row.tail.map(|tail| tail.subject.slow as u64))
    }),
    ("reference_p95_ns", |row| {
        tail(row, |tail| tail.reference.p95)
    }),
    ("reference_p99_ns", |row| {
        tail(row, |tail| tail.reference.p99)
    }),
    ("reference_slow_runs", |row| {
        whole(row.tail.map(|tail| tail.reference.slow as u64))
    }),
    ("average_ratio", |row| average(row, |one| Some(one.ratio))),
    ("average_low", |row| average(row, |one| one.low)),
    ("average_high", |row| average(row, |one| one.high)),
    ("average_is_apart", |row| {
        let average = row.average.as_ref();
        average.map_or_else(Field::default, |one| yes_or_no(one.is_apart))
    }),
    ("failed", |row| said(row.failed.as_ref())),
    ("sentence", |row| text(&row.sentence)),
    ("why", |row| text(row.why.join("; "))),
    ("early", |row| said(row.early.as_ref())),
    ("overstated", |row| said(row.overstated.as_ref())),
];

/// One row a finding: every variant but the first of a case against the first.
#[must_use]
pub fn findings(results: &Results) -> String {
    let rows = Place::all(results).flat_map(|place| {
        let findings = place.case.findings.iter();
        findings.map(move |finding| place.row(COLUMNS, finding))
    });
    sheet(Place::names(COLUMNS), rows)
}

fn phase(finding: &Finding, value: impl Fn(&Phases) -> f64) -> Field {
    number(finding.phases.as_ref().map(value))
}

fn tail(finding: &Finding, ns: fn(Tail) -> Option<f64>) -> Field {
    number(finding.tail.and_then(ns))
}

fn average(finding: &Finding, of: fn(&Estimate) -> Option<f64>) -> Field {
    let average = finding.average.as_ref();
    number(average.and_then(|one| of(&one.estimate)))
}

fn at_least(verdict: &Verdict) -> Option<f64> {
    match verdict {
        Verdict::Faster { at_least } | Verdict::Slower { at_least } => Some(*at_least),
        Verdict::Same { .. } | Verdict::CannotTell { .. } => None,
    }
}
