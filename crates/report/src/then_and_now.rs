//! Then and now: what the sources of the studies found, and what this run says of it.
//!
//! One table for any study: a finding a row. What is judged, and how, is in
//! `lab::results::Then`; here it is only laid out, as a page of Markdown that can be printed.

use lab::results::Standing;
use lab::{Results, StudyResult};

use crate::date;

/// Who found it, where and when.
fn source(study: &StudyResult) -> Option<String> {
    let origin = study.study.origin.as_ref()?;
    Some(format!(
        "{}, \"{}\", {}",
        origin.author, origin.title, origin.year
    ))
}

/// Every verdict, in the order of tables.
const KINDS: [Standing; 6] = [
    Standing::Reproduced,
    Standing::Refuted,
    Standing::Differs,
    Standing::CannotTell,
    Standing::NotPossible,
    Standing::SideBySide,
];

/// All studies of a run in one document, to be printed or handed out.
#[must_use]
pub fn markdown(results: &Results) -> String {
    let mut text = String::from("# Then and now\n\n");
    text.push_str(&opening(results));
    let studies = || {
        let all = results.studies.iter();
        all.filter(|study| !study.then_and_now.is_empty())
    };
    text.push_str(&tally(studies()));
    for study in studies() {
        text.push_str(&section(study));
    }
    text
}

fn opening(results: &Results) -> String {
    let header = &results.header;
    let machine = &header.machine;
    format!(
        "What five publications found about processes and threads, finding by finding, and what \
         one run of flowgauge {} says of it. Made by `flowgauge report DIR --then-and-now`, of a \
         run on {} on {} CPUs ({}, kernel {}), seed {}. An interval misses the truth in at most \
         5 of 100 runs; where none decides, the verdict is \"cannot tell\".\n\n\
         *Reproduced*: ours says the same. *Refuted*: the opposite. *Differs*: something else. \
         *Side by side*: two figures of two machines, without a claim. A figure of a source \
         stands in its text, or says where it is from.\n\n",
        header.version,
        date::day(header.began_unix_s),
        machine.usable_cpus(),
        machine.processor.model,
        machine.kernel.release,
        header.settings.seed,
    )
}

fn tally<'a>(studies: impl Iterator<Item = &'a StudyResult>) -> String {
    let heads: Vec<&str> = KINDS.iter().map(|kind| kind.name()).collect();
    let mut text = format!("| source | {} |\n|---|", heads.join(" | "));
    text.push_str(&"---:|".repeat(KINDS.len()));
    text.push('\n');
    for study in studies {
        let count = |kind: &Standing| {
            let all = study.then_and_now.iter();
            all.filter(|then| then.verdict == *kind).count().to_string()
        };
        let counts: Vec<String> = KINDS.iter().map(count).collect();
        let year = study.study.origin.as_ref().map_or(0, |origin| origin.year);
        let name = &study.study.name;
        text.push_str(&format!("| `{name}` {year} | {} |\n", counts.join(" | ")));
    }
    text
}

fn section(study: &StudyResult) -> String {
    let name = &study.study.name;
    let source = source(study).unwrap_or_default();
    let mut text = format!("\n## {name}: {source}\n\n");
    text.push_str("| finding | source | here | verdict | why |\n|---|---|---|---|---|\n");
    for then in &study.then_and_now {
        let why = [&then.cause, &then.because].map(|part| part.as_deref().unwrap_or(""));
        let why: Vec<&str> = why.into_iter().filter(|part| !part.is_empty()).collect();
        let cells = [
            &*then.finding,
            &then.theirs,
            &then.ours,
            then.verdict.name(),
            &why.join("; "),
        ];
        let cells = cells.map(|cell| cell.replace('|', "\\|"));
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    text.push_str(&commands(study));
    text
}

/// What answers the rows, each command once.
fn commands(study: &StudyResult) -> String {
    let mut commands: Vec<String> = Vec::new();
    for then in &study.then_and_now {
        let command = format!("`{}`", then.command);
        if !commands.contains(&command) {
            commands.push(command);
        }
    }
    format!("\nAgain: {}\n", commands.join(", "))
}
