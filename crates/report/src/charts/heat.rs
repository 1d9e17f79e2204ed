//! A grid of ratios: rows by columns, each cell a comparison in colour and in words; hatched where
//! it settles nothing, empty where there is none. The scale diverges from neutral (*same*) to blue
//! (faster) and orange (slower), for people who see no red or no green too. Its [`STEPS`] are
//! fixed, so that grids can be laid side by side.

mod panels;

use maud::{Markup, html};

pub(super) use panels::heat;

use crate::words::Tone;

pub(crate) const STEPS: [f64; 3] = [1.25, 2.0, 8.0];
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cell {
    pub(crate) ratio: Option<f64>,
    pub(crate) interval: Option<(f64, f64)>,
    pub(crate) word: String,
    pub(crate) ends: String,
    pub(crate) tone: Tone,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Grid {
    pub(crate) corner: [String; 2],
    pub(crate) rows: Vec<String>,
    pub(crate) columns: Vec<String>,
    pub(crate) cells: Vec<Vec<Option<Cell>>>,
}

/// `h0` (much faster) over `h4` (same) to `h8` (much slower), `hd` not known, `hn` not compared.
pub(crate) fn level(cell: &Cell) -> &'static str {
    const FASTER: [&str; 4] = ["h3", "h2", "h1", "h0"];
    const SLOWER: [&str; 4] = ["h5", "h6", "h7", "h8"];
    let deep = |ratio: f64| {
        STEPS
            .iter()
            .filter(|step| ratio.max(1.0 / ratio) >= **step)
            .count()
    };
    match (cell.tone, cell.ratio) {
        (Tone::Faster, Some(ratio)) => FASTER[deep(ratio)],
        (Tone::Slower, Some(ratio)) => SLOWER[deep(ratio)],
        (Tone::Doubt, Some(_)) => "hd",
        (Tone::Doubt, None) => "hn",
        _ => "h4",
    }
}

pub(crate) fn scale() -> Vec<(&'static str, String)> {
    let [small, some, much] = STEPS;
    vec![
        ("h0", format!("{much}x faster and more")),
        ("h1", format!("{some}x")),
        ("h2", format!("{small}x")),
        ("h3", "faster".to_owned()),
        ("h4", "same".to_owned()),
        ("h5", "slower".to_owned()),
        ("h6", format!("{small}x")),
        ("h7", format!("{some}x")),
        ("h8", format!("{much}x slower and more")),
        ("hd", "cannot tell".to_owned()),
        ("hn", "not compared".to_owned()),
    ]
}

pub(crate) fn hatch() -> Markup {
    html! {
        pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
            line class="stroke" x1="0" y1="0" x2="0" y2="7" {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(ratio: f64, tone: Tone) -> Cell {
        Cell {
            ratio: Some(ratio),
            interval: None,
            word: "cannot tell".to_owned(),
            ends: "[0.967 ... 1.021]".to_owned(),
            tone,
        }
    }

    #[test]
    fn the_colour_goes_by_verdict_and_then_by_size() {
        assert_eq!(level(&cell(0.99, Tone::Faster)), "h3");
        assert_eq!(level(&cell(0.5, Tone::Faster)), "h1");
        assert_eq!(level(&cell(0.1, Tone::Faster)), "h0");
        assert_eq!(level(&cell(1.3, Tone::Slower)), "h6");
        assert_eq!(level(&cell(800.0, Tone::Slower)), "h8");
        assert_eq!(level(&cell(1.3, Tone::Plain)), "h4");
        assert_eq!(level(&cell(1.3, Tone::Doubt)), "hd");
    }

    #[test]
    fn what_was_not_compared_looks_other_than_what_cannot_be_told() {
        let nothing = Cell {
            ratio: None,
            ..cell(1.0, Tone::Doubt)
        };
        assert_eq!(level(&nothing), "hn");
        assert_eq!(scale().last(), Some(&("hn", "not compared".to_owned())));
    }
}
