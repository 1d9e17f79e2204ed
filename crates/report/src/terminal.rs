//! Results for a terminal or a pipe. A run prints its first screen: the answers, what to do next,
//! and what to beware of. Everything else needs [`Style::verbose`].
//!
//! No line is wider than [`Style::width`], prose never wider than 100 columns. Sentences are
//! wrapped at spaces, tables lose columns in their order (`layout`), and a note says from which
//! width on nothing is left out. Colour replaces no word; ASCII has letters for marks.

mod answers;
mod layout;
mod machine;
mod page;
mod ruler;
mod single;
mod style;
mod tables;

use lab::{Decision, Results};
use stats::{Estimate, Verdict};

pub use machine::machine;
pub(crate) use page::Page;
use style::Detail;
pub use style::{PLAIN_WIDTH, Style};

use crate::charts::Chart;
use crate::charts::ruler::Step;
use crate::document::answers::Answers;
use crate::document::{Body, Document, FOLDER, Section};
use crate::text::{cut, visible, width};
use crate::then_and_now;
use crate::words::{Tone, comparison, many};

/// A point at its end would be taken for that of a sentence.
fn named(folder: &str) -> String {
    match folder.ends_with('.') {
        true => format!("{folder}/"),
        false => folder.to_owned(),
    }
}

/// The answers of a run; commands name `folder`, where the results are.
#[must_use]
pub fn run(results: &Results, style: &Style, folder: Option<&str>) -> String {
    let folder = folder.map_or(FOLDER.to_owned(), |folder| {
        crate::text::shell_word(&named(folder))
    });
    let document = Document::of(results, &folder);
    let screen = |detail| {
        let mut page = Page::new(style);
        if style.verbose {
            let studies = document.studies.iter();
            studies.for_each(|study| section(&mut page, 0, study));
            page.blank();
        }
        first_screen(&mut page, results, (&document, detail), &folder);
        page.finish()
    };
    let most = match results.studies.len() {
        1 if decision(results).is_some() => SCREEN_OF_MANY,
        1 => SCREEN,
        _ => SCREEN_OF_MANY,
    };
    // Shorter lines are more of them.
    let most = most * PLAIN_WIDTH / style.width.clamp(1, PLAIN_WIDTH);
    let fits = |text: &String| style.verbose || text.lines().count() <= most;
    let mut shorter = Detail::EVERY.into_iter().map(screen);
    let first = shorter.find(fits);
    first.unwrap_or_else(|| screen(Detail::Least))
}

fn decision(results: &Results) -> Option<&Decision> {
    match &results.studies[..] {
        [one] => one.study.decision.as_ref(),
        _ => None,
    }
}

fn decides(page: &mut Page<'_>, results: &Results) {
    let Some(asked) = decision(results) else {
        return;
    };
    page.blank();
    page.text(0, Tone::Strong, "WHAT DECIDES IT");
    page.text(2, Tone::Plain, &asked.theory.join(" "));
    for thread in &asked.threads {
        page.text(2, Tone::Quiet, &format!("{} ({})", thread.says, thread.url));
    }
}

/// Lines of [`PLAIN_WIDTH`] columns on the first screen of a study alone.
const SCREEN: usize = 25;
const SCREEN_OF_MANY: usize = 45;

impl Detail {
    fn warnings(self, all: &[String], folder: &str) -> Vec<String> {
        let few = match self {
            Self::All | Self::Answers => all.len(),
            Self::FewWarnings => 1,
            Self::OneAdvice | Self::NoTerms | Self::Least => 0,
        };
        let (shown, rest) = all.split_at(few.min(all.len()));
        let rest = match (shown, rest) {
            (_, []) => None,
            ([], all) if self == Self::Least => Some(many(all.len() as u64, "warning")),
            ([], [one]) => Some(clause(one).to_owned()),
            ([], [first, more @ ..]) => {
                let more = many(more.len() as u64, "more warning");
                Some(format!("{}; {more}", clause(first)))
            }
            (_, more) => Some(many(more.len() as u64, "more warning")),
        };
        let rest = rest.map(|rest| format!("{rest}: flowgauge report {folder} -v"));
        shown.iter().cloned().chain(rest).collect()
    }
}

/// What a warning says before its particulars.
fn clause(warning: &str) -> &str {
    warning
        .split_once(" (")
        .map_or(warning, |(clause, _)| clause)
}

fn first_screen(
    page: &mut Page<'_>,
    results: &Results,
    (document, detail): (&Document, Detail),
    folder: &str,
) {
    let answers = &document.answers;
    top(page, answers, detail);
    if let Some(asked) = decision(results) {
        page.text(0, Tone::Strong, &asked.question);
    }
    match rulers(document).next() {
        Some(steps) => ruler::ruler(page, steps),
        None => single::single(page, results, detail),
    }
    let several = results.studies.len() > 1;
    let besides = !several && detail < Detail::Answers;
    answers::answers(page, answers, (several, besides));
    let headline = match &results.studies[..] {
        [study] => study.headline_case(),
        _ => None,
    };
    if let Some(memory) = headline.and_then(|case| single::memory(case, detail)) {
        page.text(2, Tone::Plain, &format!("Memory: {memory}"));
    }
    decides(page, results);
    if let Some(terms) = answers.terms.as_ref().filter(|_| detail < Detail::NoTerms) {
        page.text(0, Tone::Quiet, terms);
    }
    if let Some(level) = answers.level(|row| !(several && row.says_little())) {
        page.text(0, Tone::Quiet, &level);
    }
    next(page, &answers.next, detail);
    if answers.next.is_empty() || several {
        page.blank();
    }
    for warning in detail.warnings(&answers.warnings, folder) {
        page.text(0, Tone::Doubt, &warning);
    }
    match page.is_verbose() {
        false => left_out(page, results, (&answers.warnings, detail), folder),
        true => {
            for note in &results.notes {
                page.text(0, Tone::Quiet, &format!("note: {note}"));
            }
            page.left_out();
        }
    }
    if let Some(axis) = answers::axis(page, answers) {
        page.text(0, Tone::Quiet, &axis);
    }
    if let Some(claims) = then_and_now::claims(results) {
        let page_of = format!("{claims}: {folder}/then-and-now.html");
        page.text(0, Tone::Plain, &page_of);
    }
    let names = match answers.terms.is_some() && detail >= Detail::NoTerms {
        true => " (explains the names)",
        false => "",
    };
    let report = format!("Report: {folder}/report.html{names}");
    let more = format!("every table: flowgauge report {folder} -v");
    page.text(0, Tone::Plain, &format!("{report} · {more}"));
}

fn next(page: &mut Page<'_>, advice: &[String], detail: Detail) {
    if advice.is_empty() {
        return;
    }
    page.blank();
    page.text(0, Tone::Strong, "NEXT");
    let few = match detail < Detail::OneAdvice {
        true => advice.len(),
        false => 1,
    };
    for line in advice.iter().take(few) {
        page.text(2, Tone::Plain, line);
    }
}

fn rulers(document: &Document) -> impl Iterator<Item = &[Step]> {
    let parts = document.studies.iter().flat_map(|study| &study.parts);
    parts.filter_map(|part| match &part.body {
        Body::Figure(figure) => match &figure.chart {
            Chart::Ruler(steps) => Some(&steps[..]),
            _ => None,
        },
        _ => None,
    })
}

fn top(page: &mut Page<'_>, answers: &Answers, detail: Detail) {
    page.text(0, Tone::Plain, &head(page, &answers.head, detail));
    if let Some(sentence) = &answers.sentence {
        page.text(0, Tone::Strong, sentence);
    }
    if let Some(busy) = &answers.busy {
        page.text(0, Tone::Doubt, busy);
    }
    if let Some(asked) = &answers.asked {
        page.text(0, Tone::Plain, asked);
    }
}

/// Where and what was run, with the seed; where room is short without it, else what was run.
fn head(page: &Page<'_>, parts: &[String], detail: Detail) -> String {
    let line = |parts: &[String]| format!("flowgauge · {}", parts.join(" · "));
    let shorter = [0..3, 0..2, 1..2].map(|range| parts.get(range).unwrap_or(parts));
    let fits = |parts: &&[String]| width(&line(parts)) + 2 <= page.prose();
    match detail {
        Detail::All => line(parts),
        _ => line(shorter.into_iter().find(fits).unwrap_or(shorter[2])),
    }
}

const FEW: usize = 3;

/// What is left out on this machine and why, unless a warning said it; of many, the number.
fn left_out(
    page: &mut Page<'_>,
    results: &Results,
    (said, detail): (&[String], Detail),
    folder: &str,
) {
    let few = if detail < Detail::FewWarnings { FEW } else { 1 };
    let notes = results.notes.iter().filter(|note| !said.contains(note));
    let notes = notes.filter_map(|note| {
        let (study, why) = note.split_once(": left out: ")?;
        Some(format!("Left out of {study}: {why}"))
    });
    let notes: Vec<String> = notes.collect();
    let lines = match notes.len() {
        count if count <= few => notes,
        count => vec![format!(
            "{count} things are left out on this machine; why: flowgauge report {folder} -v"
        )],
    };
    for line in lines {
        page.text(0, Tone::Quiet, &line);
    }
}

fn section(page: &mut Page<'_>, indent: usize, section: &Section) {
    let mut parts = section.parts.iter();
    if parts.all(|part| matches!(part.body, Body::Figure(_))) {
        return;
    }
    page.blank();
    let heading = [section.heading.as_str(), &section.aside].into_iter();
    let heading: Vec<&str> = heading.filter(|text| !text.is_empty()).collect();
    page.text(indent, Tone::Strong, &heading.join(" · "));
    for part in &section.parts {
        match &part.body {
            Body::Text(tone, text) => page.text(indent + 2, *tone, text),
            Body::Table(table) => tables::table(page, indent + 2, table),
            Body::Section(inner) => self::section(page, indent + 2, inner),
            Body::Figure(_) => {}
        }
    }
}

pub(crate) fn sections(page: &mut Page<'_>, all: &[Section]) {
    all.iter().for_each(|one| section(page, 0, one));
}

/// One comparison on one line, for progress: `thread vs process: 1.31x faster [1.27x … 1.35x]`.
#[must_use]
pub fn findings_line(
    subject: &str,
    reference: &str,
    estimate: Option<&Estimate>,
    verdict: Option<&Verdict>,
    style: &Style,
) -> String {
    let undecided = Verdict::CannotTell { more_rounds: None };
    let said = comparison(estimate, verdict.unwrap_or(&undecided));
    let word = if verdict.is_none() {
        "no verdict yet".to_owned()
    } else {
        said.word
    };
    let line = format!("{subject} vs {reference}: {word} {}", said.interval);
    cut(visible(&line).trim_end(), style.width).into_owned()
}

#[cfg(test)]
mod tests {
    use super::named;

    /// `report .` said "flowgauge run --resume --rounds 160": the point was the end of a sentence.
    #[test]
    fn a_folder_that_ends_with_a_point_is_named_as_a_folder() {
        assert_eq!([".", "..", "a/b"].map(named), ["./", "../", "a/b"]);
    }
}
