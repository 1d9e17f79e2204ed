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
pub(crate) use forest::forest;
pub(crate) use gains::{chain, gains, over_number};
pub(crate) use grids::{by_shape, cell, of_mixes, of_sweep};
pub(crate) use heat::heat;
pub(crate) use lines::{data, lines};
pub(crate) use ruler::ruler;
pub(crate) use slots::slots;
pub(crate) use stacks::{memory, phases, stack};

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

#[derive(Debug, Default)]
pub(crate) struct Figures(pub(crate) Vec<Figure>);

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
    let count = |wanted: Tone| tones.iter().filter(|tone| **tone == wanted).count();
    let said = kinds.map(|(tone, word)| (count(tone), word));
    let said = said.into_iter().filter(|(count, _)| *count > 0);
    let said: Vec<String> = said
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    format!(
        "{}: {}",
        many(tones.len() as u64, "comparison"),
        said.join(", ")
    )
}

impl From<Figure> for Figures {
    fn from(figure: Figure) -> Self {
        Self(vec![figure])
    }
}

impl Figures {
    pub(crate) fn and(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }
}

impl Legend {
    pub(crate) fn variants<'a>(labels: impl Iterator<Item = &'a str>) -> Self {
        let labels = labels.enumerate();
        Self::Series(
            labels
                .map(|(place, label)| (Look::Variant(place), label.to_owned()))
                .collect(),
        )
    }

    pub(crate) fn lines(series: &[Series]) -> Self {
        let series = series.iter();
        Self::Series(series.map(|one| (one.look, one.label.clone())).collect())
    }
}
