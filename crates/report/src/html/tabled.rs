//! Charts that are rows of text with something drawn beside it: on the page they are tables.
//!
//! # Theory
//!
//! A table flows: beside each other on a desk, below each other on a telephone, and on paper
//! as it comes, by the style sheet alone. Its text is text, so it can be read aloud, searched
//! and copied, nothing of it is cut, and no second table of data is needed. What is drawn in
//! it stands at percentages of its cell and so needs no width, and is hidden from those who
//! hear the text.

pub(super) mod bars;
pub(crate) mod forest;
pub(super) mod heat;

fn percent(place: f64, length: f64) -> String {
    format!("{}%", crate::charts::px(place / length * 100.0))
}
