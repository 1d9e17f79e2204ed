//! How a command ends: in an exit code, and in words where something failed.

use std::process::ExitCode;

use lab::{CaseEnd, Results, StudyResult};
use stats::Verdict;

use crate::output;

/// How the command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The command did its job, whatever it found.
    Answered,
    /// An expectation fails, or something became slower than it may.
    Failed,
    /// A search that found nothing.
    Nothing,
    /// Something failed: the command itself, or a case whose slots failed.
    Error,
    /// An answer was required, and there is none: an expectation cannot be decided, or a headline
    /// is not known.
    CannotTell,
    /// A signal cut the run.
    Interrupted(i32),
}

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Answered => Self::SUCCESS,
            Ending::Failed => Self::from(1),
            Ending::Nothing => Self::from(1),
            Ending::Error => Self::from(2),
            Ending::CannotTell => Self::from(3),
            Ending::Interrupted(signal) => Self::from(u8::try_from(128 + signal).unwrap_or(130)),
        }
    }
}

/// Of two endings the one that must not be missed.
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

/// Cases that were given up, each with the reason of its last failed slot.
pub(crate) fn given_up(results: &Results) -> impl Iterator<Item = String> {
    results.studies.iter().flat_map(|study| {
        let cases = study.cases.iter();
        let lost = cases.filter(|case| case.ended == Some(CaseEnd::Failures));
        lost.map(|case| {
            let mut failed = case.slots.iter().rev();
            let reason = failed.find_map(|slot| match &slot.outcome.answer {
                flow::Answer::Failed { reason, .. } => Some(reason.to_string()),
                flow::Answer::Done(_) => None,
            });
            let why = match reason {
                Some(reason) => format!("too many slots failed: {reason}"),
                None => "its pilot failed, and no time is left for a round".to_owned(),
            };
            let (study, case) = (&study.study.name, &case.case.name);
            format!("{study}, {case}: given up, {why}")
        })
    })
}

/// How a command with these results ends: where answers are required, every headline needs one.
pub(crate) fn of(results: &Results, require_answer: bool) -> Ending {
    if let Some(signal) = results.interrupted {
        return Ending::Interrupted(signal);
    }
    if given_up(results).next().is_some() || has_failed(results) {
        return Ending::Error;
    }
    answered(results, require_answer)
}

/// How a command with results ends that has nothing else to fail for; says which studies lack an
/// answer that is required.
pub(crate) fn answered(results: &Results, require_answer: bool) -> Ending {
    // How many flows there can be needs no comparison.
    let asked = results.studies.iter();
    let asked = asked.filter(|study| study.limits.is_empty());
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

/// Whether slots were run and none of them succeeded: that is a failure, and no doubt.
fn has_failed(results: &Results) -> bool {
    let cases = results.studies.iter().flat_map(|study| &study.cases);
    let mut slots = cases.flat_map(|case| &case.slots).peekable();
    slots.peek().is_some() && slots.all(|slot| slot.outcome.answer.done().is_none())
}

/// Whether the headline of a study has no answer: it is undecided, or nothing was measured.
fn cannot_tell(study: &StudyResult) -> bool {
    match study.headline() {
        Some(finding) => matches!(finding.verdict, Verdict::CannotTell { .. }),
        None => study
            .headline_case()
            .is_some_and(|case| case.variants.iter().all(|variant| variant.value.is_none())),
    }
}
