//! Runs side by side: one row a variant of a case and a run.

use lab::compare::{
    Basis, Change, ComparedCase, ComparedStudy, ComparedVariant, Floor, SideBySide,
};
use lab::findings::Word;
use stats::{Estimate, Verdict};

use super::{Field, filled_in, lines, names, number, said, sheet, text, whole};

struct Row<'a> {
    all: &'a SideBySide,
    study: &'a ComparedStudy,
    case: &'a ComparedCase,
    variant: &'a ComparedVariant,
    run: usize,
}

type Column = (&'static str, fn(&Row<'_>) -> Field);

const COLUMNS: &[Column] = &[
    ("study", |row| text(&row.study.name)),
    ("case", |row| text(&row.case.name)),
    ("sweep", |row| row.point(|point| text(&point.sweep))),
    ("parameter", |row| row.point(|point| text(&point.parameter))),
    ("parameter_value", |row| {
        row.point(|point| number(Some(point.value)))
    }),
    ("variant", |row| text(&row.variant.label)),
    ("metric", |row| text(row.case.metric.name())),
    ("run", |row| text(&row.all.runs[row.run].name)),
    ("reference_run", |row| text(&row.all.runs[0].name)),
    ("basis", |row| {
        text(match row.case.basis {
            Basis::Times => "times",
            Basis::Relative => "relative",
        })
    }),
    ("typical_ns", |row| {
        number(row.side().and_then(|side| Some(side.value?.typical)))
    }),
    ("undisturbed_ns", |row| {
        number(row.side().and_then(|side| side.undisturbed_ns))
    }),
    ("cpu_ns", |row| {
        number(row.side().and_then(|side| side.cpu_ns))
    }),
    ("memory_bytes", |row| {
        whole(row.side().and_then(|side| Some(side.memory?.total())))
    }),
    ("good_slots", |row| {
        whole(row.side().map(|side| side.good as u64))
    }),
    ("verdict", |row| {
        row.of(|change| text(Word::of_time(change.verdict).name()))
    }),
    ("at_least", |row| {
        row.of(|change| match change.verdict {
            Verdict::Faster { at_least } | Verdict::Slower { at_least } => number(Some(at_least)),
            _ => Field::default(),
        })
    }),
    ("floor", |row| {
        number(row.floor().map(|floor| floor.fraction))
    }),
    ("values", |row| {
        row.of(|change| whole(Some(change.values.1 as u64)))
    }),
    ("reference_values", |row| {
        row.of(|change| whole(Some(change.values.0 as u64)))
    }),
    ("ratio", |row| row.estimate(|e| Some(e.ratio))),
    ("low", |row| row.estimate(|e| e.low)),
    ("high", |row| row.estimate(|e| e.high)),
    ("alpha", |row| row.estimate(|e| Some(e.alpha))),
    ("not_compared", |row| {
        row.of(|change| said(change.not_compared.as_ref()))
    }),
    ("sentence", |row| row.of(|change| text(&change.sentence))),
];

/// One row a variant of a case and a run; the first run has no comparison.
#[must_use]
pub fn compared(all: &SideBySide) -> String {
    sheet(names(COLUMNS), filled(all))
}

/// The same as JSON Lines.
#[must_use]
pub fn compared_lines(all: &SideBySide) -> String {
    lines(names(COLUMNS), filled(all))
}

fn filled(all: &SideBySide) -> impl Iterator<Item = Vec<Field>> {
    rows(all).map(|row| filled_in(COLUMNS, &row))
}

fn rows(all: &SideBySide) -> impl Iterator<Item = Row<'_>> {
    all.studies.iter().flat_map(move |study| {
        study.cases.iter().flat_map(move |case| {
            case.variants.iter().flat_map(move |variant| {
                let runs = (0..all.runs.len()).filter(|run| variant.sides[*run].is_some());
                runs.map(move |run| Row {
                    all,
                    study,
                    case,
                    variant,
                    run,
                })
            })
        })
    })
}

impl Row<'_> {
    fn side(&self) -> Option<&lab::VariantSummary> {
        self.variant.sides[self.run].as_ref()
    }

    fn floor(&self) -> Option<Floor> {
        self.case.floors[self.run]
    }

    fn point(&self, of: impl Fn(&lab::SweepPoint) -> Field) -> Field {
        self.case.sweep.as_ref().map_or_else(Field::default, of)
    }

    fn of(&self, of: impl Fn(&Change) -> Field) -> Field {
        let change = self.variant.changes[self.run].as_ref();
        change.map_or_else(Field::default, of)
    }

    fn estimate(&self, of: fn(&Estimate) -> Option<f64>) -> Field {
        self.of(|change| number(change.estimate.as_ref().and_then(of)))
    }
}
