//! Times on one logarithmic scale, a row each, its name above its mark.

use maud::{Markup, html};

use super::axis::{Scale, TIME, ends, thinned};
use super::frame::{FINE, Frame, LINE, fitted, label, steps};
use super::lines::{columns, foot};
use super::marker::Look;

const MARK: f64 = 4.5;
const LOOK: Look = Look::Variant(0);
const SOURCE: Look = Look::Variant(1);
const LEFT: f64 = 8.0;

#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) label: String,
    pub(crate) ns: f64,
    pub(crate) interval: Option<(f64, f64)>,
    /// What sources gave: the year, and ns.
    pub(crate) sources: Vec<(u32, f64)>,
}

pub(crate) fn span(all: &[Step]) -> (f64, f64) {
    ends(all.iter().flat_map(|step| {
        let (low, high) = step.interval.unwrap_or((step.ns, step.ns));
        let sources = step.sources.iter().map(|(_, ns)| *ns);
        sources.chain([low, high])
    }))
}

pub(crate) fn ruler(frame: &Frame<'_>, all: &[Step]) -> Markup {
    let row = LINE * frame.large + 12.0;
    let (top, bottom) = (4.0, 4.0 + row * all.len() as f64);
    let (low, high) = span(all);
    let x = Scale::new(
        (low / 1.5, high * 1.5),
        (LEFT, frame.width - 30.0 * frame.large),
        true,
    );
    let body = html! {
        (columns(&thinned(x.round(70.0, &TIME), frame.large), (top, bottom)))
        (foot(frame, LEFT, bottom, "time of one (logarithmic)"))
        @for (place, step) in all.iter().enumerate() {
            @let foot = top + row * (place + 1) as f64;
            (label(LEFT + 2.0, foot - 14.0, "start", "", &fitted(&step.label, frame.width / frame.large - LEFT)))
            (mark(&x, foot - 5.0, step))
            @for (year, ns) in &step.sources {
                g class=(SOURCE.class()) { path class=(SOURCE.outlined()) d=(SOURCE.outline(x.at(*ns), foot - 5.0, MARK)) {} }
                (label(x.at(*ns) + MARK + 3.0, foot - 1.0, "start", "tick", &year.to_string()))
            }
        }
    };
    frame.svg(bottom + frame.foot(), None, &body)
}

fn mark(x: &Scale, y: f64, step: &Step) -> Markup {
    let interval = step
        .interval
        .map(|(low, high)| [(x.at(low), y), (x.at(high), y)]);
    html! {
        g class=(LOOK.class()) {
            @if let Some(ends) = interval { path class="curve" d=(steps(&ends, FINE)) {} }
            path class=(LOOK.outlined()) d=(LOOK.outline(x.at(step.ns), y, MARK)) {}
        }
    }
}
