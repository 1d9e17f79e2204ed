//! A chart in both widths, with its legend and the data behind it.

use maud::{Markup, html};

use crate::charts::{Frame, NARROW, WIDE, marker};

/// All but the drawing.
#[derive(Debug)]
pub(super) struct Figure<'a> {
    /// Unique within the page.
    pub(super) id: &'a str,
    pub(super) title: &'a str,
    /// For those who cannot see the chart.
    pub(super) desc: &'a str,
    pub(super) legend: Markup,
    /// The data as a table.
    pub(super) data: Markup,
}

impl Figure<'_> {
    pub(super) fn draw(&self, chart: impl Fn(&Frame<'_>) -> Markup) -> Markup {
        let sized = |id: String, width| {
            chart(&Frame {
                id: &id,
                title: self.title,
                desc: self.desc,
                width,
            })
        };
        html! {
            figure id=(self.id) {
                figcaption { (self.title) }
                (self.legend)
                div.wide { (sized(format!("{}-w", self.id), WIDE)) }
                div.narrow { (sized(format!("{}-n", self.id), NARROW)) }
                details { summary { "Data" } (self.data) }
            }
        }
    }
}

/// Markers and labels of variants.
pub(super) fn variants<'a>(labels: impl Iterator<Item = &'a str>) -> Markup {
    html! {
        ul.legend {
            @for (place, label) in labels.enumerate() {
                li data-v=(place) { (marker::sample(place)) " " (label) }
            }
        }
    }
}

/// Colours and names of the parts of bars.
pub(super) fn parts(names: &[&str]) -> Markup {
    html! {
        ul.legend {
            @for (place, name) in names.iter().enumerate() {
                li { svg.sample viewBox="0 0 14 14" width="14" height="14" aria-hidden="true" {
                    rect class=(format!("part s{place}")) x="1" y="1" width="12" height="12" {}
                } " " (name) }
            }
        }
    }
}
