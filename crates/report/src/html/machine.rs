//! The machine, folded away; printed pages have the line at their head alone.

use machine::{Group, Machine};
use maud::{Markup, html};

use super::table::{Named, table};
use crate::document::table::Table;

/// What to beware of on this machine, then everything about it.
pub(super) fn machine(machine: &Machine) -> Markup {
    html! {
        details.study.screen {
            summary { h2 { "The machine" } }
            div #machine {}
            @for warning in machine.warnings() { p.quiet { (warning) } }
            @for group in machine.facts() { (facts(&group)) }
        }
    }
}

fn facts(group: &Group) -> Markup {
    let row = |fact: &machine::Fact| vec![fact.name.clone(), fact.value.clone(), fact.note.clone()];
    let rows: Vec<_> = group.rows.iter().map(row).collect();
    let facts = Table::texts("", &["what", "here", "meaning"], rows);
    html! { details.facts { summary { (group.title) } (table(&facts, Named::Heading(&group.title))) } }
}
