use flow::Variant;
use machine::Machine;
use workload::Work;

use super::no_room;
use crate::data::number::count;
use crate::data::{Case, LabelledVariant, Study};

/// The study without the work that needs a program which is not on this machine, and why.
#[must_use]
pub fn equipped(study: Study) -> (Study, Vec<String>) {
    let named: Vec<(Work, String)> = study
        .cases
        .iter()
        .flat_map(|case| {
            let own = case.variants.iter().filter_map(|v| v.work.as_ref());
            let name = crate::data::base(case);
            let point = case.sweep.as_ref().and(name.rsplit_once('/'));
            let name = point.map_or(name, |(sweep, _)| sweep);
            own.chain([&case.work])
                .map(move |work| (work.clone(), name.to_owned()))
        })
        .collect();
    let (mut study, why) = without_those(study, |_, work| {
        let why = work.missing()?;
        let of = named.iter().find(|(known, _)| known == work);
        Some(of.map_or_else(|| why.clone(), |(_, name)| format!("{name}: {why}")))
    });
    let cases = study.cases.iter_mut();
    let renamed: Vec<Renamed> = cases.flat_map(with_versions).collect();
    let findings = study.origin.iter_mut().flat_map(|one| &mut one.published);
    for finding in findings {
        let halves = finding.ours.iter_mut();
        let halves = halves.chain(finding.and.as_mut().map(|half| &mut half.ours));
        for label in halves.flat_map(|ours| ours.labels_mut()) {
            if let Some((_, new)) = renamed.iter().find(|(old, _)| old == label) {
                label.clone_from(new);
            }
        }
    }
    (study, why)
}

type Renamed = (String, String);

const VERSION: &str = "{version}";

/// With the versions of programs in the labels that name them; returns which labels are new.
fn with_versions(case: &mut Case) -> Vec<Renamed> {
    let versions: Vec<Option<String>> = (0..case.variants.len())
        .map(|at| {
            let named = case.variants[at].label.contains(VERSION);
            case.work_of(at).program().filter(|_| named)?.version()
        })
        .collect();
    let variants = case.variants.iter_mut().zip(versions);
    let named = variants.filter_map(|(one, version)| {
        let new = one.label.replace(VERSION, &version?);
        Some((std::mem::replace(&mut one.label, new.clone()), new))
    });
    named.collect()
}

/// The study without variants that have no room here, and what was left out, by limit.
#[must_use]
pub fn fitted(study: Study, machine: &Machine) -> (Study, Vec<String>) {
    without_those(study, |variant, work| no_room(machine, variant, work))
}

pub(super) fn without_those(
    mut study: Study,
    why_not: impl Fn(&Variant, &Work) -> Option<String>,
) -> (Study, Vec<String>) {
    let mut left_out: Vec<LeftOut> = Vec::new();
    for case in &mut study.cases {
        let work = case.work.clone();
        case.retain(|labelled| {
            let work = labelled.work.as_ref().unwrap_or(&work);
            let Some(reason) = why_not(&labelled.variant, work) else {
                return true;
            };
            add(&mut left_out, labelled, reason);
            false
        });
    }
    let mut cases = std::mem::take(&mut study.cases);
    cases.retain(|case| !case.variants.is_empty());
    let study = study.with_cases(cases);
    (study, left_out.iter().map(LeftOut::text).collect())
}

struct LeftOut {
    label: String,
    fewest: u32,
    most: u32,
    reason: String,
    varies: bool,
}

impl LeftOut {
    /// `20,000 flows of …`, and how far it continues.
    fn text(&self) -> String {
        if self.most == self.fewest || !self.varies {
            return self.reason.clone();
        }
        let most = count(self.most.into());
        format!("{}; so are more, up to {most}", self.reason)
    }
}

fn add(left_out: &mut Vec<LeftOut>, labelled: &LabelledVariant, reason: String) {
    let (label, flows) = (&labelled.label, labelled.variant.flows);
    let same = |known: &&mut LeftOut| {
        known.label == *label && (known.fewest != flows || known.reason == reason)
    };
    if let Some(known) = left_out.iter_mut().find(same) {
        known.varies |= known.reason != reason;
        known.most = known.most.max(flows);
        if flows < known.fewest {
            (known.fewest, known.reason) = (flows, reason);
        }
        return;
    }
    if left_out.iter().all(|known| known.reason != reason) {
        left_out.push(LeftOut {
            label: label.clone(),
            fewest: flows,
            most: flows,
            reason,
            varies: false,
        });
    }
}
