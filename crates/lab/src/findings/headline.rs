mod place;

pub(crate) use place::headline_place;
use stats::Verdict;

use super::{CaseResult, Finding, Role, StudyResult, served, threads_over_processes};
use crate::data::{Metric, Study};

impl StudyResult {
    /// The study's answer: its headline case's fastest subject, threads' against processes, or its
    /// first.
    #[must_use]
    pub fn headline(&self) -> Option<&Finding> {
        headline(&self.study, &self.cases)
    }

    /// The finding on the variant that the study names for a case, or else its first.
    #[must_use]
    pub fn finding_of<'a>(&self, case: &'a CaseResult) -> Option<&'a Finding> {
        named_finding(&self.study, case).or(case.findings.first())
    }

    /// The case that answers the study: the named one, or of a cut sweep the most telling.
    #[must_use]
    pub fn headline_case(&self) -> Option<&CaseResult> {
        headline_case(&self.study, &self.cases)
    }
}

pub(crate) fn headline_case<'a>(study: &Study, cases: &'a [CaseResult]) -> Option<&'a CaseResult> {
    let is_head = |case: &&CaseResult| {
        let mut findings = case.findings.iter();
        findings.any(|finding| matches!(finding.role, Role::Headline { .. }))
    };
    let named = cases.iter().find(|case| case.case.name == study.headline)?;
    let Some(point) = named.case.sweep.as_ref().filter(|_| !is_head(&named)) else {
        return Some(named);
    };
    let of_sweep = |case: &&CaseResult| case.is_of_sweep(&point.sweep);
    if let Some(head) = cases.iter().filter(of_sweep).find(is_head) {
        return Some(head);
    }
    let order = |case: &&CaseResult| (telling(case), case.case.name == study.headline, case.rounds);
    cases.iter().filter(of_sweep).max_by_key(order)
}

/// 2: with an interval, or measured without comparison; 1: with an estimate; 0.
fn telling(case: &CaseResult) -> u8 {
    if case.findings.is_empty() {
        return 2 * u8::from(case.variants.iter().any(|variant| variant.value.is_some()));
    }
    let estimates = case.findings.iter().filter_map(|finding| finding.estimate);
    let tells = estimates.map(|estimate| 1 + u8::from(estimate.interval().is_some()));
    tells.max().unwrap_or(0)
}

pub(crate) fn headline<'a>(study: &Study, cases: &'a [CaseResult]) -> Option<&'a Finding> {
    let case = headline_case(study, cases)?;
    let ratio = |finding: &Finding| finding.estimate.map_or(f64::INFINITY, |e| e.ratio);
    let faster = |finding: &&Finding| matches!(finding.verdict, Verdict::Faster { .. });
    let findings = between_models(case);
    if let Some(named) = named_finding(study, case) {
        return Some(named);
    }
    let fastest = findings.iter().copied().filter(faster);
    fastest
        .min_by(|a, b| ratio(a).total_cmp(&ratio(b)))
        .or_else(|| threads_over_processes(case))
        .filter(|finding| finding.estimate.is_some())
        .or_else(|| {
            let mut findings = findings.iter().copied();
            findings.find(|finding| finding.estimate.is_some())
        })
        .or(findings.first().copied())
}

fn named_finding<'a>(study: &Study, case: &'a CaseResult) -> Option<&'a Finding> {
    let mut deciding = study.deciding.iter();
    let named = deciding.find(|one| one.has(&case.case.name))?;
    let subject = named.subject.as_ref()?;
    let mut findings = case.findings.iter();
    findings.find(|finding| finding.subject == *subject && finding.estimate.is_some())
}

/// Of switches between models, of servers between servers: hand-overs and network are apart.
fn between_models(case: &CaseResult) -> Vec<&Finding> {
    let forms = served::forms(case);
    if !forms.is_empty() {
        return forms;
    }
    let model = |label: &str| Some(case.labelled(label)?.variant.model);
    let is_between = |finding: &&Finding| {
        finding.metric == Metric::Switch && model(&finding.subject) != model(&finding.reference)
    };
    let between: Vec<&Finding> = case.findings.iter().filter(is_between).collect();
    if between.is_empty() {
        return case.findings.iter().collect();
    }
    between
}
