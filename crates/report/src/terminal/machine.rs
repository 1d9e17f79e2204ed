use machine::{Fact, Group, Machine};

use super::Style;
use super::page::Page;
use crate::text::width;
use crate::words::Tone;

const NAMES: usize = 26;

/// What the machine is and what it can measure, then what to beware of.
#[must_use]
pub fn machine(machine: &Machine, style: &Style) -> String {
    let mut page = Page::new(style);
    for facts in machine.facts() {
        page.blank();
        group(&mut page, &facts);
    }
    page.blank();
    for warning in machine.warnings() {
        page.text(0, Tone::Doubt, &format!("note: {warning}"));
    }
    page.finish()
}

fn group(page: &mut Page<'_>, group: &Group) {
    page.text(0, Tone::Strong, &group.title);
    let names = group
        .rows
        .iter()
        .map(|fact| width(&fact.name))
        .max()
        .unwrap_or(0);
    for (place, fact) in group.rows.iter().enumerate() {
        let text = again(fact, &group.rows[..place]).unwrap_or_else(|| value(fact));
        page.beside(2, (&fact.name, names.min(NAMES)), Tone::Plain, &text);
    }
}

/// `not available, as cycles`: a reason that stands above is not written again.
fn again(fact: &Fact, above: &[Fact]) -> Option<String> {
    let first = above.iter().find(|first| value(first) == value(fact))?;
    let is_missing = fact.value.starts_with("not available");
    is_missing.then(|| format!("not available, as {}", first.name))
}

fn value(fact: &Fact) -> String {
    if fact.note.is_empty() {
        fact.value.clone()
    } else {
        format!("{} ({})", fact.value, fact.note)
    }
}
