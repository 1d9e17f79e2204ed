//! Probes behind lowered limits as a table.

use lab::StudyResult;
use maud::{Markup, html};

use super::table::table;
use crate::fenced::{HEADS, TITLE, notes, row};

/// The probes of a study that has some.
pub(super) fn fenced(study: &StudyResult) -> Markup {
    let rows: Vec<_> = study
        .probes
        .iter()
        .map(|probe| row(probe).0.to_vec())
        .collect();
    html! {
        @if !rows.is_empty() {
            article.case {
                h3 { (TITLE) }
                p {
                    "For each model one limit was lowered for one process, in which the same reading "
                    "predicted how many flows there is room for, and flows were made until one was refused."
                }
                (table(&HEADS, &rows))
                @for note in study.probes.iter().flat_map(notes) { p.quiet { (note) } }
            }
        }
    }
}
