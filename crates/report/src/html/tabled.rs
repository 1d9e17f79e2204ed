//! Charts that are rows of text with something drawn beside it: on the page they are tables, which
//! flow by the style sheet alone, and can be read aloud, searched and copied. What is drawn stands
//! at percentages of its cell, and is hidden from those who hear the text.

pub(super) mod bars;
pub(crate) mod forest;
pub(super) mod heat;

fn percent(place: f64, length: f64) -> String {
    format!("{}%", crate::charts::px(place / length * 100.0))
}
