mod course;
mod ecdf;
mod flames;
mod forest;
mod gains;
mod grids;
mod heat;
mod lines;
mod ruler;
mod slots;
mod stacks;

pub(crate) use course::course;
pub(crate) use ecdf::{ecdf, latencies};
pub(crate) use flames::flames;
pub(crate) use forest::{forest, of_rows};
pub(crate) use gains::{chain, gains, of_gains};
pub(crate) use grids::{by_shape, cell, of_mixes, of_sweep};
pub(crate) use heat::heat;
pub(crate) use lines::{data, lines};
pub(crate) use ruler::ruler;
pub(crate) use slots::slots;
pub(crate) use stacks::{memory, phases, stack};

use lab::CaseResult;

use super::table::Table;
use crate::charts::Chart;
use crate::charts::lines::Series;
use crate::charts::marker::Look;
use crate::words::{Tone, many};

#[derive(Debug)]
pub(crate) struct Figure {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) desc: String,
    pub(crate) legend: Legend,
    pub(crate) data: Option<Table>,
    pub(crate) chart: Chart,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Legend {
    None,
    Series(Vec<(Look, String)>),
    Parts(&'static [&'static str]),
    Keys(Vec<(&'static str, String)>),
}

const NAMED: usize = 4;

pub(crate) fn brief(said: &[String]) -> String {
    match said.len().saturating_sub(NAMED) {
        0 => said.join(", "),
        more => format!("{}, {more} more", said[..NAMED].join(", ")),
    }
}

/// What many comparisons found: `Of 12 comparisons 5 are faster, 2 slower, 4 not known`.
pub(crate) fn tally(tones: impl Iterator<Item = Tone>) -> String {
    let tones: Vec<Tone> = tones.collect();
    let kinds = [
        (Tone::Faster, "faster"),
        (Tone::Slower, "slower"),
        (Tone::Plain, "the same"),
        (Tone::Doubt, "not known"),
    ];
    let said = kinds.iter().filter_map(|(wanted, word)| {
        let count = tones.iter().filter(|tone| *tone == wanted).count();
        (count > 0).then(|| format!("{count} {word}"))
    });
    let said: Vec<String> = said.collect();
    format!(
        "{}: {}",
        many(tones.len() as u64, "comparison"),
        said.join(", ")
    )
}

impl Figure {
    pub(crate) fn new(id: impl Into<String>, title: String, desc: String, chart: Chart) -> Self {
        Self {
            id: id.into(),
            title,
            desc,
            legend: Legend::None,
            data: None,
            chart,
        }
    }

    pub(crate) fn legend(self, legend: Legend) -> Self {
        Self { legend, ..self }
    }

    pub(crate) fn data(self, data: Table) -> Self {
        let data = Some(data);
        Self { data, ..self }
    }
}

impl Legend {
    pub(crate) fn of(case: &CaseResult) -> Self {
        let variants = case.variants.iter().enumerate();
        let series = variants.map(|(at, variant)| (Look::Variant(at), variant.label.clone()));
        Self::Series(series.collect())
    }

    pub(crate) fn lines(series: &[Series]) -> Self {
        let series = series.iter();
        Self::Series(series.map(|one| (one.look, one.label.clone())).collect())
    }
}
