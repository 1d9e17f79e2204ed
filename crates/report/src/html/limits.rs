//! How many flows there can be, as a table.

use lab::StudyResult;
use maud::{Markup, html};

use super::table::table;
use crate::limits_now::{HEADS, TITLE, notes, row};

/// The limits of a study that has some.
pub(super) fn limits(study: &StudyResult) -> Markup {
    let rows: Vec<_> = study
        .limits
        .iter()
        .map(|limit| row(limit).to_vec())
        .collect();
    html! {
        @if !rows.is_empty() {
            article.case {
                h3 { (TITLE) }
                (table(&HEADS, &rows))
                @for note in notes(study) { p.quiet { (note) } }
            }
        }
    }
}
