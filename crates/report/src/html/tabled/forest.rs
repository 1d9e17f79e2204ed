//! Ratios with their intervals, one row a finding, as in [`crate::charts::forest`].

use maud::{Markup, html};

use super::percent;
use crate::charts::forest::{Row, shape, span};
use crate::charts::ratios::Ratios;
use crate::html::table::caption_id;

const WIDTH: f64 = 240.0;

pub(crate) fn forest(id: &str, rows: &[Row]) -> Markup {
    let left = |place: usize| html! { (rows[place].label) };
    let said = |place: usize| html! { (rows[place].said) };
    answers(id, "", rows, &left, &said)
}

pub(crate) fn answers(
    id: &str,
    caption: &str,
    rows: &[Row],
    left: &dyn Fn(usize) -> Markup,
    said: &dyn Fn(usize) -> Markup,
) -> Markup {
    let ratios = Ratios::new(span(rows), (0.0, WIDTH));
    // Drawn in the first row of each floor, referenced by the others.
    let first = |row: &Row| rows.iter().position(|other| other.floor == row.floor);
    let short = short(id);
    html! {
        @let by = caption.is_empty().then(|| caption_id(id));
        table.forest aria-labelledby=[by] {
            @if !caption.is_empty() { caption.hidden { (caption) } }
            @for (place, row) in rows.iter().enumerate() {
                @let like = first(row).unwrap_or(place);
                @let grid = format!("{short}-g{like}");
                tr {
                    th scope="row" { (left(place)) }
                    td {
                        svg aria-hidden="true" {
                            @if like == place { g id=(grid) { (self::grid(&ratios, row.floor)) } }
                            @else { use href=(format!("#{grid}")) {} }
                            (mark(&ratios, row))
                        }
                    }
                    td { (said(place)) }
                }
            }
            @if rows.iter().any(|row| row.ratio.is_some()) {
                tr.axis aria-hidden="true" { td {} td { svg { (axis(&ratios)) } } td {} }
            }
        }
    }
}

/// `s0-f` of `study0-forest`: every row refers to it.
fn short(id: &str) -> String {
    let is_kept = |(place, c): (usize, char)| (place == 0 || c.is_ascii_digit()).then_some(c);
    let part = |part: &str| part.char_indices().filter_map(is_kept).collect::<String>();
    id.split('-').map(part).collect::<Vec<_>>().join("-")
}

fn grid(ratios: &Ratios, floor: f64) -> Markup {
    let at = |ratio: f64| percent(ratios.at(ratio), WIDTH);
    let (low, high) = (ratios.at(1.0 / (1.0 + floor)), ratios.at(1.0 + floor));
    html! {
        rect class="band" x=(percent(low, WIDTH)) width=(percent(high - low, WIDTH)) height="100%" {}
        @for tick in ratios.ticks() {
            @let x = percent(tick.at, WIDTH);
            line class="grid" x1=(x) x2=(x) y2="100%" {}
        }
        line class="one" x1=(at(1.0)) x2=(at(1.0)) y2="100%" {}
    }
}

fn mark(ratios: &Ratios, row: &Row) -> Markup {
    let at = |ratio: f64| percent(ratios.at(ratio), WIDTH);
    html! {
        g class=(row.tone.class()) {
            @if let Some((low, high)) = row.interval {
                line x1=(at(low)) x2=(at(high)) {}
            }
            @if let Some(ratio) = row.ratio.filter(|_| row.interval.is_some()) {
                use href=(format!("#k{}", shape(row.tone))) x=(at(ratio)) {}
            }
        }
    }
}

fn axis(ratios: &Ratios) -> Markup {
    html! {
        @for tick in ratios.ticks() {
            text.tick.m x=(percent(tick.at, WIDTH)) y="14" { (tick.label) }
        }
        text.tick y="32" { "\u{2190} faster" }
        text.tick.e x="100%" y="32" { "slower \u{2192}" }
    }
}
