//! A study: a deciding chart with its conclusion, the source's figures, the evidence by case.

use lab::{Results, StudyResult};

use super::answers::Answers;
use super::detail::Detail;
use super::figures::{Figure, forest, ruler};
use super::{
    Level, Section, case, counting, deciding, limits, map, probes, scaling, searched, simulated,
    sweep, then, workers,
};
use crate::words::{Tone, run_study_again};
use lab::Block;

const FOREST: usize = 2;

pub(super) fn section(
    results: &Results,
    answers: &Answers,
    (place, study): (usize, &StudyResult),
) -> Section {
    let id = format!("study{place}");
    let name = &study.study.name;
    let mut section = Section::new(&id, &format!("{name}: {}", study.study.title)).plots(name, "");
    section.text(Tone::Quiet, &study.study.stands_for).level = Level::Answer;
    let asked = study.study.decision.iter();
    for line in asked.flat_map(decides) {
        section.text(Tone::Plain, line).level = Level::Answer;
    }
    let mut evidence = blocks(&id, results, study);
    deciding::answer(&mut section, study, &answers.of_study(place), &mut evidence);
    if let Some(ruler) = ruler(&format!("{id}-ruler"), study) {
        section.figure(ruler).level = Level::Answer;
    }
    then::then_and_now(&mut section, &id, study);
    section.texts(Tone::Plain, study.sentences.iter().skip(1));
    section.figures(alone(&id, study), Detail::WhatFits);
    limits::limits(&mut section, &format!("{id}-limits"), study);
    simulated::simulated(&mut section, &id, results, study);
    for part in evidence {
        section.section(part, Level::Evidence);
    }
    workers::workers(&mut section, &id, study);
    searched::searches(&mut section, &id, study);
    scaling::scaling(&mut section, &id, study);
    probes::probes(&mut section, &format!("{id}-probes"), study);
    counting::of_study(&mut section, study);
    let again = run_study_again(results, study);
    section.quiet([format!("Run this study again, in the same order: {again}")]);
    section
}

fn decides(asked: &lab::Decision) -> impl Iterator<Item = String> {
    let threads = asked.threads.iter();
    let threads = threads.map(|thread| format!("{}: {}", thread.says, thread.url));
    let theory = asked.theory.join(" ");
    [asked.question.clone(), theory].into_iter().chain(threads)
}

fn alone(id: &str, study: &StudyResult) -> Option<Figure> {
    let blocks = Block::all(study);
    let alone = blocks.iter().filter_map(|block| match block {
        Block::Case(case) if !case.slots.is_empty() => Some(*case),
        _ => None,
    });
    let alone: Vec<_> = alone.collect();
    let is_several = alone.len() >= FOREST;
    forest(
        &format!("{id}-all"),
        alone.into_iter().filter(|_| is_several),
    )
}

fn blocks(id: &str, results: &Results, study: &StudyResult) -> Vec<Section> {
    let name = &study.study.name;
    let section = |(number, block): (usize, &Block<'_>)| {
        let id = format!("{id}-{number}");
        match block {
            Block::Case(one) => case::case(&id, name, results, one),
            Block::Sweep(all) => sweep::sweep(&id, name, results, all, &study.parts.laws),
            Block::Matrix(all) => map::map(&id, name, results, all),
        }
    };
    Block::all(study).iter().enumerate().map(section).collect()
}
