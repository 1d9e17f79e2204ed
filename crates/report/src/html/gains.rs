//! The charts of a study of scaling: throughput over that of one flow, and threads over
//! processes with the source's figures, each against the number of flows.

use lab::{OriginFigure, Ratio, Scaling, StudyResult};
use maud::Markup;

use super::figure::{Figure, Figures, Legend};
use super::table::table;
use crate::charts::Chart;
use crate::charts::gains::Gains;
use crate::charts::lines::{Point, Series};
use crate::charts::marker::Look;
use crate::number::plain;
use crate::scaling::figures_of;

/// Both charts of a work along a way; none where it ran at one number of flows, as a point is
/// no line. `id` is what theirs begin with.
pub(super) fn gains(id: &str, study: &StudyResult, work: &Scaling) -> Figures {
    if work.points.len() < 2 {
        return Figures::default();
    }
    let over = over_processes(&format!("{id}_over"), study, work);
    Figures::from(of_one(&format!("{id}_gain"), work)).and(over)
}

/// Each variant over one flow, and what there is to win.
fn of_one(id: &str, work: &Scaling) -> Figure {
    let mut labels: Vec<&str> = Vec::new();
    for variant in work.points.iter().flat_map(|point| &point.variants) {
        if !labels.contains(&variant.label.as_str()) {
            labels.push(&variant.label);
        }
    }
    let places = (0..).zip(&labels);
    let series = places.map(|(place, label)| of_variant(work, place, label));
    let all = |flows: u32| (f64::from(flows), f64::from(flows) / f64::from(work.one));
    let ends = work.points.first().zip(work.points.last());
    let ideal = ends.map(|(first, last)| [all(first.flows), all(last.flows)]);
    let unit = if work.one > 1 { "one pair" } else { "one flow" };
    let title = format!(
        "{} {}: throughput over {unit}; thin line: all there is to win",
        work.workload,
        work.along.spoken()
    );
    let gains = Gains {
        series: series.collect(),
        ideal,
    };
    figure(id, title, gains)
}

fn of_variant(work: &Scaling, place: usize, label: &str) -> Series {
    let points = work.points.iter().filter_map(|point| {
        let mut variants = point.variants.iter();
        let variant = variants.find(|variant| variant.label == label)?;
        Some(at(point.flows, &variant.over_one?))
    });
    Series {
        label: label.to_owned(),
        look: Look::Variant(place),
        points: points.collect(),
        fit: Vec::new(),
    }
}

/// Threads over processes, and the source's figures as marks.
fn over_processes(id: &str, study: &StudyResult, work: &Scaling) -> Figures {
    let points = work.points.iter();
    let points = points.filter_map(|point| {
        let ratio = point.threads_over_processes.as_ref()?;
        Some(at(point.flows, ratio))
    });
    let ours = Series {
        label: "threads over processes".to_owned(),
        look: Look::Variant(0),
        points: points.collect(),
        fit: Vec::new(),
    };
    if ours.points.len() < 2 {
        return Figures::default();
    }
    let year = study.study.origin.as_ref().map_or(0, |origin| origin.year);
    let figures = figures_of(study, work).filter(|figure| figure.threads_over_processes.is_some());
    let marks = (1..).zip(figures);
    let marks = marks.filter_map(|(place, figure)| mark(place, year, figure));
    let title = format!(
        "{} {}: throughput of threads over processes, with intervals",
        work.workload,
        work.along.spoken()
    );
    let gains = Gains {
        series: std::iter::once(ours).chain(marks).collect(),
        ideal: None,
    };
    figure(id, title, gains).into()
}

/// A figure of the source that is a number.
fn mark(place: usize, year: u32, figure: &OriginFigure) -> Option<Series> {
    let ratio = Ratio {
        ratio: figure.threads_over_processes?,
        interval: None,
    };
    Some(Series {
        label: format!("{year}, {}: {}", figure.on, figure.was),
        look: Look::Variant(place),
        points: vec![at(figure.flows, &ratio)],
        fit: Vec::new(),
    })
}

fn at(flows: u32, ratio: &Ratio) -> Point {
    let [low, high] = ratio.interval.unwrap_or([ratio.ratio; 2]);
    Point {
        x: flows.into(),
        y: ratio.ratio,
        low,
        high,
    }
}

fn figure(id: &str, title: String, gains: Gains) -> Figure {
    Figure {
        id: id.to_owned(),
        desc: format!("{} lines over the number of flows.", gains.series.len()),
        title,
        legend: Legend::variants(gains.series.iter().map(|series| series.label.as_str())),
        data: Some(data(&gains.series)),
        chart: Chart::Gains(gains),
    }
}

fn data(series: &[Series]) -> Markup {
    let rows = series.iter().flat_map(|series| {
        series.points.iter().map(|point| {
            let ratios = [point.y, point.low, point.high].map(|ratio| format!("{ratio:.3}"));
            let own = [series.label.clone(), plain(point.x)];
            own.into_iter().chain(ratios).collect()
        })
    });
    table(
        &["", "flows", "ratio", "from", "to"],
        &rows.collect::<Vec<_>>(),
    )
}
