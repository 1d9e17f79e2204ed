//! Charts as SVG, without a library and without a script.
//!
//! # Theory
//!
//! A chart that is scaled down to a telephone has text that nobody can read. On the page
//! each is drawn once, [`frame::PAGE`] wide, and where it is shown on [`frame::PHONE`] the style sheet makes
//! its text and markers larger by as much as the drawing became smaller. So a drawing for the
//! page leaves room for text of both sizes ([`Frame::large`]), and labels that have no room
//! when they are large have a class (`w`) by which they are left out there. Charts that are
//! rows of text with something drawn beside it are drawn here only for files: on the page
//! they are tables (`html::tabled`), which flow.
//!
//! What makes labels overlap is not knowing how wide they are: a browser's font is not known
//! here, so a column of text is taken to be [`frame::COLUMN`] wide, which is more than it is in the
//! usual fonts. Margins come from the widest label, labels of an axis that would touch are
//! left out, and labels that are too long are cut.
//!
//! Colours are classes (`v0`, `v1`, ... for variants, `s0`, `s1`, ... for parts of a bar)
//! that the page's style sheet defines for light, dark and print; each variant also has a
//! marker of its own ([`marker`]), so that colour never carries meaning alone.

pub(crate) mod axis;
pub(crate) mod bars;
pub(crate) mod course;
pub(crate) mod ecdf;
pub(crate) mod flames;
pub(crate) mod forest;
mod frame;
pub(crate) mod gains;
pub(crate) mod heat;
pub(crate) mod lines;
pub(crate) mod marker;
pub(crate) mod multiples;
pub(crate) mod ratios;
pub(crate) mod ruler;
pub(crate) mod slots;

use maud::{Markup, html};

use axis::Unit;
use bars::{Bar, Parts};
use course::Course;
use ecdf::Curve;
use flames::Flames;
use forest::Row;
pub(crate) use frame::{Frame, LINE, WIDE, label, px, text_width};
use gains::Gains;
use heat::Grid;
use lines::Series;
use multiples::Panel;
use ruler::Step;
use slots::Dot;

/// What a drawing refers to in a file: markers and the hatching.
pub(crate) fn definitions(drawing: &str) -> Markup {
    html! { (marker::definitions(drawing)) (heat::hatch()) }
}

#[derive(Debug, Clone)]
pub(crate) enum Chart {
    Forest(Vec<Row>),
    Lines(Vec<Series>, String),
    Gains(Gains),
    /// In order of time, with the number of variants.
    Slots(Vec<Dot>, usize),
    /// With what the times are of.
    Ecdf(Vec<Curve>, &'static str),
    Bars(Vec<Bar>, Parts<'static>),
    /// Callers of both sides of a profile.
    Flames(Flames),
    Heat(Grid),
    Multiples(Vec<Panel>),
    Course(Vec<Course>, &'static Unit),
    /// The shortest first.
    Ruler(Vec<Step>),
}

impl Chart {
    pub(crate) fn draw(&self, frame: &Frame<'_>) -> Markup {
        match self {
            Self::Forest(rows) => forest::forest(frame, rows),
            Self::Lines(series, unit) => lines::lines(frame, series, unit),
            Self::Gains(gains) => gains::gains(frame, gains),
            Self::Slots(dots, variants) => slots::slots(frame, dots, *variants),
            Self::Ecdf(curves, what) => ecdf::ecdf(frame, curves, what),
            Self::Bars(all, parts) => bars::bars(frame, all, *parts),
            Self::Flames(trees) => flames::flames(frame, trees),
            Self::Heat(grid) => heat::heat(frame, grid),
            Self::Multiples(panels) => multiples::multiples(frame, panels),
            Self::Course(lines, unit) => course::course(frame, lines, unit),
            Self::Ruler(steps) => ruler::ruler(frame, steps),
        }
    }
}
