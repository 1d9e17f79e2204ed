//! The law of a sweep over the number of workers, who all do the same. If they share one thing that serves one at a
//! time, time grows in proportion: **linear**; if it serves all at once, **flat**; in between it is partly shared. Of
//! nodes of a job with the same work each, flat is the best that there is; of the same work over more and more nodes,
//! that is so of nodes x time ([`nodes`]). [`super::growth`] judges the shape; expected is what the study's source
//! claims. Where memory or files grow in proportion against that, and workers keep their CPU busy, they wait for the
//! CPU. A machine that drifts through a sweep bends its law; rounds at each count are immune.

mod law;
mod nodes;

pub use law::Law;

use super::growth::{Growth, PLACES, Shape, each_further};
use super::then::Standing;
use super::{CaseResult, Unit, VariantSummary};
use crate::data::gathered::distinct;
use crate::data::number::{DOTS, plain};
use crate::data::words::plural;
use crate::data::{Case, Claim, OfSweep, Ours, Published, Study};

const TIME: &str = "time";
const NODES: &str = "nodes";
const NODE: &str = "node";
const TIME_IN_WORDS: &str = "the time";

const BUSY: f64 = 0.9;

pub(super) fn laws(study: &Study, cases: &[CaseResult]) -> Vec<Law> {
    let published = study.published();
    let swept = cases.iter().filter(|case| of_what(&case.case).is_some());
    let swept = swept.filter_map(|case| Some((case.case.sweep.as_ref()?, &case.variants)));
    let labels = swept.flat_map(|(point, variants)| {
        let labels = variants.iter().map(|variant| variant.label.as_str());
        labels.map(move |label| (point.sweep.as_str(), label))
    });
    let of_sweeps = distinct(labels).into_iter();
    let of_sweeps = of_sweeps.filter_map(|(sweep, label)| law(cases, &published, sweep, label));
    of_sweeps
        .chain(cases.iter().filter_map(nodes::strong))
        .collect()
}

/// What is done, and what there is more and more of: nodes that each get the same work, or workers.
fn of_what(case: &Case) -> Option<(&str, &'static str)> {
    let over_nodes = case.sweep.as_ref().filter(|point| point.parameter == NODES);
    match over_nodes {
        Some(point) => Some((&point.sweep, NODE)),
        None => Some((case.work.worker_kind()?, "worker")),
    }
}

struct Point<'a> {
    workers: f64,
    case: &'a CaseResult,
    place: usize,
    summary: &'a VariantSummary,
}

fn points<'a>(cases: &'a [CaseResult], sweep: &str, label: &str) -> Vec<Point<'a>> {
    let of_sweep = cases.iter().filter_map(|case| {
        let point = case.case.sweep.as_ref().filter(|p| p.sweep == sweep)?;
        let place = case.place(label)?;
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

fn law(cases: &[CaseResult], published: &[Published], sweep: &str, label: &str) -> Option<Law> {
    let points = points(cases, sweep, label);
    let slots: Vec<(f64, f64)> = points.iter().flat_map(slots).collect();
    let growth = Growth::through(&slots)?;
    let first = points.first()?;
    let claim = claimed(published, sweep, label).filter(|_| is_on_one_cpu(first));
    let (kind, one) = of_what(&first.case.case)?;
    let mut law = unsaid((sweep, label, kind), &growth, &points)?;
    law.expected = claim.and_then(Shape::of);
    law.sentence = law.in_words(&growth, claim, (one, TIME_IN_WORDS));
    if one == NODE {
        law.sentence
            .extend(nodes::parts(points.first(), points.last()));
    }
    Some(law)
}

fn unsaid(
    (sweep, label, kind): (&str, &str, &str),
    growth: &Growth,
    points: &[Point<'_>],
) -> Option<Law> {
    let (first, last) = (points.first()?, points.last()?);
    Some(Law {
        sweep: sweep.to_owned(),
        variant: label.to_owned(),
        kind: kind.to_owned(),
        counts: [first.workers, last.workers],
        shape: growth.shape,
        expected: None,
        cpu_share: last.summary.workers.as_ref().map(|w| w.sum.cpu_share),
        line: growth.line,
        growth: growth.share(),
        growth_interval: growth.interval,
        sentence: String::new(),
    })
}

fn claimed(published: &[Published], sweep: &str, label: &str) -> Option<Claim> {
    let of_time =
        |law: &OfSweep| law.sweep == sweep && law.variant == label && law.quantity == TIME;
    let found = published
        .iter()
        .find(|one| matches!(&one.ours, Some(Ours::Law(law)) if of_time(law)));
    found.and_then(|one| one.claim)
}

fn is_on_one_cpu(point: &Point<'_>) -> bool {
    let variant = &point.case.case.variants[point.place].variant;
    variant.placement.is_one_cpu()
}

fn slots<'a>(point: &'a Point<'_>) -> impl Iterator<Item = (f64, f64)> + 'a {
    let own = point.case.slots_of(point.place);
    own.filter_map(|slot| Some((point.workers, slot.value_ns?)))
}

impl Law {
    /// `one`: what there is more and more of. `amount`: what grows with it.
    fn in_words(
        &self,
        growth: &Growth,
        claim: Option<Claim>,
        (one, amount): (&str, &str),
    ) -> String {
        let [from, to] = self.counts.map(plain);
        let who = plural(&self.variant);
        let head = match one {
            "worker" => format!("{} with {from} to {to} {who}", self.kind),
            _ => format!("{}, {from} to {to} {one}s, {who}", self.kind),
        };
        format!(
            "{head}: {}{}: {}{}",
            self.shape
                .in_words(growth.is_in_a_line())
                .replace(TIME_IN_WORDS, amount),
            claim.map_or_else(String::new, |claim| self.against(growth, claim)),
            self.cost(one, amount),
            self.reason()
        )
    }

    fn against(&self, growth: &Growth, claim: Claim) -> String {
        match (self.expected, growth.judge(claim)) {
            (None, _) => String::new(),
            (_, Standing::Reproduced) => ", as the source says".to_owned(),
            (Some(expected), _) => format!(", where the source says {}", expected.name()),
        }
    }

    /// `each further worker costs 1.15 s [1.13 s … 1.17 s], 99 % [97 … 101 %] of one worker's part … (R² 0.999)`.
    fn cost(&self, one: &str, amount: &str) -> String {
        let Some(((low, high), [least, most])) = self.line.interval().zip(self.growth_interval)
        else {
            return format!("{} slots are too few", self.line.points);
        };
        if self.line.places < PLACES {
            return format!("{} counts are too few", self.line.places);
        }
        let straight = match (self.shape, self.line.straightness) {
            (Shape::Flat | Shape::NearlyFlat, _) | (_, None) => String::new(),
            (_, Some(share)) if share <= 0.0 => " (not a line)".to_owned(),
            (_, Some(share)) => format!(" (R² {})", straight_share(share)),
        };
        format!(
            "each further {one} costs {}, {} of one {one}'s part of {amount}{straight}",
            each_further(Unit::Ns, self.line.slope, (low, high)),
            part(self.growth, least, most)
        )
    }

    fn reason(&self) -> String {
        let grows = matches!(
            self.shape,
            Shape::Linear | Shape::Between | Shape::Steeper | Shape::Growing | Shape::Steps
        );
        let waits = matches!(self.expected, Some(Shape::Flat | Shape::Steps));
        let unexpected = grows && waits && Some(self.shape) != self.expected;
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

/// `99 % [97 … 101 %]`; of what may be nothing, `at most 5 %`.
fn part(growth: f64, least: f64, most: f64) -> String {
    let away = |end: f64, round: fn(f64) -> f64| round(100.0 * end.abs());
    match least < 0.0 && most > 0.0 {
        true => format!("at most {:.0} %", away(most.max(-least), f64::ceil)),
        false => format!(
            "{:.0} % [{:.0}{DOTS}{:.0} %]",
            away(growth, f64::round),
            away(least.abs().min(most.abs()), f64::floor),
            away(least.abs().max(most.abs()), f64::ceil)
        ),
    }
}

/// Two decimals, three near 1; never rounded up to 1.
fn straight_share(share: f64) -> String {
    let decimals = if share > 0.99 { 3 } else { 2 };
    let most = if share < 1.0 { 0.999 } else { 1.0 };
    format!("{:.*}", decimals, share.min(most))
}

impl Shape {
    fn name(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::NearlyFlat => "nearly flat",
            Self::Between => "something between flat and linear",
            Self::Linear => "linear",
            Self::Steeper => "more than linear",
            Self::Growing => "growing",
            Self::Steps => "in steps",
            Self::Falling => "falling",
            Self::CannotTell => "unknown",
        }
    }

    fn in_words(self, is_in_a_line: bool) -> &'static str {
        match (self, is_in_a_line) {
            (Self::Flat, _) => "the time is flat",
            (Self::NearlyFlat, _) => "the time is nearly flat",
            (Self::Between, true) => "the time grows in a line, by less than in proportion",
            (Self::Between, false) => "the time grows by less than in proportion",
            (Self::Linear, _) => "the time is linear in their number",
            (Self::Steeper, true) => "the time grows in a line, by more than in proportion",
            (Self::Steeper, false) => "the time grows by more than in proportion",
            (Self::Growing, true) => "the time grows in a line, whether in proportion is not clear",
            (Self::Growing, false) => "the time grows, whether in a line is not clear",
            (Self::Steps, _) => "the time goes up in steps",
            (Self::Falling, _) => "the time falls",
            (Self::CannotTell, _) => "the law of the time is not clear",
        }
    }
}

#[cfg(test)]
mod tests;
