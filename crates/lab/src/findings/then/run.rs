//! What a run has for the findings of a study.

use machine::Machine;

use super::answer::Answer;
use crate::data::number::{count, many};
use crate::data::{Case, CaseEnd, Header, LabelledVariant, Pair, Preset};
use crate::findings::quantity::Kind;
use crate::findings::{CaseResult, Parts};
use crate::plan::study::known;

#[derive(Clone, Copy)]
pub(in crate::findings) struct Run<'a> {
    pub(in crate::findings) header: &'a Header,
    pub(in crate::findings) notes: &'a [String],
    pub(in crate::findings) cases: &'a [CaseResult],
    pub(in crate::findings) parts: &'a Parts,
    pub(in crate::findings) study: &'a str,
    /// How many claims of the family there are for each that gets a verdict.
    pub(in crate::findings) stricter: f64,
}

impl<'a> Run<'a> {
    pub(super) fn case(&self, name: &str) -> Result<&'a CaseResult, Answer> {
        let found = self.cases.iter().find(|case| case.case.name == name);
        let unlike = found.and_then(|case| self.other_flows(&case.case));
        if let Some((here, there)) = unlike {
            return Err(Answer::impossible(format!(
                "not like for like: {} here, {} in the source's",
                many(here.into(), "flow"),
                count(there.into())
            )));
        }
        match found {
            Some(case) if case.rounds == 0 && case.ended == Some(CaseEnd::Budget) => {
                Err(Answer::not_run(format!(
                    "the budget ended before the case {name} had a round"
                )))
            }
            Some(case) => Ok(case),
            None => Err(Answer::not_run(format!("the case {name} was not run"))),
        }
    }

    /// Flows of a variant here and in the study as it is built in, where they are not the same.
    fn other_flows(&self, case: &Case) -> Option<(u32, u32)> {
        let full = known(self.study, Preset::Full)?;
        let built_in = full.cases.iter().find(|one| one.name == case.name)?;
        let same = |own: &LabelledVariant| {
            let mut all = built_in.variants.iter();
            let there = all.find(|one| one.label == own.label && one.of_cpus.is_none())?;
            Some((own.variant.flows, there.variant.flows))
        };
        let mut both = case.variants.iter().filter_map(same);
        both.find(|(here, there)| here != there)
    }

    pub(super) fn comparisons(&self, case: &CaseResult, pair: &Pair) -> usize {
        let pairs = case.case.variants.len().saturating_sub(1).max(1);
        let workers = match pair.worker {
            Some(_) => flows(case, &pair.subject).max(1),
            None => 1,
        };
        (pairs as f64 * f64::from(workers) * self.stricter).ceil() as usize
    }

    pub(super) fn simulated(&self) -> Option<&'a str> {
        let simulation = self.header.settings.simulate.as_ref();
        simulation.map(|simulation| simulation.machine.name.as_str())
    }

    pub(super) fn without(&self, workload: &str, along: &str) -> String {
        let left_out = format!(": left out: {workload}: ");
        let mut notes = self.notes.iter();
        if let Some((_, why)) = notes.find_map(|note| note.split_once(&left_out)) {
            return format!("{workload}: {why}");
        }
        let begins = format!("{workload}/");
        let mut cases = self.cases.iter().map(|case| &case.case.name);
        match cases.any(|name| name.starts_with(&begins)) {
            true => format!("the budget ended before {workload} {along} had a round"),
            false => format!("{workload} {along} was not run"),
        }
    }

    pub(super) fn machine(&self) -> &'a Machine {
        &self.header.machine
    }
}

/// How many workers a case has, from the record of its first variant.
pub(super) fn flows(case: &CaseResult, label: &str) -> u32 {
    case.labelled(label).map_or(0, |own| own.variant.flows)
}

pub(super) fn place(case: &CaseResult, label: &str) -> Result<usize, Answer> {
    // The version of what is not here is not known.
    let missing = || format!("{} was not run", label.replace(" {version}", ""));
    case.place(label).ok_or_else(|| Answer::not_run(missing()))
}

pub(super) fn kind(quantity: &str, worker: Option<u32>) -> Result<Kind, Answer> {
    let unknown = || Answer::unknown(format!("{quantity} is no quantity"));
    Kind::of(quantity, worker).ok_or_else(unknown)
}
