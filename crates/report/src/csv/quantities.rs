//! `quantities.csv`: every quantity of every variant, and how it compares.

use lab::findings::quantity::MEDIAN;
use lab::findings::{Amount, Contrast};
use lab::{Quantity, QuantityFinding, Results};
use measure::Measured;

use super::place::Place;
use super::{Field, number, sheet, text, whole};

enum Row<'a> {
    Alone(&'a Quantity),
    Against(&'a QuantityFinding),
}

type Column = (&'static str, fn(&Row<'_>) -> Field);

const COLUMNS: &[Column] = &[
    ("quantity", |row| {
        text(row.either(|one| &one.name, |pair| &pair.name))
    }),
    ("unit", |row| {
        text(row.either(|one| one.unit.name(), |pair| pair.unit.name()))
    }),
    ("subject", |row| {
        text(row.either(|one| &one.of, |pair| &pair.subject))
    }),
    ("reference", |row| {
        text(row.either(|_| "", |pair| &pair.reference))
    }),
    ("basis", |row| {
        text(row.contrast().map_or("", |contrast| contrast.basis.name()))
    }),
    ("estimate", |row| {
        row.number(|one| Some(one.estimate), |pair| Some(pair.estimate))
    }),
    ("low", |row| row.number(|one| one.low, |pair| pair.low)),
    ("high", |row| row.number(|one| one.high, |pair| pair.high)),
    ("values", |row| {
        let slots = row.amount().map(|one| one.slots as u64);
        whole(slots.or_else(|| row.contrast().map(|pair| pair.rounds as u64)))
    }),
    ("estimator", |row| {
        text(match row {
            Row::Alone(_) => MEDIAN,
            Row::Against(_) => row
                .contrast()
                .map_or("", |contrast| contrast.basis.estimator()),
        })
    }),
    ("verdict", |row| {
        text(row.either(|_| "", |pair| pair.verdict.name()))
    }),
    ("not_available", |row| text(row.missing().unwrap_or(""))),
    ("sentence", |row| {
        text(row.either(|_| "", |pair| &pair.sentence))
    }),
];

/// One row a variant and quantity, then one a comparison and quantity.
#[must_use]
pub fn quantities(results: &Results) -> String {
    let rows = Place::all(results).flat_map(|place| {
        let alone = place.case.quantities.iter().map(Row::Alone);
        let against = place.case.contrasts.iter().map(Row::Against);
        let rows = alone.chain(against);
        rows.map(move |row| place.row(COLUMNS, &row))
    });
    sheet(Place::names(COLUMNS), rows)
}

impl<'a> Row<'a> {
    fn either<T>(
        &self,
        alone: impl FnOnce(&'a Quantity) -> T,
        against: impl FnOnce(&'a QuantityFinding) -> T,
    ) -> T {
        match *self {
            Row::Alone(one) => alone(one),
            Row::Against(pair) => against(pair),
        }
    }

    fn amount(&self) -> Option<&Amount> {
        self.either(|one| one.value.value(), |_| None)
    }

    fn contrast(&self) -> Option<&Contrast> {
        self.either(|_| None, |pair| pair.contrast.value())
    }

    fn number(
        &self,
        alone: impl FnOnce(&Amount) -> Option<f64>,
        against: impl FnOnce(&Contrast) -> Option<f64>,
    ) -> Field {
        let value = self.amount().and_then(alone);
        number(value.or_else(|| self.contrast().and_then(against)))
    }

    fn missing(&self) -> Option<&str> {
        self.either(|one| why(&one.value), |pair| why(&pair.contrast))
    }
}

fn why<T>(measured: &Measured<T>) -> Option<&str> {
    match measured {
        Measured::Value(_) => None,
        Measured::NotAvailable { reason, .. } => Some(reason),
    }
}
