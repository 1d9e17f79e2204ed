//! `shared.csv`: what sharing an address space and a file table does.

use lab::findings::Word;
use lab::{CaseResult, Effect, Shared};

use super::{Field, number, said, text, whole};

pub(super) struct Row<'a> {
    case: &'a CaseResult,
    shared: Shared,
}

pub(super) type Column = (&'static str, fn(&Row<'_>) -> Field);

pub(super) const COLUMNS: &[Column] = &[
    ("flows", |row| {
        whole(row.first().map(|v| u64::from(v.flows)))
    }),
    ("placement", |row| {
        said(row.first().map(|first| first.placement.to_string()))
    }),
    ("cause", |row| text(row.shared.cause.words())),
    ("rounds", |row| {
        whole(Some(row.shared.address_space.estimate.rounds as u64))
    }),
    ("address_space_verdict", |row| {
        text(Word::of_time(row.shared.address_space.verdict).name())
    }),
    ("address_space_ratio", |row| {
        ratio(&row.shared.address_space)
    }),
    ("address_space_low", |row| low(&row.shared.address_space)),
    ("address_space_high", |row| high(&row.shared.address_space)),
    ("file_table_verdict", |row| {
        text(Word::of_time(row.shared.file_table.verdict).name())
    }),
    ("file_table_ratio", |row| ratio(&row.shared.file_table)),
    ("file_table_low", |row| low(&row.shared.file_table)),
    ("file_table_high", |row| high(&row.shared.file_table)),
    ("alpha", |row| {
        number(Some(row.shared.file_table.estimate.alpha))
    }),
];

/// One of a case that ran processes, threads and both models in between.
pub(super) fn rows(case: &CaseResult) -> Option<Row<'_>> {
    let shared = case.shared?;
    Some(Row { case, shared })
}

impl Row<'_> {
    fn first(&self) -> Option<&flow::Variant> {
        let variants = &self.case.case.variants;
        variants.first().map(|labelled| &labelled.variant)
    }
}

fn ratio(effect: &Effect) -> Field {
    number(Some(effect.estimate.ratio))
}

fn low(effect: &Effect) -> Field {
    number(effect.estimate.low)
}

fn high(effect: &Effect) -> Field {
    number(effect.estimate.high)
}
