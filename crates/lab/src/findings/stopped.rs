//! Why a case holds less than was asked for.

use super::{CaseResult, Results};
use crate::data::CaseEnd;
use crate::data::number::many;

impl Results {
    /// Why a case holds less than was asked for, if it does: `interrupted: 7 of 40 rounds`.
    #[must_use]
    pub fn stopped(&self, case: &CaseResult) -> Option<String> {
        let asked = self.header.settings.max_rounds;
        let asked = case.case.max_rounds.map_or(asked, |most| most.min(asked));
        let rounds = format!("{} of {}", case.rounds, many(asked as u64, "round"));
        let mut verdicts = case.findings.iter().map(|finding| finding.verdict);
        let decided = !case.findings.is_empty() && verdicts.all(|verdict| verdict.is_decided());
        match case.ended {
            Some(CaseEnd::Decided | CaseEnd::Rounds) => None,
            Some(CaseEnd::Budget) if decided => None,
            Some(CaseEnd::Budget) => Some(format!("Stopped at the time limit after {rounds}")),
            Some(CaseEnd::Failures) => {
                Some(format!("given up after {rounds}: too many launches failed"))
            }
            None if self.finished => None,
            None if self.interrupted.is_some() => Some(format!("interrupted: {rounds}")),
            None => Some(format!("cut short: {rounds}")),
        }
    }
}
