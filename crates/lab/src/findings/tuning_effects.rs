//! What helps a command from outside of it. The first variant is the command as it is, each other
//! one has something changed around it. Only what was found to help is said, with its interval.

use stats::Verdict;

use super::CaseResult;
use super::phrases::joined;
use crate::data::Case;

pub(super) fn is_what_if(case: &Case) -> bool {
    let Some(as_it_is) = case.work_of(0).program() else {
        return false;
    };
    let changed = || (1..case.variants.len()).filter_map(|at| case.work_of(at).program());
    changed().all(|program| program.command == as_it_is.command)
        && changed().any(|program| program.knobs != as_it_is.knobs)
}

impl CaseResult {
    /// Whether the work is a command of the user's.
    #[must_use]
    pub fn work_is_a_command(&self) -> bool {
        self.case.work.program().is_some()
    }

    /// What was found to help a command from outside of it; `None` where that is not asked.
    #[must_use]
    pub fn helps(&self) -> Option<String> {
        let findings = || self.findings.iter();
        if !is_what_if(&self.case) || findings().all(|one| one.estimate.is_none()) {
            return None;
        }
        let helps = findings().filter(|finding| matches!(finding.verdict, Verdict::Faster { .. }));
        let open = findings().filter(|one| !one.verdict.is_decided()).count();
        Some(
            match joined(helps.map(|finding| finding.sentence.clone()), "; ") {
                Some(said) => format!("what helps from outside: {said}"),
                None if open == 0 => "nothing from outside helped".to_owned(),
                None => format!(
                    "nothing from outside was found to help ({open} of {} not known yet)",
                    self.findings.len()
                ),
            },
        )
    }
}
