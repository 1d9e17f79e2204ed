//! Small multiples: a panel a machine, all on one axis of ratios (E. Tufte, "Envisioning
//! Information", 1990), with the same rows in the same order, named once; a row without a mark was
//! not measured there. A page may hold a thousand panels, so a verdict's whiskers are one path.

use maud::{Markup, html};

use super::forest::{Row, shape, span};
use super::frame::{Frame, LINE, fitted, label, line, px};
use super::marker::outline;
use super::ratios::Ratios;
use crate::words::Tone;

#[derive(Debug, Clone)]
pub(crate) struct Panel {
    pub(crate) name: String,
    pub(crate) rows: Vec<Option<Row>>,
}

const LEAST_WIDTH: f64 = 118.0;
const ROW: f64 = 9.0;
const GAP: f64 = 10.0;
const MARK: f64 = 2.6;

pub(crate) fn multiples(frame: &Frame<'_>, panels: &[Panel]) -> Markup {
    let all = panels.iter().flat_map(|panel| panel.rows.iter().flatten());
    let all: Vec<Row> = all.cloned().collect();
    let across = ((frame.width / LEAST_WIDTH) as usize).max(1);
    let width = frame.width / across as f64 - GAP;
    let rows = panels.iter().map(|panel| panel.rows.len()).max();
    let head = LINE * frame.large;
    let high = head + ROW * rows.unwrap_or(0) as f64 + GAP;
    let ratios = Ratios::new(span(&all), (0.0, width));
    let lines = panels.len().div_ceil(across);
    let body = html! {
        @for (place, one) in panels.iter().enumerate() {
            @let left = (width + GAP) * (place % across) as f64;
            @let top = high * (place / across) as f64;
            g transform=(format!("translate({} {})", px(left), px(top))) {
                (panel(one, &ratios, width, head, frame.large))
            }
        }
    };
    frame.svg(high * lines as f64, None, &body)
}

fn panel(panel: &Panel, ratios: &Ratios, width: f64, head: f64, large: f64) -> Markup {
    let bottom = head + ROW * panel.rows.len() as f64;
    let one = ratios.at(1.0);
    html! {
        (label(0.0, head - 4.0, "start", "tick", &fitted(&panel.name, width / large)))
        (line((0.0, bottom), (width, bottom), "axis"))
        (line((one, head), (one, bottom), "one"))
        @for tone in [Tone::Plain, Tone::Doubt, Tone::Faster, Tone::Slower] {
            (verdicts(panel, ratios, head, tone))
        }
    }
}

fn verdicts(panel: &Panel, ratios: &Ratios, head: f64, tone: Tone) -> Markup {
    let (mut whiskers, mut marks) = (String::new(), String::new());
    for (place, row) in panel.rows.iter().enumerate() {
        let y = head + ROW * (place as f64 + 0.5);
        let Some(row) = row.as_ref().filter(|row| row.tone == tone) else {
            continue;
        };
        if let Some((low, high)) = row.interval {
            let (low, high) = (px(ratios.at(low)), px(ratios.at(high)));
            whiskers.push_str(&format!("M{low} {}H{high}", px(y)));
        }
        if let Some(ratio) = row.ratio {
            marks.push_str(&outline(shape(tone), ratios.at(ratio), y, MARK));
        }
    }
    let class = tone.class();
    html! {
        @if !whiskers.is_empty() { path class=(format!("whisker {class}")) d=(whiskers) {} }
        @if !marks.is_empty() { path class=(format!("mark {class}")) d=(marks) {} }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(name: &str, tone: Tone) -> Panel {
        let row = Row {
            label: String::new(),
            said: String::new(),
            tone,
            ratio: Some(0.8),
            interval: Some((0.7, 0.9)),
            floor: 0.01,
        };
        Panel {
            name: name.to_owned(),
            rows: vec![Some(row), None],
        }
    }

    #[test]
    fn a_panel_a_machine_and_few_bytes_each() {
        let panels: Vec<Panel> = (0..1000)
            .map(|place| panel(&format!("node{place}"), Tone::Faster))
            .collect();
        let svg = multiples(&Frame::page("x", "t", "d"), &panels).into_string();
        assert_eq!(svg.matches("<g ").count(), 1000);
        assert!(
            svg.contains("node999") && svg.len() < 1000 * 600,
            "{}",
            svg.len()
        );
    }
}
