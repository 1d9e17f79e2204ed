//! Maps: many small cases that ran the same models, laid side by side, a row a case, a column a
//! model. Cases that run the four models, and so tell what sharing does ([`super::Shared`]), with
//! the same number of flows in the same placement make up a map; fewer than [`FEWEST`] are none.

use flow::Placement;
use stats::Verdict;

use super::Word;
use super::phrases::joined;
use super::{CaseResult, Cause, Finding, StudyResult, threads_over_processes};
use crate::data::CaseEnd;
use crate::data::number::factor;

const FEWEST: usize = 3;
const NAMED: usize = 6;

/// Cases that are shown as one map.
#[derive(Debug, Clone, PartialEq)]
pub struct OperationMatrix<'a> {
    /// Flows of each variant.
    pub flows: u32,
    /// Where they ran.
    pub placement: Placement,
    /// The cases, in the order of running.
    pub cases: Vec<&'a CaseResult>,
}

impl StudyResult {
    /// The maps of a study, in the order of running. Their cases have tables nowhere else.
    #[must_use]
    pub fn matrices(&self) -> Vec<OperationMatrix<'_>> {
        matrices(&self.cases)
    }
}

pub(super) fn matrices(cases: &[CaseResult]) -> Vec<OperationMatrix<'_>> {
    let mut matrices: Vec<OperationMatrix<'_>> = Vec::new();
    for case in cases
        .iter()
        .filter(|case| super::shared::four(&case.case).is_some())
    {
        let Some(variant) = case.case.variants.first().map(|first| &first.variant) else {
            continue;
        };
        let here = |map: &&mut OperationMatrix<'_>| {
            map.flows == variant.flows && map.placement == variant.placement
        };
        match matrices.iter_mut().find(here) {
            Some(map) => map.cases.push(case),
            None => matrices.push(OperationMatrix {
                flows: variant.flows,
                placement: variant.placement.clone(),
                cases: vec![case],
            }),
        }
    }
    matrices.retain(|map| map.cases.len() >= FEWEST);
    matrices
}

impl OperationMatrix<'_> {
    /// What all rows of a map have in common, for headings: `2 flows, cores`.
    #[must_use]
    pub fn setting(&self) -> String {
        let s = if self.flows == 1 { "" } else { "s" };
        format!("{} flow{s}, {}", self.flows, self.place())
    }

    pub(super) fn place(&self) -> String {
        match &self.placement {
            Placement::One => "all on one CPU".to_owned(),
            Placement::Cores => "one per core".to_owned(),
            Placement::Free => "free to use any CPU".to_owned(),
            Placement::Smt => "cores filled one by one".to_owned(),
            Placement::Numa => "on memory nodes in turn".to_owned(),
            list @ Placement::List(_) => format!("on CPUs {list}"),
        }
    }

    /// The name of a row: the last part of its case's name, the value of a sweep aside.
    #[must_use]
    pub fn row(case: &CaseResult) -> &str {
        let name = case.case.name.as_str();
        let own = match (&case.case.sweep, name.rsplit_once('/')) {
            (Some(_), Some((own, _))) => own,
            _ => name,
        };
        own.rsplit_once('/').map_or(own, |(_, row)| row)
    }

    pub(super) fn sentences(&self) -> Vec<String> {
        let threads = self.cases.iter().filter_map(|case| thread(case));
        let threads: Vec<(&str, &Finding)> = threads.collect();
        let [faster, slower] = [Word::Faster, Word::Slower].map(|word| listed(&threads, word));
        let count = |wanted: fn(&Finding) -> bool| {
            number(threads.iter().filter(|(_, f)| wanted(f)).count())
        };
        let same = count(|f| matches!(f.verdict, Verdict::Same { .. }));
        let open =
            count(|f| f.estimate.is_some() && matches!(f.verdict, Verdict::CannotTell { .. }));
        let mut sentences = vec![format!(
            "{}: of {} operations threads are slower than processes in {slower}, faster in {faster}, \
             the same in {same}, and not known in {open}{}",
            self.setting(),
            self.cases.len(),
            self.not_compared()
        )];
        let causes = [Cause::AddressSpace, Cause::FileTable, Cause::Both];
        let causes = causes.into_iter().filter_map(|cause| self.caused_by(cause));
        let causes = joined(causes, "; ");
        let setting = self.setting();
        sentences
            .extend(causes.map(|said| format!("{setting}: what makes the difference: {said}")));
        sentences.extend(self.made_up_for());
        sentences
    }

    fn not_compared(&self) -> String {
        let lost: Vec<&&CaseResult> = self
            .cases
            .iter()
            .filter(|case| !is_compared(case))
            .collect();
        let late = |case: &&&CaseResult| case.ended == Some(CaseEnd::Budget);
        match lost.len() {
            0 => String::new(),
            count => {
                let were = if count == 1 { "was" } else { "were" };
                let why = if lost.iter().all(late) {
                    " (out of time)"
                } else {
                    ""
                };
                format!("; {count} {were} not compared{why}")
            }
        }
    }

    fn with_effect(&self, cause: impl Fn(Cause) -> bool, differ: bool) -> Vec<&str> {
        let rows = self.cases.iter().filter(|case| {
            let known = case.shared.is_some_and(|shared| cause(shared.cause));
            known && differs(case) == differ
        });
        rows.map(|case| Self::row(case)).collect()
    }

    /// Effects that cancel: the file table may give back what the address space costs.
    fn made_up_for(&self) -> Option<String> {
        let known = |cause| !matches!(cause, Cause::Neither | Cause::CannotTell);
        let names = self.with_effect(known, false);
        (!names.is_empty()).then(|| {
            format!(
                "{}: sharing has an effect also in {} where threads against processes \
                 is not known ({})",
                self.setting(),
                names.len(),
                some(&names)
            )
        })
    }

    fn caused_by(&self, cause: Cause) -> Option<String> {
        let names = self.with_effect(|own| own == cause, true);
        (!names.is_empty()).then(|| {
            format!(
                "the {} in {} ({})",
                cause.in_full().trim_start_matches("the "),
                names.len(),
                some(&names)
            )
        })
    }
}

/// Whether a row holds threads against processes at all.
#[must_use]
pub fn is_compared(case: &CaseResult) -> bool {
    threads_over_processes(case).is_some_and(|finding| finding.estimate.is_some())
}

fn number(count: usize) -> String {
    match count {
        0 => "none".to_owned(),
        some => some.to_string(),
    }
}

fn differs(case: &CaseResult) -> bool {
    threads_over_processes(case).is_some_and(Finding::is_difference)
}

pub(super) fn thread(case: &CaseResult) -> Option<(&str, &Finding)> {
    Some((OperationMatrix::row(case), threads_over_processes(case)?))
}

fn listed(threads: &[(&str, &Finding)], wanted: Word) -> String {
    let mut found: Vec<(f64, &str)> = threads
        .iter()
        .filter(|(_, finding)| Word::of_time(finding.verdict) == wanted)
        .filter_map(|(name, finding)| Some((finding.estimate?.ratio, *name)))
        .map(|(ratio, name)| (ratio.max(1.0 / ratio), name))
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    if found.is_empty() {
        return "none".to_owned();
    }
    let names = found
        .iter()
        .map(|(by, name)| format!("{name} {}", factor(*by)));
    let names: Vec<String> = names.collect();
    format!("{} ({})", found.len(), some(&names))
}

pub(super) fn some<S: AsRef<str>>(names: &[S]) -> String {
    let first: Vec<&str> = names.iter().take(NAMED).map(S::as_ref).collect();
    let first = first.join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}
