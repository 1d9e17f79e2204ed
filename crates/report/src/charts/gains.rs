//! Throughput as ratios over the number of flows: one line a series, its interval as a band, and
//! what there is to win as a thin line. Markers are drawn, not referred to, for files too.

use maud::{Markup, html};

use super::axis::{Scale, Unit, ends, margin};
use super::frame::{Frame, line};
use super::lines::{Point, Series, across, band, columns, foot, path, rows};
use crate::number::plain;

const TIMES: Unit = Unit(&[(1.0, "x")]);

const MARK: f64 = 4.5;

#[derive(Debug, Clone)]
pub(crate) struct Gains {
    pub(crate) series: Vec<Series>,
    /// Corners of the thin line. With it ratios stand at their logarithms, without at their values.
    pub(crate) ideal: Vec<(f64, f64)>,
    pub(crate) number: String,
    pub(crate) upwards: String,
}

const FLOWS: &str = "flows";

impl Gains {
    pub(crate) fn over_flows(series: Vec<Series>) -> Self {
        Self {
            series,
            ideal: Vec::new(),
            number: FLOWS.to_owned(),
            upwards: String::new(),
        }
    }

    pub(crate) fn are_over_flows(&self) -> bool {
        self.number == FLOWS
    }
}

/// `worker; time of threads over that of processes, below 1 faster`.
fn axis(gains: &Gains) -> String {
    match gains.upwards.is_empty() {
        true => gains.number.clone(),
        false => format!("{}; {}", gains.number, gains.upwards),
    }
}

pub(crate) fn gains(frame: &Frame<'_>, gains: &Gains) -> Markup {
    let points = || gains.series.iter().flat_map(|series| &series.points);
    if points().next().is_none() {
        return html! {};
    }
    let (top, bottom) = (8.0, 290.0);
    let ideal = gains.ideal.iter().map(|(_, ratio)| *ratio);
    let ratios = points().flat_map(|point| [point.low, point.high, 1.0]);
    let ratios = ends(ratios.chain(ideal));
    let y = Scale::new(ratios, (bottom - 8.0, top + 8.0), !gains.ideal.is_empty());
    let ticks = y.round(44.0, &TIMES);
    let left = margin(&ticks, frame.large);
    let (x, flows) = across(frame, left, &gains.series);
    let body = html! {
        (rows(&ticks, left, frame.width - 8.0))
        (columns(&flows, (top, bottom)))
        (foot(frame, left, bottom, &format!("{}{}", axis(gains), x.said(&y))))
        @for ends in gains.ideal.windows(2) {
            (line((x.at(ends[0].0), y.at(ends[0].1)), (x.at(ends[1].0), y.at(ends[1].1)), "axis"))
        }
        @for (place, series) in gains.series.iter().enumerate() { (drawn(place, series, &x, &y)) }
    };
    frame.svg(bottom + frame.foot(), None, &body)
}

fn drawn(place: usize, series: &Series, x: &Scale, y: &Scale) -> Markup {
    let points = series.points.iter();
    let curve: Vec<_> = points.clone().map(|point| (point.x, point.y)).collect();
    let said: Vec<String> = points.map(said).collect();
    let mark = |&(a, b): &(f64, f64)| series.look.outline(x.at(a), y.at(b), MARK);
    let marks: String = curve.iter().map(mark).collect();
    html! {
        g class=(series.look.class()) data-v=(place) {
            path class="area" d=(path(&band(&series.points), x, y)) {}
            path class="curve" data-say=(said.join("|")) d=(path(&curve, x, y)) {}
            path class=(series.look.outlined()) d=(marks) {}
        }
    }
}

fn said(point: &Point) -> String {
    let flows = plain(point.x);
    let at = format!("at {flows} flows: {:.3}x", point.y);
    match point.low < point.high {
        true => format!("{at}, between {:.3}x and {:.3}x", point.low, point.high),
        false => at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(label: &str, points: &[[f64; 4]]) -> Series {
        let points = points.iter();
        let points = points.map(|&[x, y, low, high]| Point { x, y, low, high });
        Series::new(0, label, points)
    }

    fn drawing(series: Vec<Series>) -> String {
        let frame = Frame::file("g", "gains", "a chart");
        gains(&frame, &Gains::over_flows(series)).into_string()
    }

    #[test]
    fn points_say_what_they_are_with_their_interval_and_no_time() {
        let ours = series("ours", &[[1.0, 1.0, 1.0, 1.0], [2.0, 1.06, 1.05, 1.07]]);
        let source = series("source", &[[4.0, 1.092, 1.092, 1.092]]);
        let svg = drawing(vec![ours, source]);
        let said = "at 1 flows: 1.000x|at 2 flows: 1.060x, between 1.050x and 1.070x";
        assert!(svg.contains(said), "{svg}");
        assert!(svg.contains("at 4 flows: 1.092x"), "{svg}");
        // A button for another axis would label it with times.
        assert!(!svg.contains("data-y"), "{svg}");
        assert!(!svg.contains(" ns"), "{svg}");
    }

    #[test]
    fn one_is_always_in_sight() {
        let svg = drawing(vec![series("x", &[[2.0, 1.3, 1.29, 1.31]])]);
        assert!(svg.contains(">1 x<") || svg.contains(">1.00 x<"), "{svg}");
    }

    #[test]
    fn without_points_there_is_no_chart() {
        assert_eq!(drawing(vec![series("x", &[])]), "");
    }
}
