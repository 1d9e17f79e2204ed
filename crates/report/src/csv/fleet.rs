//! Many machines: one row a comparison and machine.

use lab::findings::Word;
use lab::fleet::{Comparison, Fleet, OnMachine};
use stats::Estimate;

use super::{Field, filled_in, lines, names, number, sheet, text, whole};

struct Row<'a> {
    fleet: &'a Fleet,
    one: &'a Comparison,
    on: &'a OnMachine,
}

type Column = (&'static str, fn(&Row<'_>) -> Field);

const COLUMNS: &[Column] = &[
    ("machine", |row| {
        text(&row.fleet.machines[row.on.machine].name)
    }),
    ("study", |row| text(&row.one.study)),
    ("case", |row| text(&row.one.case)),
    ("subject", |row| text(&row.one.subject)),
    ("reference", |row| text(&row.one.reference)),
    ("metric", |row| text(row.one.metric.name())),
    ("headline", |row| text(row.one.is_headline.to_string())),
    ("rounds", |row| {
        whole(row.on.finding.estimate.map(|e| e.rounds as u64))
    }),
    ("ratio", |row| row.estimate(|e| Some(e.ratio))),
    ("low", |row| row.estimate(|e| e.low)),
    ("high", |row| row.estimate(|e| e.high)),
    ("alpha", |row| row.estimate(|e| Some(e.alpha))),
    ("verdict", |row| {
        text(Word::of_time(row.on.finding.verdict).name())
    }),
    ("p_value", |row| number(row.on.finding.p_value)),
    ("established", |row| text(row.on.established.to_string())),
    ("noise", |row| number(row.on.finding.noise)),
];

impl Row<'_> {
    fn estimate(&self, of: fn(&Estimate) -> Option<f64>) -> Field {
        number(self.on.finding.estimate.as_ref().and_then(of))
    }
}

/// One row a comparison and machine.
#[must_use]
pub fn fleet(fleet: &Fleet) -> String {
    sheet(names(COLUMNS), filled(fleet))
}

/// The same as JSON Lines.
#[must_use]
pub fn fleet_lines(fleet: &Fleet) -> String {
    lines(names(COLUMNS), filled(fleet))
}

fn filled(fleet: &Fleet) -> impl Iterator<Item = Vec<Field>> {
    let rows = fleet.comparisons.iter().flat_map(move |one| {
        let each = one.each.iter();
        each.map(move |on| Row { fleet, one, on })
    });
    rows.map(|row| filled_in(COLUMNS, &row))
}
