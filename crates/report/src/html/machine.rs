//! The machine, folded away; on paper only the line at the page's head.

use machine::{Group, Machine};
use maud::{Markup, html};

use super::table::{Named, table};
use crate::document::table::Table;

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
