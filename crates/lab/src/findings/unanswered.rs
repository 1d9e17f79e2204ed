//! Questions of a study for which there was no time at all.

use super::CaseResult;
use crate::data::number::many;
use crate::data::words::listed;
use crate::data::{CaseEnd, Questions};

pub(super) fn sentence(cases: &[CaseResult]) -> Option<String> {
    let questions = Questions::of(cases.iter().map(|case| &case.case));
    let has_none = |&first: &usize| {
        let mut of = (first..cases.len()).filter(|&place| questions.are_one(place, first));
        of.all(|place| had_no_time(&cases[place]))
    };
    let begin = (0..cases.len()).filter(|&place| questions.begins(place));
    let without = begin.filter(has_none).map(|first| name(&cases[first]));
    let without: Vec<String> = without.collect();
    let count = without.len() as u64;
    let have = if count == 1 { "has" } else { "have" };
    (count > 0).then(|| {
        format!(
            "stopped at the time limit: {} {have} no answer yet: {}",
            many(count, "question"),
            listed(&without)
        )
    })
}

fn name(case: &CaseResult) -> String {
    let sweep = case.case.sweep.as_ref();
    sweep.map_or(&case.case.name, |point| &point.sweep).clone()
}

fn had_no_time(case: &CaseResult) -> bool {
    case.rounds == 0 && case.ended == Some(CaseEnd::Budget)
}
