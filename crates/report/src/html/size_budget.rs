//! How much of a page there is room for: at the last level of detail parts (a warning, a card, a
//! table with its sentences) are there if room is left at their turn, and else counted and named
//! with the command that shows them.

use maud::{Markup, html};

use super::compact::compact;
use crate::text::cut;
use crate::text::visible_markup;
use crate::words::many;

const NAMED: usize = 24;
const NAME: usize = 60;

const AROUND: usize = 64;

#[derive(Debug, Clone, Default)]
pub(super) struct SizeBudget {
    left: Option<usize>,
    left_out: Vec<String>,
}

impl SizeBudget {
    pub(super) fn unbounded() -> Self {
        Self::default()
    }

    pub(super) fn of(bytes: usize) -> Self {
        Self {
            left: Some(bytes),
            left_out: Vec::new(),
        }
    }

    pub(super) fn hold(&mut self, name: &str, part: Markup) -> Markup {
        let Some(left) = self.left.as_mut().filter(|_| !part.0.is_empty()) else {
            return part;
        };
        let needs = compact(&visible_markup(&part.0)).len() + AROUND;
        match left.checked_sub(needs) {
            Some(rest) => {
                *left = rest;
                part
            }
            None => {
                self.left_out.push(cut(name, NAME).into_owned());
                html! {}
            }
        }
    }

    pub(super) fn left_out(&self) -> usize {
        self.left_out.len()
    }

    /// `9 parts found no room on this page: Noise; Cases 1; and 1 more`, without the first `known`.
    pub(super) fn said(&self, known: usize) -> Option<String> {
        let lost = &self.left_out[known..];
        let more = match lost.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        let named = lost[..lost.len().min(NAMED)].join("; ");
        let lost = many(lost.len() as u64, "part");
        (self.left_out.len() > known)
            .then(|| format!("{lost} found no room on this page: {named}{more}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_without_room_is_counted_and_a_smaller_one_behind_it_held() {
        let part = |length: usize| html! { p { ("x".repeat(length)) } };
        let mut budget = SizeBudget::of(500);
        assert!(!budget.hold("a", part(200)).0.is_empty());
        assert!(budget.hold("b", part(300)).0.is_empty());
        assert!(!budget.hold("c", part(20)).0.is_empty());
        assert!(budget.hold("d", html! {}).0.is_empty());
        assert_eq!(budget.left_out(), 1);
        let said = "1 part found no room on this page: b";
        assert_eq!(budget.said(0).as_deref(), Some(said));
        assert_eq!(budget.said(1), None);
        // A character that is made visible takes more room than it did.
        let mut budget = SizeBudget::of(150);
        assert!(
            budget
                .hold("e", html! { p { ("\u{202e}".repeat(20)) } })
                .0
                .is_empty()
        );
        let mut all = SizeBudget::unbounded();
        assert!(!all.hold("f", part(1_000_000)).0.is_empty());
        assert_eq!(all.left_out(), 0);
    }

    #[test]
    fn what_found_no_room_is_named_and_what_is_not_named_is_counted() {
        let mut budget = SizeBudget::of(0);
        for number in 1..=NAMED + 2 {
            budget.hold(&format!("case {number}"), html! { p { "text" } });
        }
        let said = budget.said(0).unwrap_or_default();
        let (begins, ends) = (
            "26 parts found no room on this page: case 1; case 2; ",
            "case 24; and 2 more",
        );
        assert!(said.starts_with(begins) && said.ends_with(ends), "{said}");
        let said = "2 parts found no room on this page: case 25; case 26";
        assert_eq!(budget.said(NAMED).as_deref(), Some(said));
    }
}
