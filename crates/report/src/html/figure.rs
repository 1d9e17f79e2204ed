//! A chart in both widths, with its legend and the data behind it.

use maud::{Markup, Render, html};

use crate::charts::{Axis, Chart, Frame, NARROW, WIDE, heat, marker};

/// A chart with all that belongs to it.
#[derive(Debug)]
pub(crate) struct Figure {
    /// Unique within the page.
    pub(crate) id: String,
    pub(crate) title: String,
    /// For those who cannot see the chart.
    pub(crate) desc: String,
    pub(crate) legend: Legend,
    /// The data as a table.
    pub(crate) data: Markup,
    pub(crate) chart: Chart,
}

/// What colours and markers mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Legend {
    /// The chart says it itself.
    None,
    /// Labels of variants, by place.
    Variants(Vec<String>),
    /// Names of the parts of bars.
    Parts(&'static [&'static str]),
    /// The colours of a grid.
    Scale,
}

/// None, one or several figures: what a part of a page holds.
#[derive(Debug, Default)]
pub(crate) struct Figures(pub(crate) Vec<Figure>);

impl From<Figure> for Figures {
    fn from(figure: Figure) -> Self {
        Self(vec![figure])
    }
}

impl Figures {
    /// These and others.
    pub(crate) fn and(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }
}

impl Render for Figures {
    fn render(&self) -> Markup {
        html! { @for figure in &self.0 { (figure) } }
    }
}

impl Render for Figure {
    fn render(&self) -> Markup {
        let axes = self.chart.axes();
        html! {
            figure id=(self.id) {
                figcaption { (self.title) }
                (self.legend)
                (self.widths("", axes.map(|axes| axes[0]), None))
                @if let Some([_, other]) = axes {
                    // Drawn beforehand, so that the script only has to show it.
                    div.other hidden data-axis=(name(other)) {
                        (self.widths("o", Some(other), Some(&format!("{}-w", self.id))))
                    }
                }
                details { summary { "Data" } (self.data) }
            }
        }
    }
}

fn name(axis: Axis) -> &'static str {
    match axis {
        Axis::Log => "logarithmic",
        Axis::Linear => "linear",
    }
}

impl Figure {
    /// Drawn for both widths. Whoever cannot see a chart is told of it once.
    fn widths(&self, mark: &str, axis: Option<Axis>, described_by: Option<&str>) -> Markup {
        let wide = format!("{}-{mark}w", self.id);
        html! {
            div.wide { (self.drawn(&wide, WIDE, axis, described_by)) }
            div.narrow {
                @let narrow = format!("{}-{mark}n", self.id);
                (self.drawn(&narrow, NARROW, axis, described_by.or(Some(&wide))))
            }
        }
    }

    /// Drawn for one width.
    pub(crate) fn drawn(
        &self,
        id: &str,
        width: f64,
        axis: Option<Axis>,
        described_by: Option<&str>,
    ) -> Markup {
        let frame = Frame {
            id,
            described_by,
            title: &self.title,
            desc: &self.desc,
            width,
        };
        self.chart.draw(&frame, axis)
    }
}

impl Legend {
    /// Markers and labels of variants.
    pub(crate) fn variants<'a>(labels: impl Iterator<Item = &'a str>) -> Self {
        Self::Variants(labels.map(str::to_owned).collect())
    }
}

impl Render for Legend {
    fn render(&self) -> Markup {
        match self {
            Self::None => html! {},
            Self::Variants(labels) => html! {
                ul.legend {
                    @for (place, label) in labels.iter().enumerate() {
                        li data-v=(place) { svg.sample viewBox="0 0 14 14" aria-hidden="true" { (marker::drawn(place)) } " " (label) }
                    }
                }
            },
            Self::Parts(names) => html! {
                ul.legend {
                    @for (place, name) in names.iter().enumerate() {
                        li { (square(&format!("part s{place}"))) " " (name) }
                    }
                }
            },
            Self::Scale => html! {
                ul.legend.scale {
                    @for (class, said) in heat::scale() { li { (shade(class)) " " (said) } }
                }
            },
        }
    }
}

fn square(class: &str) -> Markup {
    html! {
        svg.sample viewBox="0 0 14 14" aria-hidden="true" {
            rect class=(class) x="1" y="1" width="12" height="12" {}
        }
    }
}

fn shade(class: &str) -> Markup {
    html! {
        svg.sample viewBox="0 0 14 14" aria-hidden="true" {
            g class=(format!("cell {class}")) {
                rect x="1" y="1" width="12" height="12" {}
                @if class == "hd" {
                    rect class="hatch" x="1" y="1" width="12" height="12" fill="url(#hatch)" {}
                }
            }
        }
    }
}
