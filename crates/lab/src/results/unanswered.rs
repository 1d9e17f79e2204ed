//! Questions of a study for which there was no time at all.

use super::CaseResult;
use crate::CaseEnd;
use crate::number::many;
use crate::words::listed;

/// That the budget was spent before some questions had a round, and which; `None` where all of
/// them had one. A sweep is one question.
pub(super) fn sentence(cases: &[CaseResult]) -> Option<String> {
    let has_none = |name: &str| {
        let mut of = cases.iter().filter(|case| question(case) == name);
        of.all(had_no_time)
    };
    let mut without: Vec<String> = Vec::new();
    for name in cases.iter().map(question) {
        let is_new = !without.iter().any(|known| known == name);
        if is_new && has_none(name) {
            without.push(name.to_owned());
        }
    }
    let count = without.len() as u64;
    let have = if count == 1 { "has" } else { "have" };
    (count > 0).then(|| {
        format!(
            "out of time: {} {have} no answer yet: {}",
            many(count, "question"),
            listed(&without)
        )
    })
}

fn question(case: &CaseResult) -> &str {
    let sweep = case.case.sweep.as_ref();
    sweep.map_or(&case.case.name, |point| &point.sweep)
}

fn had_no_time(case: &CaseResult) -> bool {
    case.rounds == 0 && case.ended == Some(CaseEnd::Budget)
}
