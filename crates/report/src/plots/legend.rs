use maud::{Markup, html};

use crate::charts::marker::Look;
use crate::charts::{LINE, label, marker, px, text_width};
use crate::document::figures::Legend;

const GAP: f64 = 18.0;
const BESIDE: f64 = 6.0;
const SQUARE: f64 = 14.0;

#[derive(Debug)]
pub(super) struct Rows {
    pub(super) drawing: Markup,
    pub(super) height: f64,
}

pub(super) fn rows(legend: &Legend, width: f64) -> Rows {
    let entries = entries(legend);
    let (mut x, mut y) = (0.0, 0.0);
    let mut placed = Vec::new();
    for ((sample, wide), text) in entries {
        let begin = wide + BESIDE;
        let long = begin + text_width(&text);
        if x > 0.0 && x + long > width {
            (x, y) = (0.0, y + 1.3 * LINE);
        }
        placed.push((x, y, sample, begin, text));
        x += long + GAP;
    }
    let height = match placed.is_empty() {
        true => 0.0,
        false => y + 1.6 * LINE,
    };
    let drawing = html! {
        @for (x, y, sample, begin, text) in &placed {
            g transform=(format!("translate({} {})", px(*x), px(*y))) { (sample) }
            (label(x + begin, y + 11.0, "start", "", text))
        }
    };
    Rows { drawing, height }
}

fn entries(legend: &Legend) -> Vec<((Markup, f64), String)> {
    let square = |class: &str| html! { rect class=(class) x="1" y="1" width="12" height="12" {} };
    let series = |(look, text): &(Look, String)| (marker::drawn(*look), text.clone());
    let part = |(place, name): (usize, &&str)| {
        let sample = square(&format!("part s{place}"));
        ((sample, SQUARE), (*name).to_owned())
    };
    let key = |(class, said): &(&str, String)| {
        let sample = match class.starts_with('h') {
            true => html! { g class=(format!("cell {class}")) { (square("")) } },
            false => square(class),
        };
        ((sample, SQUARE), said.clone())
    };
    match legend {
        Legend::None => Vec::new(),
        Legend::Series(labels) => labels.iter().map(series).collect(),
        Legend::Parts(names) => names.iter().enumerate().map(part).collect(),
        Legend::Keys(keys) => keys.iter().map(key).collect(),
    }
}
