//! The source's figures, and ours beside them at the largest number of flows for which there
//! are CPUs.

use lab::{OriginFigure, Ratio, Results, Scaling, ScalingPoint, StudyResult};
use measure::Measured;

use super::{is_of, shown};
use crate::number::NONE;

/// The source's figures of a work along a way, and ours.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Then<'a> {
    pub(crate) figures: Vec<&'a OriginFigure>,
    /// Ours, work by work; empty where none was run.
    pub(crate) here: Vec<Here<'a>>,
    /// Why there is none.
    pub(crate) missing: Option<String>,
}

/// One of ours.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Here<'a> {
    pub(crate) workload: &'a str,
    pub(crate) flows: u32,
    /// Whether there are fewer CPUs: only such numbers were run.
    pub(crate) beyond: bool,
    pub(crate) ratio: Option<Ratio>,
    /// Misses of the data TLB, where the source has such a figure.
    pub(crate) dtlb_misses: Option<Measured<f64>>,
}

/// The point with the most flows for which there are CPUs; with one flow there is nothing to
/// share.
fn largest(work: &Scaling) -> Option<&ScalingPoint> {
    let fits = |point: &&ScalingPoint| point.flows <= work.room;
    let several = |point: &&ScalingPoint| point.flows > 1;
    let points = || work.points.iter().filter(several);
    points().rfind(fits).or(points().next_back())
}

/// The source's figures of one work along one way, with ours.
pub(super) fn then<'a>(
    results: &Results,
    study: &'a StudyResult,
    figures: &[&'a OriginFigure],
) -> Then<'a> {
    let figure = figures[0];
    let counted = figures.iter().any(|figure| figure.dtlb_misses.is_some());
    let own = study.scaling.iter().filter(|work| is_of(figure, work));
    let here = own.filter_map(|work| {
        let point = largest(work)?;
        Some(Here {
            workload: &work.workload,
            flows: point.flows,
            beyond: point.flows > work.room,
            ratio: point.threads_over_processes,
            dtlb_misses: counted.then(|| point.dtlb_misses.clone()),
        })
    });
    let here: Vec<Here<'_>> = match &figure.against {
        Some(_) => Vec::new(),
        None => here.collect(),
    };
    Then {
        figures: figures.to_vec(),
        missing: here.is_empty().then(|| why(results, figure)),
        here,
    }
}

/// Why nothing of ours stands beside a figure.
fn why(results: &Results, figure: &OriginFigure) -> String {
    let missing = || figure.along.missing(&results.header.machine);
    match &figure.against {
        Some(against) => format!("not available: nothing here is set against {against}"),
        None => missing().unwrap_or_else(|| "not run".to_owned()),
    }
}

/// `1.055`, or what is said in its place, and `DTLB misses 0.400`.
fn figure_words(figure: &OriginFigure) -> String {
    let ratio = figure.threads_over_processes;
    let ratio = ratio.map(|ratio| format!("{ratio:.3}"));
    let said = ratio.or(figure.said.clone()).unwrap_or(NONE.to_owned());
    match figure.dtlb_misses {
        Some(misses) => format!("{said}, {MISSES} {misses:.3}"),
        None => said,
    }
}

/// What stands before a ratio of misses.
const MISSES: &str = "data TLB misses";

impl Then<'_> {
    /// `along SMT, SPECjbb2005: 1.092 (UltraSPARC T1, 4 flows), 1.055 (Xeon X5570, 2 flows)`.
    pub(crate) fn there(&self) -> String {
        let figure = self.figures[0];
        let each = self.figures.iter().map(|figure| {
            let (words, on, flows) = (figure_words(figure), &figure.on, figure.flows);
            format!("{words} ({on}, {flows} flows)")
        });
        let each: Vec<String> = each.collect();
        let against = figure.against.as_ref();
        let against = against.map_or(String::new(), |other| format!(", against {other}"));
        format!(
            "{}, {}{against}: {}",
            figure.along.spoken(),
            figure.was,
            each.join(", ")
        )
    }

    /// `warehouse, 2 flows: 1.012 [0.985 ... 1.034]`, or why there is none.
    pub(crate) fn here(&self) -> Vec<String> {
        let ours = self.here.iter().map(|here| {
            let ratio = shown(here.ratio.as_ref());
            let misses = here.dtlb_misses.as_ref().map(|misses| {
                let misses = misses.as_ref().map(|misses| format!("{misses:.3}"));
                format!(", {MISSES} {misses}")
            });
            let misses = misses.unwrap_or_default();
            let beyond = if here.beyond { ", more than CPUs" } else { "" };
            let (work, flows) = (here.workload, here.flows);
            format!("{work}, {flows} flows{beyond}: {ratio}{misses}")
        });
        let missing = self
            .missing
            .iter()
            .map(|why| format!("{}: {why}", self.figures[0].workload));
        ours.chain(missing).collect()
    }
}
