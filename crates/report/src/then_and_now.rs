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
const KINDS: [Standing; 6] = [
    Standing::Reproduced,
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
        text.push_str(&as_markdown(&then::with_commands(study)));
        text.push_str(&format!(
            "\nAll of it again: `flowgauge {}`\n",
            study.study.name
        ));
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

/// The same as a page to be printed, without a command in each row, which would not fit on four
/// pages; `None` where no study of the run has a source.
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
            (html::table::plain(&then::table(study), Named::Heading(&heading(study))))
            p.quiet {
                "All of it again: flowgauge " (study.study.name) "; the command of each row: flowgauge \
                 report DIR --then-and-now"
            }
        }
    };
    Some(html::sheet(TITLE, &body))
}

const TITLE: &str = "Then and now";

/// `primes: S. Norgren, "Processes vs. Threads", 2010`.
fn heading(study: &StudyResult) -> String {
    let source = then::source(study).unwrap_or_default();
    format!("{}: {source}", study.study.name)
}

/// What the tables are, and what the words in them mean.
fn opening(results: &Results) -> [String; 2] {
    let header = &results.header;
    let machine = &header.machine;
    let of_run = format!(
        "What five publications found about processes and threads, finding by finding, and what \
         one run of flowgauge {} says of it. Made by `flowgauge report DIR --then-and-now`, of a \
         run on {} on {} CPUs ({}, kernel {}), seed {}. Each interval by itself misses the truth in \
         at most 5 of 100 runs; those of the first screen are wider, since all of them hold \
         together. Where none decides, the verdict is \"cannot tell\".",
        header.version,
        date::day(header.began_unix_s),
        machine.usable_cpus(),
        machine.processor.model,
        machine.kernel.release,
        header.settings.seed,
    );
    let words = "*Reproduced*: ours says the same. *Refuted*: the opposite. *Differs*: something \
                 else. *Side by side*: two figures of two machines, without a claim. A figure of a \
                 source stands in its text, or says where it is from.";
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
