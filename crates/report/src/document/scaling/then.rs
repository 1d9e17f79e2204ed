//! The source's figures, and ours beside them at the largest number of flows for which there
//! are CPUs. Its figures are ratios of throughput, threads over processes; here they are turned
//! to the direction of all others: threads against processes, faster or slower.

use lab::{OriginFigure, Results, Scaling, ScalingPoint, StudyResult};
use measure::Measured;

use super::is_of;
use crate::document::table::{Cell, Column, Table, text};
use crate::number::{NONE, against};
use crate::words::{Tone, comparison};

/// The largest number of flows for which there are CPUs; with one flow there is nothing to
/// share.
fn largest(work: &Scaling) -> Option<&ScalingPoint> {
    let fits = |point: &&ScalingPoint| point.flows <= work.room;
    let several = |point: &&ScalingPoint| point.flows > 1;
    let points = || work.points.iter().filter(several);
    points().rfind(fits).or(points().next_back())
}

/// A row a figure of the source; ours stand beside the first of a work along a way.
pub(in crate::document) fn then(results: &Results, study: &StudyResult) -> Option<Table> {
    let origin = study.study.origin.as_ref()?;
    if study.scaling.is_empty() || origin.figures.is_empty() {
        return None;
    }
    let columns = vec![
        Column::left("work and way"),
        Column::left(format!("threads against processes in {}", origin.year)),
        Column::left("here"),
    ];
    let row = |figure: &OriginFigure| {
        let (tone, here) = here(results, study, figure);
        vec![
            text(format!("{}, {}", figure.was, figure.along.spoken())).into(),
            text(there(figure)).into(),
            Cell::from(text(here)).tone(tone),
        ]
    };
    let rows = origin.figures.iter().map(row);
    Some(Table::new("Then and now", columns, rows))
}

/// `5.5 % faster (Xeon X5570, 2 flows), data TLB misses 7.4x`.
fn there(figure: &OriginFigure) -> String {
    let ratio = figure
        .threads_over_processes
        .map(|ratio| against(1.0 / ratio));
    let said = ratio.or(figure.said.clone()).unwrap_or(NONE.to_owned());
    let other = figure.against.as_ref();
    let other = other.map_or(String::new(), |other| format!(" than {other}"));
    let misses = figure.dtlb_misses;
    let misses = misses.map_or(String::new(), |m| format!("; {MISSES} {m:.3}x"));
    format!(
        "{said}{other} ({}, {} flows){misses}",
        figure.on, figure.flows
    )
}

/// What stands before a ratio of misses.
const MISSES: &str = "data TLB misses";

/// Ours beside a figure, or why there is none.
fn here(results: &Results, study: &StudyResult, figure: &OriginFigure) -> (Tone, String) {
    let works = study.scaling.iter().filter(|work| is_of(figure, work));
    let works = works.filter(|_| figure.against.is_none());
    let said: Vec<(Tone, String)> = works
        .filter_map(|work| of_work(study, work, figure))
        .collect();
    match said.first() {
        None => (Tone::Quiet, why(results, figure)),
        Some((tone, _)) => {
            let words: Vec<&str> = said.iter().map(|(_, words)| words.as_str()).collect();
            (*tone, words.join("; "))
        }
    }
}

fn of_work(study: &StudyResult, work: &Scaling, figure: &OriginFigure) -> Option<(Tone, String)> {
    let point = largest(work)?;
    let case = study
        .cases
        .iter()
        .find(|case| case.case.name == point.case)?;
    let finding = lab::results::threads_over_processes(case)?;
    let said = comparison(finding.estimate.as_ref(), &finding.verdict);
    let misses = figure.dtlb_misses.map(|_| match &point.dtlb_misses {
        Measured::Value(misses) => format!("; {MISSES} {misses:.3}x"),
        missing => format!("; {MISSES} {}", missing.as_ref().map(|_| "")),
    });
    let beyond = if point.flows > work.room {
        ", more than CPUs"
    } else {
        ""
    };
    let (name, flows) = (&work.workload, point.flows);
    let words = format!("{} {}", said.word, said.interval);
    let misses = misses.unwrap_or_default();
    Some((
        said.tone,
        format!(
            "{} ({name}, {flows} flows{beyond}){misses}",
            words.trim_end()
        ),
    ))
}

/// Why nothing of ours stands beside a figure.
fn why(results: &Results, figure: &OriginFigure) -> String {
    let missing = || figure.along.missing(&results.header.machine);
    match &figure.against {
        Some(against) => format!("not available: nothing here is set against {against}"),
        None => missing().unwrap_or_else(|| "not run".to_owned()),
    }
}
