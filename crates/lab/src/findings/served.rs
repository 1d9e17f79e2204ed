//! The findings between forms of a server: which form is better. The same requests within the
//! program, beside them in a case, tell what the network costs.

use super::{CaseResult, Finding};

pub(super) fn forms(case: &CaseResult) -> Vec<&Finding> {
    let is_server = |label: &str| {
        let work = case.labelled(label).and_then(|own| own.work.as_ref());
        work.unwrap_or(&case.case.work).is_served()
    };
    let findings = case.findings.iter();
    findings
        .filter(|finding| is_server(&finding.subject) && is_server(&finding.reference))
        .collect()
}
