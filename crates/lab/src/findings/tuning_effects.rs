//! What helps a command from outside of it. The first variant is the command as it is, each other
//! one has something changed around it. Only what was found to help is said, with its interval.

use stats::Verdict;

use super::CaseResult;
use crate::data::Case;

pub(super) fn is_what_if(case: &Case) -> bool {
    let Some(as_it_is) = case.work_of(0).program() else {
        return false;
    };
    let changed = || (1..case.variants.len()).filter_map(|at| case.work_of(at).program());
    changed().all(|program| program.command == as_it_is.command)
        && changed().any(|program| program.knobs != as_it_is.knobs)
}

pub(super) fn sentence(case: &CaseResult) -> Option<String> {
    if !is_what_if(&case.case) || case.findings.iter().all(|one| one.estimate.is_none()) {
        return None;
    }
    let helps = case.findings.iter();
    let helps = helps.filter(|finding| matches!(finding.verdict, Verdict::Faster { .. }));
    let said: Vec<&str> = helps.map(|finding| finding.sentence.as_str()).collect();
    let open = case.findings.iter().filter(|one| !one.verdict.is_decided());
    Some(match (said.as_slice(), open.count()) {
        ([], 0) => "nothing from outside helped".to_owned(),
        ([], open) => format!(
            "nothing from outside was found to help ({open} of {} not known yet)",
            case.findings.len()
        ),
        (said, _) => format!("what helps from outside: {}", said.join("; ")),
    })
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
        sentence(self)
    }
}
