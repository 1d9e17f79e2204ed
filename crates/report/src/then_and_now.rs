//! Then and now: what the sources of the studies found, and what this run says of it.
//!
//! One table for any study: a finding a row. What is judged, and how, is in
//! `lab::findings::Then`, and the table is that of the document (`document::then`); here those of all
//! studies are laid out on one page, in Markdown and to be printed.

use std::collections::BTreeMap;

use lab::findings::{Standing, Then};
use lab::{Results, StudyResult};
use maud::html;

use crate::document::table::{Cell, Column, Table, Value, text};
use crate::document::then;
use crate::html::table::Named;
use crate::{date, html};

/// Every verdict, in the order of tables.
const KINDS: [Standing; 7] = [
    Standing::Reproduced,
    Standing::OtherSize,
    Standing::Refuted,
    Standing::Differs,
    Standing::CannotTell,
    Standing::NotPossible,
    Standing::SideBySide,
];

/// All studies of a run that have a source.
fn studies(results: &Results) -> impl Iterator<Item = &StudyResult> {
    let all = results.studies.iter();
    all.filter(|study| !study.then_and_now.is_empty())
}

/// All of them in one document of Markdown; `None` where no study of the run has a source.
#[must_use]
pub fn markdown(results: &Results) -> Option<String> {
    studies(results).next()?;
    let mut text = format!("# {TITLE}\n");
    for paragraph in opening(results) {
        text.push_str(&format!("\n{paragraph}\n"));
    }
    let mut table = |table: &Table| {
        text.push('\n');
        text.push_str(&as_markdown(table));
    };
    table(&tally(results));
    for study in studies(results) {
        text.push_str(&format!("\n## {}\n\n", heading(study)));
        if let Some(setup) = then::setup(study) {
            text.push_str(&format!("{setup}\n\n"));
        }
        text.push_str(&as_markdown(&then::with_commands(study)));
        text.push_str(&format!("\nAll of it again: `{}`\n", again(study)));
    }
    Some(text)
}

/// All of them as JSON: the findings by the names of their studies; `None` where no study of the
/// run has a source.
#[must_use]
pub fn json(results: &Results) -> Option<String> {
    studies(results).next()?;
    let by_study: BTreeMap<&str, &[Then]> = studies(results)
        .map(|study| (study.study.name.as_str(), &*study.then_and_now))
        .collect();
    Some(crate::json::then_and_now(by_study))
}

/// The same as a page to be printed, with the source's charts where they have figures in its text;
/// `None` where no study of the run has a source.
#[must_use]
pub fn page(results: &Results) -> Option<String> {
    studies(results).next()?;
    let opening = opening(results);
    let body = html! {
        h1 { (TITLE) }
        @for paragraph in &opening { p { (paragraph.replace(['*', '`'], "")) } }
        (html::table::plain(&tally(results), Named::Heading("Verdicts")))
        @for study in studies(results) {
            h2 { (heading(study)) }
            @if let Some(setup) = then::setup(study) { p.quiet { (setup) } }
            (html::printed(&then::drawn(study)))
            (html::table::plain(&then::with_commands(study), Named::Heading(&heading(study))))
            p.quiet { "All of it again: " (again(study)) }
        }
    };
    Some(html::sheet(TITLE, body))
}

const TITLE: &str = "Then and now";

/// `primes: S. Norgren, "Processes vs. Threads", 2010`.
fn heading(study: &StudyResult) -> String {
    let source = then::source(study).unwrap_or_default();
    format!("{}: {source}", study.study.name)
}

/// The command that runs all of a study.
fn again(study: &StudyResult) -> String {
    let name = &study.study.name;
    match lab::builtin_names().any(|known| known == name) {
        true => format!("flowgauge {name}"),
        false => "flowgauge run FILE".to_owned(),
    }
}

/// The number of sources in words.
fn sources(results: &Results) -> String {
    let mut all: Vec<Option<String>> = studies(results).map(then::source).collect();
    all.dedup();
    match all.len() {
        1 => "one publication".to_owned(),
        many => format!("{many} publications"),
    }
}

/// What the tables are, and what the words in them mean.
fn opening(results: &Results) -> [String; 2] {
    let header = &results.header;
    let machine = &header.machine;
    let of_run = format!(
        "What {} found about processes and threads, finding by finding, and what one run of \
         flowgauge {} says of it. Made by `flowgauge report DIR --then-and-now`, of a run on {} on \
         {} CPUs ({}, kernel {}), seed {}. The claims of a source share a level: of their verdicts, \
         at most 5 % are false on average. Where no interval decides, the verdict is \"cannot \
         tell\".",
        sources(results),
        header.version,
        date::day(header.began_unix_s),
        machine.usable_cpus(),
        machine.processor.model,
        machine.kernel.release,
        header.settings.seed,
    );
    let words = "*Reproduced*: ours says the same, in direction and in size: an effect within a \
                 factor of 2 of the source's, where it has one. *Same direction, other size*: by more \
                 or less than that. *Refuted*: the opposite. *Differs*: something else. *Side by side*: \
                 two figures of two machines, without a claim. A figure of a source stands in its \
                 text, or says where it is from.";
    [of_run, words.to_owned()]
}

/// How many findings of each source had which verdict.
fn tally(results: &Results) -> Table {
    let kinds = KINDS.iter().map(|kind| Column::right(kind.name()));
    let columns = [Column::left("source")].into_iter().chain(kinds).collect();
    let row = |study: &StudyResult| {
        let year = study.study.origin.as_ref().map_or(0, |origin| origin.year);
        let count = |kind: &Standing| {
            let all = study.then_and_now.iter();
            let own = all.filter(|then| then.verdict == *kind).count();
            Value::Whole(own as u64)
        };
        let name = text(format!("{} {year}", study.study.name));
        let cells = [name].into_iter().chain(KINDS.iter().map(count));
        cells.map(Cell::from).collect()
    };
    Table::new("", columns, studies(results).map(row))
}

/// A table of a document in Markdown.
fn as_markdown(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let columns = table.columns.iter();
    let mut text = line(columns.clone().map(|column| column.head.clone()).collect());
    let rules = columns.map(|column| if column.left { "---" } else { "---:" });
    text.push_str(&format!("|{}|\n", rules.collect::<Vec<_>>().join("|")));
    for row in &table.rows {
        let cells = row.iter().zip(&table.columns);
        let cells = cells.map(|(cell, column)| cell.value.shown(column.unit).replace('|', "\\|"));
        text.push_str(&line(cells.collect()));
    }
    text
}
