//! Then and now: what the sources of the studies found, and what this run says of it, on one page, in Markdown and to
//! be printed, from the oldest source to the newest. A reader can ask for one topic and prints that.

use std::collections::{BTreeMap, BTreeSet};

use lab::findings::{Standing, Then};
use lab::{Results, StudyResult};
use maud::{Markup, PreEscaped, html};

use crate::document::table::{Column, Table, text, whole};
use crate::document::then::{self, year};
use crate::html::table::Named;
use crate::{date, html};

const KINDS: [Standing; 8] = [
    Standing::Reproduced,
    Standing::SameDirection,
    Standing::Refuted,
    Standing::Differs,
    Standing::CannotTell,
    Standing::NotRun,
    Standing::NotPossible,
    Standing::SideBySide,
];

fn studies(results: &Results) -> Vec<&StudyResult> {
    let all = results.studies.iter();
    let mut all: Vec<&StudyResult> = all
        .filter(|study| !study.parts.then_and_now.is_empty())
        .collect();
    all.sort_by_key(|study| year(study));
    all
}

fn topics(study: &StudyResult) -> &[String] {
    let origin = study.study.origin.as_ref();
    origin.map_or(&[], |origin| origin.topics.as_slice())
}

/// All of them in one document of Markdown; `None` where no study of the run has a source.
#[must_use]
pub fn markdown(results: &Results) -> Option<String> {
    studies(results).first()?;
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
        text.push_str(&format!("\nAll of it again: `{}`\n", again(study, results)));
    }
    Some(text)
}

/// All of them as JSON, by the names of their studies; `None` where no study has a source.
#[must_use]
pub fn json(results: &Results) -> Option<String> {
    studies(results).first()?;
    let by_study: BTreeMap<&str, &[Then]> = studies(results)
        .into_iter()
        .map(|study| (study.study.name.as_str(), &*study.parts.then_and_now))
        .collect();
    Some(crate::json::then_and_now(by_study))
}

/// The same as a page to be printed, with the charts of sources that give figures in their text.
#[must_use]
pub fn page(results: &Results) -> Option<String> {
    studies(results).first()?;
    let opening = opening(results);
    let body = html! {
        h1 { (TITLE) }
        @for paragraph in &opening { p { (paragraph.replace(['*', '`'], "")) } }
        div.scroll { (html::table::plain(&tally(results), Named::Heading("Verdicts"))) }
        (filter(results))
        @for study in studies(results) {
            section class=(classes(study)) {
                h2 { (heading(study)) }
                @if let Some(setup) = then::setup(study) { p.quiet { (setup) } }
                (html::printed(then::drawn(study)))
                (html::table::plain(&then::with_commands(study), Named::Heading(&heading(study))))
                p.quiet { "All of it again: " (again(study, results)) }
            }
        }
    };
    Some(html::sheet(TITLE, body))
}

fn filter(results: &Results) -> Markup {
    let all: BTreeSet<&String> = studies(results).into_iter().flat_map(topics).collect();
    let rules = all.iter().map(|topic| {
        let class = class(topic);
        format!("#{class}:checked~section:not(.{class}){{display:none}}")
    });
    html! {
        @if all.len() > 1 {
            style { (PreEscaped(rules.collect::<String>())) }
            input.screen type="radio" name="topic" id="topic-all" checked;
            label.screen for="topic-all" { "sources of all topics " }
            @for topic in &all {
                input.screen type="radio" name="topic" id=(class(topic));
                label.screen for=(class(topic)) { (topic) " " }
            }
        }
    }
}

/// `topic-address-space`: letters, digits and hyphens, whatever a file calls its topic.
fn class(topic: &str) -> String {
    let letter = |c: char| match c.is_ascii_alphanumeric() {
        true => c.to_ascii_lowercase(),
        false => '-',
    };
    format!("topic-{}", topic.chars().map(letter).collect::<String>())
}

fn classes(study: &StudyResult) -> String {
    let all: Vec<String> = topics(study).iter().map(|topic| class(topic)).collect();
    all.join(" ")
}

const TITLE: &str = "Then and now";

fn heading(study: &StudyResult) -> String {
    let source = then::source(study).unwrap_or_default();
    format!("{}: {source}", study.study.name)
}

fn again(study: &StudyResult, results: &Results) -> String {
    let name = &study.study.name;
    let is_known = lab::builtin_names().any(|known| known == name);
    let file = results.header.file_of(name).unwrap_or("FILE");
    format!("flowgauge run {}", if is_known { name } else { file })
}

/// `2 reproduced, 1 differs`, of the sources of study files: who runs one asks what becomes of its claims.
pub(crate) fn claims(results: &Results) -> Option<String> {
    let all = studies(results).into_iter();
    let of_files = all.filter(|study| results.header.file_of(&study.study.name).is_some());
    let found: Vec<&Then> = of_files
        .flat_map(|study| &study.parts.then_and_now)
        .collect();
    let count = |kind: &Standing| {
        let own = found.iter().filter(|then| then.verdict == *kind).count();
        (own > 0).then(|| format!("{own} {}", kind.name()))
    };
    let counts: Vec<String> = KINDS.iter().filter_map(count).collect();
    (!counts.is_empty()).then(|| format!("Claims: {}", counts.join(", ")))
}

fn sources(results: &Results) -> String {
    let all = studies(results).into_iter();
    let years: BTreeSet<u32> = all.clone().map(year).collect();
    let all: BTreeSet<Option<String>> = all.map(then::source).collect();
    match (all.len(), years.first().zip(years.last())) {
        (1, _) => "one publication".to_owned(),
        (many, Some((first, last))) => format!("{many} publications of {first} to {last}"),
        (many, None) => format!("{many} publications"),
    }
}

fn opening(results: &Results) -> [String; 2] {
    let header = &results.header;
    let machine = &header.machine;
    let of_run = format!(
        "What {} found about processes and threads, finding by finding, and what one run of \
         flowgauge {} says of it. Made by `flowgauge report DIR --then-and-now`, of a run on {} on \
         {} CPUs ({}, kernel {}), seed {}. The claims of a study on two variants share a level: of \
         their verdicts, at most 5 % are false on average. Laws, amounts and throughput hold in 95 of \
         100 runs each. Where no interval decides, the verdict is \"cannot tell\"; what this run did not \
         measure is \"not run\".",
        sources(results),
        header.version,
        date::day(header.began_unix_s),
        machine.usable_cpus(),
        machine.processor.model,
        machine.kernel.release,
        header.settings.seed,
    );
    let words = "*Reproduced*: ours says the same, and where the source has a size, the whole interval of \
                 our effect is within a factor of 2 of it. *Same direction*: the size is another one, or is \
                 not settled, or the conditions are not the source's. *Refuted*: the opposite. *Differs*: \
                 something else. *Side by side*: two figures without a claim. A figure of a source stands \
                 in its text, or says where else it is from. Of a page that processes share, RSS counts \
                 all in each, PSS a part in each.";
    [of_run, words.to_owned()]
}

fn tally(results: &Results) -> Table {
    let kinds = KINDS.iter().map(|kind| Column::right(kind.name()));
    let columns = ["year", "source", "about"].map(Column::left);
    let columns = columns.into_iter().chain(kinds).collect();
    let row = |study: &StudyResult| {
        let count = |kind: &Standing| {
            let all = study.parts.then_and_now.iter();
            let own = all.filter(|then| then.verdict == *kind).count();
            whole(Some(own as u64))
        };
        let words = [
            year(study).to_string(),
            study.study.name.clone(),
            topics(study).join(", "),
        ];
        let cells = words.into_iter().map(text);
        cells.chain(KINDS.iter().map(count)).collect()
    };
    Table::new("", columns, studies(results).into_iter().map(row))
}

fn as_markdown(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let columns = table.columns.iter();
    let mut text = line(columns.clone().map(|column| column.head.clone()).collect());
    let rules = columns.map(|column| if column.left { "---" } else { "---:" });
    text.push_str(&format!("|{}|\n", rules.collect::<Vec<_>>().join("|")));
    for row in &table.rows {
        let cells = row.iter().zip(&table.columns);
        let cells = cells.map(|(cell, column)| {
            cell.value
                .shown(column.unit)
                .replace('|', "\\|")
                .replace('\n', " ")
        });
        text.push_str(&line(cells.collect()));
    }
    text
}
