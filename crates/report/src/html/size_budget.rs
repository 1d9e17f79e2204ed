//! How much of a page there is room for.
//!
//! # Theory
//!
//! A page has a bound, and at the last level of detail it keeps it whatever was run: it is then
//! made of parts (a warning, a card, a table with its sentences), each of which is on the page if
//! there is room left when its turn comes, and else counted. At every other level there is room
//! for everything, and only the whole is measured.

use maud::{Markup, html};

use super::compact::{compact, shown};

/// What stands around a part, at the most.
const AROUND: usize = 64;

/// The room that is left, and what found none.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SizeBudget {
    /// Bytes; none is counted where there is no bound.
    left: Option<usize>,
    /// Parts that found no room.
    left_out: usize,
}

impl SizeBudget {
    /// Room for everything.
    pub(super) fn unbounded() -> Self {
        Self::default()
    }

    /// Room for so many bytes.
    pub(super) fn of(bytes: usize) -> Self {
        Self {
            left: Some(bytes),
            left_out: 0,
        }
    }

    /// The part, or nothing where it has no room.
    pub(super) fn hold(&mut self, part: Markup) -> Markup {
        let Some(left) = self.left.as_mut().filter(|_| !part.0.is_empty()) else {
            return part;
        };
        // Written as it will be on the page, it may be longer or shorter.
        let needs = compact(&shown(&part.0)).len() + AROUND;
        match left.checked_sub(needs) {
            Some(rest) => {
                *left = rest;
                part
            }
            None => {
                self.left_out += 1;
                html! {}
            }
        }
    }

    /// How many parts have found no room so far.
    pub(super) fn left_out(&self) -> usize {
        self.left_out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_without_room_is_counted_and_a_smaller_one_behind_it_held() {
        let part = |length: usize| html! { p { ("x".repeat(length)) } };
        let mut budget = SizeBudget::of(500);
        assert!(!budget.hold(part(200)).0.is_empty());
        assert!(budget.hold(part(300)).0.is_empty());
        assert!(!budget.hold(part(20)).0.is_empty());
        assert!(budget.hold(html! {}).0.is_empty());
        assert_eq!(budget.left_out(), 1);
        // A character that is made visible takes more room than it did.
        let mut budget = SizeBudget::of(150);
        assert!(
            budget
                .hold(html! { p { ("\u{202e}".repeat(20)) } })
                .0
                .is_empty()
        );
        let mut all = SizeBudget::unbounded();
        assert!(!all.hold(part(1_000_000)).0.is_empty());
        assert_eq!(all.left_out(), 0);
    }
}
