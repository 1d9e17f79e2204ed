use std::path::Path;
use std::process::ExitCode;

use lab::{CaseEnd, Results, StudyResult};

use crate::output;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Answered,
    Failed,
    Nothing,
    Error,
    /// A required answer is missing: an undecided expectation or headline.
    CannotTell,
    Interrupted(i32),
}

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Answered => Self::SUCCESS,
            Ending::Failed | Ending::Nothing => Self::from(1),
            Ending::Error => Self::from(2),
            Ending::CannotTell => Self::from(3),
            Ending::Interrupted(signal) => Self::from(u8::try_from(128 + signal).unwrap_or(130)),
        }
    }
}

pub(crate) fn worse(a: Ending, b: Ending) -> Ending {
    let weight = |ending: &Ending| match ending {
        Ending::Answered | Ending::Nothing => 0,
        Ending::CannotTell => 1,
        Ending::Failed => 2,
        Ending::Error => 3,
        Ending::Interrupted(_) => 4,
    };
    std::cmp::max_by_key(a, b, weight)
}

/// What of a run was given up, with the reason of the last failed slot.
pub(crate) fn given_up(results: &Results) -> impl Iterator<Item = String> {
    let cases = results.studies.iter().flat_map(|study| {
        let cases = study.cases.iter();
        cases.map(|case| (study.study.name.as_str(), case))
    });
    cases.flat_map(|(study, case)| {
        // Builds of one have their names as variants.
        let is_one = case.case.variants.iter().all(|one| one.work.is_none());
        let library = case.case.work.library().filter(|_| is_one);
        let library = library.and_then(Path::file_name);
        let of = library.map(|name| format!(" of {}", name.display()));
        let place = format!("{study}, {}{}", case.case.name, of.unwrap_or_default());
        let lost = case.variants.iter().filter_map(|variant| {
            let (label, why) = (&variant.label, variant.lost.as_ref()?);
            Some(format!("{place}: {label} was given up: {why}"))
        });
        let lost: Vec<String> = lost.collect();
        let given_up = lost.is_empty() && case.ended == Some(CaseEnd::Failures);
        let given_up = given_up.then(|| {
            let failed = case
                .slots
                .iter()
                .rev()
                .find_map(|slot| match &slot.outcome.answer {
                    flow::Answer::Failed { reason, .. } => Some(reason.to_string()),
                    flow::Answer::Done(_) => None,
                });
            let why = failed
                .unwrap_or_else(|| "its pilot failed, and no time is left for a round".to_owned());
            format!("{place}: given up, {why}")
        });
        lost.into_iter().chain(given_up)
    })
}

pub(crate) fn of(results: &Results, require_answer: bool) -> Ending {
    if let Some(signal) = results.interrupted {
        return Ending::Interrupted(signal);
    }
    if given_up(results).next().is_some() || has_failed(results) {
        return Ending::Error;
    }
    answered(results, require_answer)
}

/// If nothing else failed; names studies without a required answer.
pub(crate) fn answered(results: &Results, require_answer: bool) -> Ending {
    let asked = results.studies.iter();
    let asked = asked.filter(|study| study.parts.limits.is_empty());
    let open = asked.filter(|study| cannot_tell(study));
    let open: Vec<&str> = open.map(|study| study.study.name.as_str()).collect();
    if !require_answer || open.is_empty() {
        return Ending::Answered;
    }
    output::tell(&format!(
        "--require-answer: the headline has no answer yet in {}",
        open.join(", ")
    ));
    Ending::CannotTell
}

fn has_failed(results: &Results) -> bool {
    let cases = results.studies.iter().flat_map(|study| &study.cases);
    let mut slots = cases.flat_map(|case| &case.slots).peekable();
    slots.peek().is_some() && slots.all(|slot| slot.outcome.answer.done().is_none())
}

fn cannot_tell(study: &StudyResult) -> bool {
    match study.headline() {
        Some(finding) => !finding.verdict.is_decided() && finding.by_cpu.is_none(),
        None => study
            .headline_case()
            .is_some_and(|case| case.variants.iter().all(|variant| variant.value.is_none())),
    }
}
