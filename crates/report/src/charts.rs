//! Charts as SVG, without a library and without a script.
//!
//! # Theory
//!
//! A chart that is scaled down to a telephone has text that nobody can read. So each is
//! drawn for two widths, [`WIDE`] and [`NARROW`], with the same size of text, and the page
//! shows the one that fits. What makes labels overlap is not knowing how wide they are: a
//! browser's font is not known here, so a column of text is taken to be [`COLUMN`] wide,
//! which is more than it is in the usual fonts. Margins come from the widest label, labels
//! of an axis that would touch are left out, and labels that are too long are cut.
//!
//! Colours are classes (`v0`, `v1`, ... for variants, `s0`, `s1`, ... for parts of a bar)
//! that the page's style sheet defines for light, dark and print; each variant also has a
//! marker of its own, so that colour never carries meaning alone.

pub(crate) mod axis;
pub(crate) mod bars;
pub(crate) mod course;
pub(crate) mod ecdf;
pub(crate) mod forest;
pub(crate) mod heat;
pub(crate) mod lines;
pub(crate) mod marker;
mod ratios;
pub(crate) mod slots;

use maud::{Markup, html};

use axis::Unit;
use bars::{Bar, Parts};
use course::Course;
use ecdf::Curve;
use forest::Row;
use heat::Grid;
use lines::Series;
use slots::Dot;

use crate::text::{cut, visible, width};

/// Width for tables beside text.
pub(crate) const WIDE: f64 = 860.0;
/// Width for a telephone.
pub(crate) const NARROW: f64 = 350.0;
/// What a column of text takes.
const COLUMN: f64 = 7.5;
/// Height of a line of text.
pub(crate) const LINE: f64 = 16.0;

/// How a chart is announced and drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'a> {
    /// Unique within the page.
    pub(crate) id: &'a str,
    /// The chart beside it that says the same, if there is one.
    pub(crate) described_by: Option<&'a str>,
    /// What it shows, in a few words.
    pub(crate) title: &'a str,
    /// What is to be seen in it.
    pub(crate) desc: &'a str,
    /// One of [`WIDE`] and [`NARROW`].
    pub(crate) width: f64,
}

impl Frame<'_> {
    /// Whether labels stand above what they label instead of beside it.
    pub(crate) fn is_narrow(&self) -> bool {
        self.width < 500.0
    }

    /// The whole chart. One that is described by another names it instead of saying it again.
    pub(crate) fn svg(&self, height: f64, body: &Markup) -> Markup {
        let said_by = self.described_by.unwrap_or(self.id);
        let (title, desc) = (format!("{said_by}-t"), format!("{said_by}-d"));
        html! {
            svg id=(self.id) role="img"
                viewBox=(format!("0 0 {} {}", px(self.width), px(height)))
                aria-labelledby=(format!("{title} {desc}")) {
                @if self.described_by.is_none() {
                    title id=(title) { (visible(self.title)) }
                    desc id=(desc) { (visible(self.desc)) }
                }
                (body)
            }
        }
    }
}

/// What charts refer to, once a document: markers and the hatching.
pub(crate) fn definitions() -> Markup {
    html! { (marker::definitions()) (heat::hatch()) }
}

/// A chart of any kind, ready to be drawn at any width.
#[derive(Debug, Clone)]
pub(crate) enum Chart {
    /// Ratios with their intervals, and the floor.
    Forest(Vec<Row>, f64),
    /// Times over a parameter, which is named.
    Lines(Vec<Series>, String),
    /// Slots in the order of time, of so many variants.
    Slots(Vec<Dot>, usize),
    /// How many of all values lie below each.
    Ecdf(Vec<Curve>),
    /// What a whole is made of.
    Bars(Vec<Bar>, Parts<'static>),
    /// A grid of ratios.
    Heat(Grid),
    /// A quantity over the time of a slot, and its unit.
    Course(Vec<Course>, &'static Unit),
}

/// How the axis of times is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Axis {
    Log,
    Linear,
}

impl Chart {
    /// The drawing; `axis` as it is asked for, or as suits the values.
    pub(crate) fn draw(&self, frame: &Frame<'_>, axis: Option<Axis>) -> Markup {
        let log = |usual: Axis| axis.unwrap_or(usual) == Axis::Log;
        match self {
            Self::Forest(rows, floor) => forest::forest(frame, rows, *floor),
            Self::Lines(series, unit) => lines::lines(frame, series, unit, log(Axis::Log)),
            Self::Slots(dots, variants) => slots::slots(frame, dots, *variants),
            Self::Ecdf(curves) => ecdf::ecdf(frame, curves, log(ecdf::usual(curves))),
            Self::Bars(all, parts) => bars::bars(frame, all, *parts),
            Self::Heat(grid) => heat::heat(frame, grid),
            Self::Course(lines, unit) => course::course(frame, lines, unit),
        }
    }

    /// The axis of times that it is drawn with and the other one, where there are two.
    pub(crate) fn axes(&self) -> Option<[Axis; 2]> {
        let usual = match self {
            Self::Lines(..) => Axis::Log,
            Self::Forest(..)
            | Self::Ecdf(..)
            | Self::Slots(..)
            | Self::Bars(..)
            | Self::Heat(..)
            | Self::Course(..) => return None,
        };
        Some(match usual {
            Axis::Log => [Axis::Log, Axis::Linear],
            Axis::Linear => [Axis::Linear, Axis::Log],
        })
    }
}

/// A length with at most one decimal.
pub(crate) fn px(length: f64) -> String {
    let rounded = (length * 10.0).round() / 10.0;
    // Adding zero makes a negative zero positive.
    format!("{}", rounded + 0.0)
}

/// What a label takes.
pub(crate) fn text_width(text: &str) -> f64 {
    width(&visible(text)) as f64 * COLUMN
}

/// The label, cut to a length.
pub(crate) fn fitted(text: &str, length: f64) -> String {
    cut(&visible(text), (length / COLUMN).max(1.0) as usize).into_owned()
}

/// The width of the widest label, at most `most`.
pub(crate) fn widest<'a>(labels: impl Iterator<Item = &'a str>, most: f64) -> f64 {
    labels.map(text_width).fold(0.0, f64::max).min(most)
}

/// A label; `anchor` is `start`, `middle` or `end`.
pub(crate) fn label(x: f64, y: f64, anchor: &str, class: &str, text: &str) -> Markup {
    // Short names: a page has thousands of labels.
    let class = match anchor {
        "middle" => format!("m {class}"),
        "end" => format!("e {class}"),
        _ => class.to_owned(),
    };
    let class = class.trim_end();
    html! { text x=(px(x)) y=(px(y)) class=[(!class.is_empty()).then_some(class)] { (visible(text)) } }
}

/// A straight line.
pub(crate) fn line(from: (f64, f64), to: (f64, f64), class: &str) -> Markup {
    html! { line x1=(px(from.0)) y1=(px(from.1)) x2=(px(to.0)) y2=(px(to.1)) class=(class) {} }
}
