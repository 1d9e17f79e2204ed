//! Misses that a model of another machine counted, as rows: of each work along each way those of
//! the largest number of flows. Ratios of counts are no verdicts and have no bar.

use super::answer::{Answer, Question};
use crate::data::words::plural;
use crate::findings::phrases::joined;
use crate::findings::simulated::{Count, SimulatedCase, groups};
use crate::findings::{CaseResult, StudyResult};

const MOST: usize = 6;
const SHOWN: [Count; 2] = [Count::Llc, Count::Dtlb];

pub(super) fn are_the_answer(study: &StudyResult, case: &CaseResult) -> bool {
    let mut counted = study.parts.simulated.iter();
    let mut decided = case.findings.iter().map(|one| one.verdict);
    counted.any(|one| one.case == case.case.name) && !decided.any(|verdict| verdict.is_decided())
}

/// Works of the study's deciding cases, or of all if none of those was counted.
pub(super) fn rows(study: &StudyResult) -> impl Iterator<Item = Answer> {
    let all = groups(&study.parts.simulated).into_iter();
    let largest: Vec<_> = all.filter_map(|group| group.last().copied()).collect();
    let is_deciding = |one: &SimulatedCase| {
        let mut deciding = study.study.deciding.iter().filter(|named| !named.alone);
        deciding.any(|named| named.has(&one.case))
    };
    let has_deciding = largest.iter().any(|one| is_deciding(one));
    let shown = largest.into_iter();
    let shown = shown.filter(move |one| !has_deciding || is_deciding(one));
    shown.take(MOST).filter_map(row)
}

/// `warehouse, cores 4`: `LLC misses 1.00x, DTLB misses 0.97x (threads / processes)`.
fn row(one: &SimulatedCase) -> Option<Answer> {
    let ratios = SHOWN.iter().filter_map(|count| {
        let own = one.count(*count)?;
        let ratio = own.ratio?.median;
        (ratio > 0.0).then(|| format!("{} {ratio:.2}x", own.count.head()))
    });
    let ratios = joined(ratios, ", ")?;
    let label = match one.along {
        Some(along) => format!("{}, {} {}", one.workload, along.word(), one.flows),
        None => one.workload.clone(),
    };
    let sides = [&one.subject, &one.reference].map(|side| plural(side));
    let words = format!("{ratios} ({})", sides.join(" / "));
    Some(Answer {
        case: one.case.clone(),
        question: Question::Misses,
        subject: Some(one.subject.clone()),
        reference: Some(one.reference.clone()),
        words,
        ..Answer::called(label)
    })
}
