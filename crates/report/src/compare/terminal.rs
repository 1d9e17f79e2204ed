use lab::compare::SideBySide;

use super::study::section;
use super::{counts, largest, not_covered, where_and_when};
use crate::document::Section;
use crate::terminal::{Page, Style, sections};
use crate::words::Tone;

/// Everything: the runs, tables, warnings, and the summary last.
#[must_use]
pub fn text(all: &SideBySide, style: &Style) -> String {
    let mut page = Page::new(style);
    for (place, run) in all.runs.iter().enumerate() {
        let reference = if place == 0 { " (reference)" } else { "" };
        let text = format!("{}{reference}: {}", run.name, where_and_when(run));
        page.text(0, Tone::Plain, &text);
    }
    let studies = all.studies.iter().enumerate();
    let studies: Vec<Section> = studies
        .map(|(place, one)| section(all, place, one))
        .collect();
    sections(&mut page, &studies);
    page.blank();
    for line in &all.left_out {
        page.text(0, Tone::Quiet, &format!("left out: {line}"));
    }
    for warning in &all.warnings {
        page.text(0, Tone::Doubt, &format!("warning: {warning}"));
    }
    page.text(0, Tone::Quiet, &format!("note: {}", not_covered(all)));
    page.left_out();
    page.blank();
    for run in 1..all.runs.len() {
        page.text(0, Tone::Strong, &counts(all, run));
        if let Some(sentence) = largest(all, run) {
            page.text(2, Tone::Plain, &format!("the largest change: {sentence}"));
        }
        if let Some(shift) = all.shift(run) {
            page.text(2, Tone::Plain, &shift);
        }
    }
    for one in all.series.iter().filter(|one| one.change.is_some()) {
        page.text(0, Tone::Strong, &format!("{}: {}", one.label, one.sentence));
    }
    page.finish()
}
