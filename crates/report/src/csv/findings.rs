//! `findings.csv`: the verdict on each pair.

use lab::findings::Word;
use lab::{Finding, Phases, Results};
use stats::{TailSide, Verdict};

use super::place::Place;
use super::{Field, number, sheet, text, whole};

struct Row<'a> {
    place: Place<'a>,
    finding: &'a Finding,
}

type Column = (&'static str, fn(&Row<'_>) -> Field);

const COLUMNS: &[Column] = &[
    ("subject", |row| text(&row.finding.subject)),
    ("reference", |row| text(&row.finding.reference)),
    ("metric", |row| text(row.finding.metric.name())),
    ("verdict", |row| {
        text(Word::of_time(row.finding.verdict).name())
    }),
    ("at_least", |row| number(at_least(&row.finding.verdict))),
    ("floor", |row| number(Some(row.finding.floor))),
    ("more_rounds", |row| match row.finding.verdict {
        Verdict::CannotTell { more_rounds } => whole(more_rounds.map(|rounds| rounds as u64)),
        _ => Field::Nothing,
    }),
    ("rounds", |row| {
        whole(row.finding.estimate.map(|e| e.rounds as u64))
    }),
    ("ratio", |row| number(row.finding.estimate.map(|e| e.ratio))),
    ("low", |row| {
        number(row.finding.estimate.and_then(|e| e.low))
    }),
    ("high", |row| {
        number(row.finding.estimate.and_then(|e| e.high))
    }),
    ("alpha", |row| number(row.finding.estimate.map(|e| e.alpha))),
    ("create_difference_ns", |row| {
        row.phase(|phases| phases.create_ns)
    }),
    ("steady_difference_ns", |row| {
        row.phase(|phases| phases.steady_ns)
    }),
    ("teardown_difference_ns", |row| {
        row.phase(|phases| phases.teardown_ns)
    }),
    ("subject_p95_ns", |row| {
        number(row.subject().and_then(|side| side.p95))
    }),
    ("subject_p99_ns", |row| {
        number(row.subject().and_then(|side| side.p99))
    }),
    ("subject_slow_runs", |row| {
        whole(row.subject().map(|side| side.slow as u64))
    }),
    ("reference_p95_ns", |row| {
        number(row.reference().and_then(|side| side.p95))
    }),
    ("reference_p99_ns", |row| {
        number(row.reference().and_then(|side| side.p99))
    }),
    ("reference_slow_runs", |row| {
        whole(row.reference().map(|side| side.slow as u64))
    }),
    ("average_ratio", |row| {
        number(row.average().map(|one| one.estimate.ratio))
    }),
    ("average_low", |row| {
        number(row.average().and_then(|one| one.estimate.low))
    }),
    ("average_high", |row| {
        number(row.average().and_then(|one| one.estimate.high))
    }),
    ("average_is_apart", |row| {
        row.average().map_or(Field::Nothing, |one| {
            text(if one.is_apart { "yes" } else { "no" })
        })
    }),
    ("failed", |row| said(row.finding.failed.as_ref())),
    ("sentence", |row| text(&row.finding.sentence)),
    ("why", |row| text(row.finding.why.join("; "))),
    ("early", |row| said(row.finding.early.as_ref())),
    ("overstated", |row| said(row.finding.overstated.as_ref())),
];

/// One row a finding: every variant but the first of a case against the first.
#[must_use]
pub fn findings(results: &Results) -> String {
    let findings = Place::all(results).flat_map(|place| {
        let findings = place.case.findings.iter();
        findings.map(move |finding| Row { place, finding })
    });
    sheet(
        Place::names(COLUMNS),
        findings.map(|row| row.place.row(COLUMNS, &row)),
    )
}

impl Row<'_> {
    fn phase(&self, value: impl Fn(&Phases) -> f64) -> Field {
        number(self.finding.phases.as_ref().map(value))
    }

    fn average(&self) -> Option<&lab::findings::Average> {
        self.finding.average.as_ref()
    }

    fn subject(&self) -> Option<TailSide> {
        self.finding.tail.map(|tail| tail.subject)
    }

    fn reference(&self) -> Option<TailSide> {
        self.finding.tail.map(|tail| tail.reference)
    }
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
