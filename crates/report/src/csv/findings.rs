//! `findings.csv`: the verdict on each pair.

use lab::findings::Word;
use lab::{Finding, Phases, Results};
use stats::{TailSide, Verdict};

use super::place::Place;
use super::{Field, number, sheet, text, whole};

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
        _ => Field::Nothing,
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
    ("subject_p95_ns", |row| {
        number(subject(row).and_then(|side| side.p95))
    }),
    ("subject_p99_ns", |row| {
        number(subject(row).and_then(|side| side.p99))
    }),
    ("subject_slow_runs", |row| {
        whole(subject(row).map(|side| side.slow as u64))
    }),
    ("reference_p95_ns", |row| {
        number(reference(row).and_then(|side| side.p95))
    }),
    ("reference_p99_ns", |row| {
        number(reference(row).and_then(|side| side.p99))
    }),
    ("reference_slow_runs", |row| {
        whole(reference(row).map(|side| side.slow as u64))
    }),
    ("average_ratio", |row| {
        number(row.average.as_ref().map(|one| one.estimate.ratio))
    }),
    ("average_low", |row| {
        number(row.average.as_ref().and_then(|one| one.estimate.low))
    }),
    ("average_high", |row| {
        number(row.average.as_ref().and_then(|one| one.estimate.high))
    }),
    ("average_is_apart", |row| {
        row.average.as_ref().map_or(Field::Nothing, |one| {
            text(if one.is_apart { "yes" } else { "no" })
        })
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

fn subject(finding: &Finding) -> Option<TailSide> {
    finding.tail.map(|tail| tail.subject)
}

fn reference(finding: &Finding) -> Option<TailSide> {
    finding.tail.map(|tail| tail.reference)
}

fn said(text_of: Option<&String>) -> Field {
    text_of.map_or(Field::Nothing, text)
}

fn at_least(verdict: &Verdict) -> Option<f64> {
    match verdict {
        Verdict::Faster { at_least } | Verdict::Slower { at_least } => Some(*at_least),
        Verdict::Same { .. } | Verdict::CannotTell { .. } => None,
    }
}
