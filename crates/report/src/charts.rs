//! Charts as SVG, without a library and without a script. Each is drawn once, [`frame::PAGE`] wide;
//! on [`frame::PHONE`] the style sheet enlarges text and markers by as much as the drawing shrank.
//! A drawing leaves room for both sizes ([`Frame::large`]); labels without room when large have the
//! class `w` and are left out there. Charts that are rows of text are drawn here for files; the
//! page has tables (`html::tabled`).
//!
//! A browser's font is unknown here, so a column of text is taken to be [`frame::COLUMN`] wide.
//! Axis labels that would touch are left out, and too long ones are cut. Colours are classes (`v0`,
//! `v1`, ... for variants, `s0`, `s1`, ... for parts of a bar) that the style sheet defines for
//! light, dark and print; each variant also has its own [`marker`].

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

pub(crate) fn definitions(drawing: &str) -> Markup {
    html! { (marker::definitions(drawing)) (heat::hatch()) }
}

#[derive(Debug, Clone)]
pub(crate) enum Chart {
    Forest(Vec<Row>),
    Lines(Vec<Series>, String),
    Gains(Gains),
    /// In order of time; the number of variants.
    Slots(Vec<Dot>, usize),
    Ecdf(Vec<Curve>, &'static str),
    Bars(Vec<Bar>, Parts<'static>),
    Flames(Flames),
    Heat(Grid),
    Multiples(Vec<Panel>),
    Course(Vec<Course>, &'static Unit),
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
