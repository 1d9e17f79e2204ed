//! A chart with its legend and the data behind it.

use maud::{Markup, Render, html};

use super::tabled::{bars, forest, heat};
use crate::charts::lines::Series;
use crate::charts::marker::Look;
use crate::charts::{self, Chart, Frame, marker};

/// Shapes that charts refer to by name: those of verdicts.
const SHAPES: usize = 4;

/// A chart with all that belongs to it.
#[derive(Debug)]
pub(crate) struct Figure {
    /// Unique within the page.
    pub(crate) id: String,
    pub(crate) title: String,
    /// For those who cannot see the chart.
    pub(crate) desc: String,
    pub(crate) legend: Legend,
    /// The data as a table, where the chart is none itself.
    pub(crate) data: Option<Markup>,
    pub(crate) chart: Chart,
}

/// What colours and markers mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Legend {
    /// The chart says it itself.
    None,
    /// Labels of series, each with its look.
    Series(Vec<(Look, String)>),
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
        html! {
            figure id=(self.id) {
                figcaption { (self.title) }
                (self.legend)
                (self.on_page())
                @if let Some(data) = &self.data { details { summary { "Data" } (data) } }
            }
        }
    }
}

impl Figure {
    fn on_page(&self) -> Markup {
        match &self.chart {
            Chart::Forest(rows) => forest::forest(&self.id, rows),
            Chart::Bars(all, parts) => bars::bars(all, *parts),
            Chart::Heat(grid) => heat::heat(grid),
            drawn => {
                let id = format!("{}-c", self.id);
                drawn.draw(&Frame::page(&id, &self.title, &self.desc))
            }
        }
    }
}

/// What the figures of a page refer to.
pub(super) fn definitions(page: &str) -> Markup {
    html! {
        (marker::definitions(page))
        @for shape in 0..SHAPES { (marker::key(shape)) }
    }
}

impl Legend {
    /// Markers and labels of variants.
    pub(crate) fn variants<'a>(labels: impl Iterator<Item = &'a str>) -> Self {
        let labels = labels.enumerate();
        Self::Series(
            labels
                .map(|(place, label)| (Look::Variant(place), label.to_owned()))
                .collect(),
        )
    }

    /// Looks and labels of lines.
    pub(crate) fn lines(series: &[Series]) -> Self {
        let series = series.iter();
        Self::Series(series.map(|one| (one.look, one.label.clone())).collect())
    }
}

impl Render for Legend {
    fn render(&self) -> Markup {
        match self {
            // The headings of the table say it.
            Self::None | Self::Parts(_) => html! {},
            Self::Series(labels) => html! {
                ul.legend {
                    @for (place, (look, label)) in labels.iter().enumerate() {
                        li data-v=(place) { (sample(*look)) (label) }
                    }
                }
            },
            Self::Scale => html! {
                ul.legend { @for (class, said) in charts::heat::scale() { li { i class=(format!("key {class}")) {} (said) } } }
            },
        }
    }
}

/// What a series looks like: its stroke where that says something, and its marker.
fn sample(look: Look) -> Markup {
    html! {
        @if look.has_stroke() {
            svg class=(format!("sample {}", look.class())) aria-hidden="true" {
                path class="curve" d="M0 7h28" {}
            }
        }
        @if let Some(key) = look.key() { i class=(key) {} }
    }
}
