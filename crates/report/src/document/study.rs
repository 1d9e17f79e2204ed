//! A study: one deciding chart with its conclusion, the source's figures beside ours, and then
//! everything that supports it, case by case.

use lab::{Results, StudyResult};

use super::blocks::Block;
use super::detail::Detail;
use super::figures::{Figures, forest};
use super::{Level, Section, case, counting, limits, map, probes, scaling, sweep, then};
use crate::plots;
use crate::words::{Tone, run_again, run_study_again};

/// The section of a study.
pub(super) fn section(results: &Results, (place, study): (usize, &StudyResult)) -> Section {
    let id = format!("study{place}");
    let name = &study.study.name;
    let mut section =
        Section::new(&id, &format!("{name}: {}", study.study.title)).plots(plots::place(name, ""));
    section.text(Tone::Quiet, &study.study.stands_for).level = Level::Answer;
    let before = section.parts.len();
    section.figures(alone(&id, study), Detail::WhatFits);
    for figure in &mut section.parts[before..] {
        figure.level = Level::Answer;
    }
    for sentence in study.sentences.iter().skip(1) {
        section.text(Tone::Plain, sentence);
    }
    limits::limits(&mut section, &format!("{id}-limits"), study);
    then::then_and_now(&mut section, &id, results, study);
    blocks(&mut section, &id, results, study);
    scaling::scaling(&mut section, &id, study);
    probes::probes(&mut section, &format!("{id}-probes"), study);
    counting::of_study(&mut section, study);
    let again = run_study_again(results, study);
    section.quiet([format!("Run this study again, in the same order: {again}")]);
    section
}

/// How a run ended that did not come to its own end, and what to do.
pub(super) fn ending(results: &Results) -> Option<String> {
    if results.finished {
        return None;
    }
    let how = match results.interrupted {
        Some(signal) => format!("Interrupted by signal {signal}"),
        None => "The run did not finish".to_owned(),
    };
    let command = run_again(results);
    Some(format!(
        "{how}: what was finished is kept. To continue: flowgauge run --resume DIR. To run it \
         again in full: {command}"
    ))
}

/// The findings of the cases that stand alone.
fn alone(id: &str, study: &StudyResult) -> Figures {
    let blocks = Block::all(study);
    let alone = blocks.iter().filter_map(|block| match block {
        Block::Case(case) => Some(*case),
        Block::Sweep(_) | Block::Matrix(_) => None,
    });
    forest(&format!("{id}-forest"), alone)
}

fn blocks(section: &mut Section, id: &str, results: &Results, study: &StudyResult) {
    let name = &study.study.name;
    for (number, block) in Block::all(study).iter().enumerate() {
        let id = format!("{id}-{number}");
        let part = match block {
            Block::Case(one) => case::case(&id, name, results, one),
            Block::Sweep(all) => sweep::sweep(&id, name, results, all, &study.laws),
            Block::Matrix(all) => map::map(&id, name, results, all),
        };
        section.section(part, Level::Evidence);
    }
}
