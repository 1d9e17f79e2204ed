//! Counted events of a case as a table, and what could not be counted.

use lab::{CaseResult, StudyResult};
use maud::{Markup, html};

use super::table::table;
use crate::counting::{counting, missing};

/// The table of a case, folded away.
pub(super) fn of_case(case: &CaseResult) -> Markup {
    html! {
        @if let Some(counting) = counting(case) {
            details {
                summary { "Counted events" }
                p.quiet { (counting.title) }
                (table(&counting.heads, &counting.filled()))
                @for note in &counting.notes { p.quiet { (note) } }
            }
        }
    }
}

/// What is missing in a study, each reason once.
pub(super) fn of_study(study: &StudyResult) -> Markup {
    html! { @for line in missing(study) { p.quiet { (line) } } }
}
