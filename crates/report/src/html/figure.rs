use maud::{Markup, Render, html};

use super::table::{Named, caption_id, table};
use super::tabled::{bars, forest, heat};
use crate::charts::marker::Look;
use crate::charts::{Chart, Frame, marker};
use crate::document::detail::Detail;
use crate::document::figures::{Figure, Legend};

const SHAPES: usize = 4;

impl Figure {
    pub(crate) fn render_with(&self, detail: Detail) -> Markup {
        let has_data = detail.has_tables_of_slots() || !matches!(self.chart, Chart::Slots(..));
        html! {
            figure id=(self.id) {
                figcaption id=(caption_id(&self.id)) { (self.title) }
                (self.legend)
                (self.on_page())
                @if let Some(data) = &self.data {
                    details {
                        summary { "Data" }
                        @if has_data { (table(data, Named::Figure(&self.id))) }
                        @else { p { "There are too many slots for this page: see slots.csv." } }
                    }
                }
            }
        }
    }

    fn on_page(&self) -> Markup {
        match &self.chart {
            Chart::Forest(rows) => forest::forest(&self.id, rows),
            Chart::Bars(all, parts) => bars::bars(&self.id, all, *parts),
            Chart::Heat(grid) => heat::heat(&self.id, grid),
            drawn => {
                let id = format!("{}-c", self.id);
                drawn.draw(&Frame::page(&id, &self.title, &self.desc))
            }
        }
    }
}

pub(super) fn definitions(page: &str) -> Markup {
    html! {
        (marker::definitions(page))
        @for shape in 0..SHAPES { (marker::key(shape)) }
    }
}

impl Render for Legend {
    fn render(&self) -> Markup {
        match self {
            // The table's headings are the legend.
            Self::None | Self::Parts(_) => html! {},
            Self::Series(labels) => html! {
                ul.legend {
                    @for (place, (look, label)) in labels.iter().enumerate() {
                        li data-v=(place) { (sample(*look)) (label) }
                    }
                }
            },
            Self::Keys(keys) => html! {
                ul.legend { @for (class, said) in keys { li { i class=(format!("key {class}")) {} (said) } } }
            },
        }
    }
}

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
