//! The table of a case, as the terminal and the page show it: one row a variant and run.

use lab::VariantSummary;
use lab::compare::{ComparedCase, SideBySide};

use super::said;
use crate::number::{bytes, time};
use crate::words::{Comparison, Tone};

/// A variant in a run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row<'a> {
    pub(super) variant: &'a str,
    pub(super) run: &'a str,
    /// Typical time and memory.
    pub(super) measured: [Option<String>; 2],
    /// How it compares with the first run.
    pub(super) said: Comparison,
}

/// All rows of a case.
pub(super) fn rows<'a>(all: &'a SideBySide, case: &'a ComparedCase) -> Vec<Row<'a>> {
    let variants = case.variants.iter();
    let rows = variants.flat_map(|variant| {
        let sides = variant.sides.iter().enumerate();
        sides.filter_map(move |(run, side)| {
            Some(Row {
                variant: &variant.label,
                run: &all.runs[run].name,
                measured: measured(side.as_ref()?),
                said: match &variant.changes[run] {
                    Some(change) => said(change),
                    None => without(if run == 0 { "reference" } else { "" }),
                },
            })
        })
    });
    rows.collect()
}

fn measured(side: &VariantSummary) -> [Option<String>; 2] {
    [
        side.value.map(|value| time(value.typical)),
        side.memory.map(|memory| bytes(memory.total() as f64)),
    ]
}

/// A word where nothing is compared.
fn without(word: &str) -> Comparison {
    Comparison {
        word: word.to_owned(),
        interval: String::new(),
        tone: Tone::Quiet,
    }
}
