//! The law of a sweep over the number of workers: how time grows with them.
//!
//! # Theory
//!
//! Every worker does the same amount of work. If they share one thing that serves one of them
//! at a time, the time is their number times what one takes: **linear**. If what they wait
//! for serves all at once, the time stays what it is: **flat**. Between the two lies what is
//! partly shared.
//!
//! The line is Theil and Sen's through all slots of the sweep ([`stats::Line`]). Its slope is
//! what one more worker costs. To be read without knowing the work it is set against one
//! worker's part of the time in the middle of the sweep, the time there over the number there:
//!
//! ```text
//! growth = slope / (time / number)        1 = linear through nothing, 0 = flat
//! ```
//!
//! A law is claimed where the whole interval of the growth lies near its value, linear also
//! only where the medians lie on a line, flat only where the interval holds 0: a growth that is small
//! and known not to be 0 is *nearly flat*. Beyond that it is said what the interval is.
//!
//! What is expected rests on what the work is: on one CPU, arithmetic is linear; of memory
//! and files that wait for something other than the CPU, it is flat (the source found memory flat
//! and files going up in steps). Where a law is linear against that, and the
//! workers together keep their CPU busy, it is the CPU that they wait for. Slots of one count
//! lie together in time, so a machine that drifts through a sweep bends its law: the rounds
//! of the comparison at each count are immune to that and this is not.

use serde::{Deserialize, Serialize};
use stats::Line;

use super::{CaseResult, VariantSummary};
use crate::number::{plain, time, time_interval};
use crate::words::plural;

/// Growth this near to 0 is flat or nearly so, this near to 1 linear.
const NEAR: f64 = 0.15;
/// How much of the medians' way the line must account for, where a law is called linear.
const STRAIGHT: f64 = 0.9;
/// Workers that together use so much of a CPU keep it busy.
const BUSY: f64 = 0.9;
/// Fewest counts that a law is fitted to: two are always on a line.
const COUNTS: usize = 3;

/// How the time of a variant grows with the number of workers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Law {
    /// The sweep.
    pub sweep: String,
    /// The variant's label.
    pub variant: String,
    /// What the workers do (`cpu`).
    pub kind: String,
    /// Smallest and largest number of workers.
    pub counts: [f64; 2],
    /// The line: times in ns over the number of workers.
    pub line: Line,
    /// What one more worker costs over one worker's part of the time.
    pub growth: f64,
    /// The 95 % interval of that; `None` for too few slots.
    pub growth_interval: Option<[f64; 2]>,
    /// What the law is.
    pub shape: Shape,
    /// What it was expected to be, where that can be said.
    pub expected: Option<Shape>,
    /// CPU time over wall time of all workers together, at the largest number.
    pub cpu_share: Option<f64>,
    /// All this in a sentence.
    pub sentence: String,
}

/// The shape of a law.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// The time does not change, as far as the slots tell.
    Flat,
    /// The time changes, by little.
    NearlyFlat,
    /// The time grows, by less than one worker's part.
    Between,
    /// Each further worker costs one worker's part.
    Linear,
    /// Each further worker costs more than that.
    Steeper,
    /// The time grows; the slots do not tell whether as much as linear.
    Growing,
    /// The time falls.
    Falling,
    /// The slots do not tell.
    CannotTell,
}

/// The laws of all sweeps over the number of workers.
pub(super) fn laws(cases: &[CaseResult]) -> Vec<Law> {
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for case in cases {
        let (Some(point), Some(_)) = (&case.case.sweep, case.case.work.worker_kind()) else {
            continue;
        };
        for variant in &case.variants {
            let key = (point.sweep.as_str(), variant.label.as_str());
            if !seen.contains(&key) {
                seen.push(key);
            }
        }
    }
    seen.iter()
        .filter_map(|(sweep, label)| law(cases, sweep, label))
        .collect()
}

/// One count of a sweep, of one variant.
struct Point<'a> {
    workers: f64,
    case: &'a CaseResult,
    place: usize,
    summary: &'a VariantSummary,
}

fn points<'a>(cases: &'a [CaseResult], sweep: &str, label: &str) -> Vec<Point<'a>> {
    let of_sweep = cases.iter().filter_map(|case| {
        let point = case.case.sweep.as_ref().filter(|p| p.sweep == sweep)?;
        let place = case.variants.iter().position(|v| v.label == label)?;
        Some(Point {
            workers: point.value,
            case,
            place,
            summary: &case.variants[place],
        })
    });
    let mut points: Vec<Point<'_>> = of_sweep.filter(|p| p.summary.good > 0).collect();
    points.sort_by(|a, b| a.workers.total_cmp(&b.workers));
    points
}

fn law(cases: &[CaseResult], sweep: &str, label: &str) -> Option<Law> {
    let points = points(cases, sweep, label);
    let slots: Vec<(f64, f64)> = points.iter().flat_map(slots).collect();
    let line = Line::through(&slots)?;
    let (first, last) = (points.first()?, points.last()?);
    let middle = (first.workers + last.workers) / 2.0;
    let part = line.at(middle) / middle;
    let growth = line.slope / part;
    let growth_interval = line.interval().map(|(low, high)| [low / part, high / part]);
    let kind = first.case.case.work.worker_kind()?;
    let mut law = Law {
        sweep: sweep.to_owned(),
        variant: label.to_owned(),
        kind: kind.to_owned(),
        counts: [first.workers, last.workers],
        shape: shape(&line, growth_interval),
        expected: expected(kind, first),
        cpu_share: last.summary.workers.as_ref().map(|w| w.sum.cpu_share),
        line,
        growth,
        growth_interval,
        sentence: String::new(),
    };
    law.sentence = law.in_words();
    Some(law)
}

/// The number of workers and the time of every good slot.
fn slots<'a>(point: &'a Point<'_>) -> impl Iterator<Item = (f64, f64)> + 'a {
    let own = point.case.slots.iter();
    let own = own.filter(|slot| slot.variant == point.place);
    own.filter_map(|slot| Some((point.workers, slot.value_ns?)))
}

fn shape(line: &Line, growth: Option<[f64; 2]>) -> Shape {
    let Some([low, high]) = growth.filter(|_| line.places >= COUNTS) else {
        return Shape::CannotTell;
    };
    let straight = line.straightness.is_some_and(|share| share >= STRAIGHT);
    match () {
        () if low >= -NEAR && high <= NEAR && low <= 0.0 && high >= 0.0 => Shape::Flat,
        () if low >= -NEAR && high <= NEAR => Shape::NearlyFlat,
        () if low >= 1.0 - NEAR && high <= 1.0 + NEAR && straight => Shape::Linear,
        () if high < 0.0 => Shape::Falling,
        () if low > 1.0 => Shape::Steeper,
        () if low > 0.0 && high < 1.0 => Shape::Between,
        () if low > NEAR => Shape::Growing,
        () => Shape::CannotTell,
    }
}

/// What the law should be, of workers on one CPU.
fn expected(kind: &str, point: &Point<'_>) -> Option<Shape> {
    let placed = &point.case.case.variants[point.place].variant.placement;
    match kind {
        _ if !placed.is_one_cpu() => None,
        "cpu" => Some(Shape::Linear),
        _ => Some(Shape::Flat),
    }
}

impl Law {
    fn in_words(&self) -> String {
        let [from, to] = self.counts.map(plain);
        let who = plural(&self.variant);
        let head = format!("{} with {from} to {to} {who}", self.kind);
        format!(
            "{head}: {}{}: {}{}",
            self.shape.in_words(),
            self.against(),
            self.cost(),
            self.reason()
        )
    }

    /// What had been expected.
    fn against(&self) -> String {
        match self.expected {
            None => String::new(),
            Some(expected) if self.shape.is_near(expected) => ", as expected on one CPU".to_owned(),
            Some(expected) => format!(", where {} was expected", expected.name()),
        }
    }

    /// `each further worker costs 1.15 s [1.13 s ... 1.17 s], 99 % [97 ... 101 %] of one
    /// worker's part of the time (R² 0.999)`.
    fn cost(&self) -> String {
        let Some(((low, high), [least, most])) = self.line.interval().zip(self.growth_interval)
        else {
            return format!("{} slots are too few", self.line.points);
        };
        if self.line.places < COUNTS {
            return format!("{} counts are too few", self.line.places);
        }
        let straight = match (self.shape, self.line.straightness) {
            (Shape::Flat | Shape::NearlyFlat, _) | (_, None) => String::new(),
            // A constant would come as near.
            (_, Some(share)) if share <= 0.0 => " (not a line)".to_owned(),
            (_, Some(share)) => format!(" (R² {})", straight_share(share)),
        };
        format!(
            "each further worker costs {} {}, {:.0} % [{:.0} ... {:.0} %] of one worker's part of \
             the time{straight}",
            time(self.line.slope),
            time_interval(low, high),
            // Adding zero makes a negative zero positive.
            (100.0 * self.growth).round() + 0.0,
            (100.0 * least).floor() + 0.0,
            (100.0 * most).ceil() + 0.0
        )
    }

    /// What the counts say of a law that was not expected.
    fn reason(&self) -> String {
        let grows = matches!(
            self.shape,
            Shape::Linear | Shape::Between | Shape::Steeper | Shape::Growing
        );
        let unexpected = grows && self.expected == Some(Shape::Flat);
        let Some(share) = self.cpu_share.filter(|_| unexpected) else {
            return String::new();
        };
        let why = if share >= BUSY {
            "so it is the CPU that they wait for"
        } else {
            "the rest of the time they wait for something else, or for a CPU that others use"
        };
        format!(
            "; together they use {:.0} % of the CPU, {why}",
            100.0 * share
        )
    }
}

/// Two decimals, and three where it is that near to 1; what is not 1 is never said to be.
fn straight_share(share: f64) -> String {
    let decimals = if share > 0.99 { 3 } else { 2 };
    let most = if share < 1.0 { 0.999 } else { 1.0 };
    format!("{:.*}", decimals, share.min(most))
}

impl Shape {
    /// Whether it is that law, or as good as that.
    fn is_near(self, other: Self) -> bool {
        self == other || (self, other) == (Self::NearlyFlat, Self::Flat)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::NearlyFlat => "nearly flat",
            Self::Between => "something between flat and linear",
            Self::Linear => "linear",
            Self::Steeper => "more than linear",
            Self::Growing => "growing",
            Self::Falling => "falling",
            Self::CannotTell => "unknown",
        }
    }

    fn in_words(self) -> &'static str {
        match self {
            Self::Flat => "the time is flat",
            Self::NearlyFlat => "the time is nearly flat",
            Self::Between => "the time grows by less than linear",
            Self::Linear => "the time is linear in their number",
            Self::Steeper => "the time grows by more than linear",
            Self::Growing => "the time grows, whether in a line is not clear",
            Self::Falling => "the time falls",
            Self::CannotTell => "the law of the time is not clear",
        }
    }
}

#[cfg(test)]
#[path = "laws_tests.rs"]
mod tests;
