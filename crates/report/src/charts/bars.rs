//! What a whole is made of: one stacked bar a variant.

use maud::{Markup, html};

use super::axis::{Scale, Unit, thinned};
use super::frame::{Frame, LINE, fitted, label, line, px, text_width, widest};
use super::lines::columns;

const BAR: f64 = 18.0;

#[derive(Debug, Clone)]
pub(crate) struct Bar {
    pub(crate) label: String,
    pub(crate) parts: Vec<f64>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts<'a> {
    pub(crate) names: &'a [&'a str],
    pub(crate) unit: &'a Unit,
    pub(crate) write: fn(f64) -> String,
}

pub(crate) fn bars(frame: &Frame<'_>, bars: &[Bar], parts: Parts<'_>) -> Markup {
    let total = |bar: &Bar| bar.parts.iter().sum::<f64>();
    let most = bars.iter().map(total).fold(0.0, f64::max);
    if most <= 0.0 {
        return html! {};
    }
    let labels = widest(bars.iter().map(|bar| bar.label.as_str()), 0.3 * frame.width);
    let left = labels + 16.0;
    let totals = bars
        .iter()
        .map(|bar| text_width(&(parts.write)(total(bar))));
    let right = frame.width - totals.fold(0.0, f64::max) - 12.0;
    let x = Scale::new((0.0, most), (left, right), false);
    let row = BAR + 0.7 * LINE;
    let bottom = 6.0 + row * bars.len() as f64;
    let body = html! {
        (columns(&thinned(x.round(90.0, parts.unit), frame.large), (4.0, bottom)))
        (line((left, bottom), (right, bottom), "axis"))
        @for (place, bar) in bars.iter().enumerate() {
            @let y = 6.0 + row * (place + 1) as f64 - BAR - 6.0;
            (label(left - 8.0, y + 13.0, "end", "", &fitted(&bar.label, left - 12.0)))
            (self::bar(bar, &x, y, parts))
            (label(x.at(total(bar)) + 6.0, y + 13.0, "start", "", &(parts.write)(total(bar))))
        }
    };
    frame.svg(bottom + 1.8 * LINE, None, &body)
}

fn bar(bar: &Bar, x: &Scale, y: f64, parts: Parts<'_>) -> Markup {
    let starts = bar.parts.iter().scan(0.0, |sum, part| {
        let start = *sum;
        *sum += part;
        Some(start)
    });
    let pieces = starts.zip(&bar.parts).zip(parts.names).enumerate();
    html! {
        @for (place, ((start, value), name)) in pieces {
            @let (from, to) = (x.at(start), x.at(start + value));
            rect class=(format!("part s{place}")) x=(px(from)) y=(px(y)) width=(px(to - from))
                height=(px(BAR)) {
                title { (name) ": " ((parts.write)(*value)) }
            }
            @if text_width(name) + 8.0 < to - from {
                (label((from + to) / 2.0, y + 13.0, "middle", &format!("on{place}"), name))
            }
        }
    }
}
