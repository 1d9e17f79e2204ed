//! Results for a terminal or a pipe.
//!
//! # Theory
//!
//! No line is wider than [`Style::width`]. Sentences are wrapped at spaces; tables never
//! are. A table that is too wide loses columns in this order, until it fits:
//!
//! | table | left out first ... last |
//! |---|---|
//! | variants | RSS, undisturbed, CPU time, interval, memory |
//! | maps | interval of threads, typical time |
//! | then and now | difference, the source's figures |
//! | limits | creation, memory |
//! | lowered limits | how long it took, what was lowered in, the error |
//! | counted events | per CPU second, per unit, per 1,000 instructions |
//! | workers | calls, peak, RSS, files |
//! | throughput | interval of one flow, memory, interval of threads over processes, of one flow, a second |
//! | pages | ranges that cores share, pages of a flow |
//! | flows that work made | peak RSS, flows made, faults, switches, user, system, interval, CPU % |
//! | the same then and now | user, system |
//! | time by the number of workers | the source's figures, the last cases |
//! | where time goes | what the timers cost, print, create, walk, wait |
//!
//! Then labels are cut with an ellipsis, within where their ends tell them apart. A note says once
//! from which width on nothing is left out. At 120 columns nothing is left out unless
//! labels are long. Colour underlines words and never replaces one, so a pipe, `NO_COLOR`
//! and a reader who sees no colour lose nothing.
//!
//! The last lines are the summary: one sentence a study.

mod case;
mod counting;
mod fenced;
mod limits;
mod machine;
mod map;
mod page;
mod requests;
mod scaling;
mod searched;
mod then_and_now;
mod workers;

use lab::{Results, StudyResult};
use stats::{Estimate, Verdict};

pub(crate) use case::tail;
pub use machine::machine;
pub(crate) use page::Page;

use crate::blocks::Block;
use crate::text::{cut, visible};
use crate::words::{Tone, comparison, cut_short, many, run_again};

/// Columns where there is no terminal to be asked.
pub const PLAIN_WIDTH: usize = 100;

/// How the terminal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Columns. Meant for 60 and more; below that, lines are cut.
    pub width: usize,
    /// Whether escape sequences may colour it.
    pub colour: bool,
}

impl Default for Style {
    /// [`PLAIN_WIDTH`] columns without colour: what a pipe gets.
    fn default() -> Self {
        Self {
            width: PLAIN_WIDTH,
            colour: false,
        }
    }
}

/// Everything about a run: tables, reasons, warnings, and the summary last.
#[must_use]
pub fn run(results: &Results, style: &Style) -> String {
    let mut page = Page::new(style);
    for result in &results.studies {
        study(&mut page, results, result);
    }
    warnings(&mut page, results);
    summary(&mut page, results);
    page.finish()
}

/// One comparison on one line, for progress: `thread: 1.31x faster than process [1.27 ...
/// 1.35]`. Cut where it is wider than the terminal.
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

fn study(page: &mut Page<'_>, results: &Results, study: &StudyResult) {
    page.text(
        0,
        Tone::Strong,
        &format!("{} · {}", study.study.name, study.study.title),
    );
    limits::limits(page, study);
    for block in Block::all(study) {
        page.blank();
        match block {
            Block::Case(case) => case::case(page, results, case),
            Block::Sweep(sweep) => case::sweep(page, results, &sweep),
            Block::Matrix(map) => map::map(page, results, &map),
        }
    }
    counting::of_study(page, study);
    fenced::fenced(page, study);
    let has_own = workers::workers(page, study)
        || searched::searched(page, study)
        || scaling::scaling(page, results, study);
    if !has_own {
        then_and_now::then_and_now(page, study);
    }
    if study.sentences.len() > 1 {
        page.blank();
    }
    for remark in study.sentences.iter().skip(1) {
        page.text(2, Tone::Plain, remark);
    }
    page.blank();
}

fn warnings(page: &mut Page<'_>, results: &Results) {
    for warning in &results.warnings {
        page.text(0, Tone::Doubt, &format!("warning: {warning}"));
    }
    for note in &results.notes {
        page.text(0, Tone::Quiet, &format!("note: {note}"));
    }
    let notes = results.header.machine.warnings().len();
    if notes > 0 {
        let what = many(notes as u64, "remark");
        let hint = format!("note: {what} on this machine, see `flowgauge machine`");
        page.text(0, Tone::Quiet, &hint);
    }
    page.left_out();
    page.blank();
}

fn summary(page: &mut Page<'_>, results: &Results) {
    if let Some(how) = ending(results) {
        page.text(0, Tone::Doubt, &how);
    }
    for study in &results.studies {
        page.text(
            0,
            Tone::Strong,
            &format!("{}: {}", study.study.name, headline(results, study)),
        );
    }
}

/// How a run ended that did not come to its own end, and what to do.
pub(crate) fn ending(results: &Results) -> Option<String> {
    if results.finished {
        return None;
    }
    let how = match results.interrupted {
        Some(signal) => format!("Interrupted by signal {signal}"),
        None => "The run has not come to its end".to_owned(),
    };
    let command = run_again(results);
    Some(format!(
        "{how}: what was finished is kept. To go on with it: flowgauge run --resume FOLDER, the \
         results folder. To run it again in full: {command}"
    ))
}

/// A study in one sentence.
pub(crate) fn headline(results: &Results, study: &StudyResult) -> String {
    let headline = study.headline_case().filter(|_| study.limits.is_empty());
    let cut = headline.and_then(|case| cut_short(results, case));
    let sentence = study.sentences.first().map_or("no finding", String::as_str);
    match cut {
        Some(cut) => format!("{sentence}; {cut}"),
        None => sentence.to_owned(),
    }
}
