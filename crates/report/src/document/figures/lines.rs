use stats::Summary;

use super::{Figure, Legend};
use crate::charts::Chart;
use crate::charts::lines::{Point, Series};
use crate::charts::marker::Look;
use crate::document::table::Table;
use crate::number::{plain, time};
use crate::words::many;

impl Point {
    pub(crate) fn alone(x: f64, y: f64) -> Self {
        Self::within(x, y, [y, y])
    }

    pub(crate) fn of(x: f64, value: &Summary) -> Self {
        Self::within(x, value.typical, [value.p25, value.p75])
    }

    pub(crate) fn within(x: f64, y: f64, [low, high]: [f64; 2]) -> Self {
        Self { x, y, low, high }
    }
}

pub(crate) fn lines(id: &str, title: &str, axis: &str, series: Vec<Series>, data: Table) -> Figure {
    let own = series.iter().filter(|series| series.look != Look::Aside);
    let own = many(own.count() as u64, "line");
    let desc = format!("Typical times, with quartiles, of {own} by {axis}.");
    let legend = Legend::lines(&series);
    let chart = Chart::Lines(series, axis.to_owned());
    Figure::new(id, title.to_owned(), desc, chart)
        .legend(legend)
        .data(data)
}

pub(crate) fn data(who: &str, axis: &str, series: &[Series]) -> Table {
    let row = |label: &str, point: &Point| {
        let times = [point.y, point.low, point.high].map(time);
        let names = [label.to_owned(), plain(point.x)];
        names.into_iter().chain(times).collect::<Vec<_>>()
    };
    let rows: Vec<_> = series
        .iter()
        .flat_map(|series| series.points.iter().map(|p| row(&series.label, p)))
        .collect();
    let heads = [who, axis, "typical", "lower quartile", "upper quartile"];
    Table::texts("", &heads, rows)
}
