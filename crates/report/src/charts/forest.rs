//! Ratios of times with their intervals, one row a finding, the faster left of one, in their
//! floors' bands.

use maud::{Markup, html};
use stats::Estimate;

use super::axis::ends;
use super::frame::{Frame, LINE, fitted, label, line, px, widest};
use super::marker::outline;
use super::ratios::Ratios;
use crate::words::{Comparison, Tone};

#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) label: String,
    pub(crate) said: String,
    pub(crate) tone: Tone,
    pub(crate) ratio: Option<f64>,
    pub(crate) interval: Option<(f64, f64)>,
    pub(crate) floor: f64,
}

impl Row {
    pub(crate) fn of(
        label: String,
        said: &Comparison,
        estimate: Option<&Estimate>,
        floor: f64,
    ) -> Self {
        Self {
            label,
            said: said.with_interval(),
            tone: said.tone,
            ratio: estimate.map(|estimate| estimate.ratio),
            interval: estimate.and_then(Estimate::interval),
            floor,
        }
    }
}

struct Layout {
    left: f64,
    right: f64,
    top: f64,
    row: f64,
    ratios: Ratios,
}

pub(crate) fn forest(frame: &Frame<'_>, rows: &[Row]) -> Markup {
    let layout = layout(frame, rows);
    let bottom = layout.top + layout.row * rows.len() as f64;
    let one = layout.ratios.at(1.0);
    let body = html! {
        @for (place, row) in rows.iter().enumerate() {
            (band(&layout, layout.top + layout.row * place as f64, row.floor))
        }
        (ticks(&layout, bottom))
        (line((one, layout.top), (one, bottom), "one"))
        @for (place, row) in rows.iter().enumerate() {
            (self::row(frame, &layout, layout.top + layout.row * place as f64, row))
        }
        (label(layout.left, bottom + 2.6 * LINE, "start", "tick", "\u{2190} faster"))
        (label(layout.right, bottom + 2.6 * LINE, "end", "tick", "slower \u{2192}"))
    };
    frame.svg(bottom + 3.0 * LINE, None, &body)
}

fn band(layout: &Layout, top: f64, floor: f64) -> Markup {
    let (low, high) = (
        layout.ratios.at(1.0 / (1.0 + floor)),
        layout.ratios.at(1.0 + floor),
    );
    html! {
        rect class="band" x=(px(low)) width=(px(high - low)) y=(px(top)) height=(px(layout.row)) {}
    }
}

fn layout(frame: &Frame<'_>, rows: &[Row]) -> Layout {
    let labels = widest(rows.iter().map(|row| row.label.as_str()), 0.4 * frame.width);
    let said = widest(rows.iter().map(|row| row.said.as_str()), 0.32 * frame.width);
    let (left, right) = (labels + 14.0, frame.width - said - 14.0);
    Layout {
        left,
        right,
        top: 6.0,
        row: 1.7 * LINE,
        ratios: Ratios::new(span(rows), (left, right)),
    }
}

pub(crate) fn span(rows: &[Row]) -> (f64, f64) {
    let all = rows.iter().flat_map(|row| {
        let interval = row.interval.map(|(low, high)| [low, high]);
        interval.into_iter().flatten().chain(row.ratio)
    });
    let shown = all.filter(|end| end.is_finite() && *end > 0.0);
    ends(shown.chain([1.0]))
}

fn ticks(layout: &Layout, bottom: f64) -> Markup {
    html! {
        (line((layout.left, bottom), (layout.right, bottom), "axis"))
        @for tick in layout.ratios.ticks() {
            (line((tick.at, layout.top), (tick.at, bottom), "grid"))
            (label(tick.at, bottom + 1.3 * LINE, "middle", "tick", &tick.label))
        }
    }
}

fn row(frame: &Frame<'_>, layout: &Layout, top: f64, row: &Row) -> Markup {
    let y = top + layout.row - 0.85 * LINE;
    let said = fitted(&row.said, frame.width - layout.right - 10.0);
    html! {
        (label(4.0, y + 4.0, "start", "", &fitted(&row.label, layout.left - 12.0)))
        (label(layout.right + 10.0, y + 4.0, "start", "", &said))
        (whisker(layout, y, row))
    }
}

fn whisker(layout: &Layout, y: f64, row: &Row) -> Markup {
    let class = row.tone.class();
    html! {
        @if let Some((low, high)) = row.interval {
            @let (low, high) = (layout.ratios.at(low), layout.ratios.at(high));
            (line((low, y), (high, y), &format!("whisker {class}")))
            (line((low, y - 4.0), (low, y + 4.0), &format!("whisker {class}")))
            (line((high, y - 4.0), (high, y + 4.0), &format!("whisker {class}")))
        }
        @if let Some(ratio) = row.ratio.filter(|_| row.interval.is_some()) {
            path class=(format!("mark {class}")) d=(outline(shape(row.tone), layout.ratios.at(ratio), y, 4.5)) {
                title { (row.label) ": " (row.said) }
            }
        }
    }
}

pub(crate) fn shape(tone: Tone) -> usize {
    match tone {
        Tone::Faster => 0,
        Tone::Slower => 1,
        Tone::Doubt => 2,
        _ => 3,
    }
}
