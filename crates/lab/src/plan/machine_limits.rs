//! Numbers of flows up to what the limits of a machine leave. Making flows is the only proof, and
//! can take a machine down, so a fence is printed first: a model gets at most [`SHARE`] of what the
//! limits leave; memory keeps a tenth of each pool ([`machine::ceiling`]). As many as the fence
//! allows are made, and some fewer, for the slope of memory. A model without room for
//! [`LEAST_FLOWS`] has its limit.

use std::collections::{BTreeMap, BTreeSet};

use flow::{Model, Variant};
use machine::Machine;
use workload::Work;
use workload::turns::LEAST_FLOWS;

use super::capacity::{SHARE, unavailable};
use super::study::asked::Flags;
use super::study::command::OfRun;
use super::written::Steps;
use crate::data::room::{limit_text, rooms};
use crate::data::{Case, Study, SweepPoint, labelled};

/// The smallest number of flows where there is room, and that from which on steps are made.
const LEAST: u64 = 100;
const USUAL: u64 = 1_000;
/// What may be asked for: a packed fiber takes some 256 bytes, so this many take a quarter of a TB.
const MOST_FLOWS: u64 = 1_000_000_000;
/// Where flows are made up to a number that was asked for: it may take minutes.
const PROBE_ROUNDS: usize = 2;

/// How far a model may be probed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    /// As many flows are made at the most.
    pub most: u64,
    /// The limit with its room.
    pub limit: String,
}

/// The fence of a model; `None` where no limit can be read.
#[must_use]
pub fn fence(machine: &Machine, model: Model) -> Option<Fence> {
    let rooms = rooms(machine, model, &Work::idle(LEAST));
    rooms.first().map(|lowest| Fence {
        most: (lowest.count as f64 * SHARE) as u64,
        limit: limit_text(lowest),
    })
}

pub(super) fn made_up_to(
    study: Study,
    flags: Flags<'_>,
    machine: &Machine,
) -> Result<(Study, Vec<String>), String> {
    let asked = flags.of_run(OfRun::ProbeTo);
    let most = asked.and_then(|given| given.values.first()?.as_u64());
    let most = most.unwrap_or(USUAL);
    if most > MOST_FLOWS {
        return Err(format!(
            "--probe-to {most}: no machine holds as many; the maximum is {MOST_FLOWS}"
        ));
    }
    let models = flags.models();
    let (missing, present): (Vec<Model>, Vec<Model>) = models
        .iter()
        .partition(|model| unavailable(**model).is_some());
    let top = |model| fence(machine, model).map_or(most, |fence| fence.most.min(most));
    let tops: Vec<(Model, u64)> = present.iter().map(|&model| (model, top(model))).collect();
    let numbers: BTreeSet<u64> = tops.iter().flat_map(|&(_, top)| steps(top)).collect();
    let first = study.cases.first().cloned();
    let mut like = first.ok_or("the study has no case")?;
    if asked.is_some_and(|given| !given.is_default) {
        like.max_rounds = like.max_rounds.map(|_| PROBE_ROUNDS);
    }
    let cases = numbers.iter().map(|&flows| case(&like, flows, &tops));
    let cases: Vec<Case> = cases.collect();
    let last = cases.last().map(|last| last.name.clone());
    let study = Study {
        headline: last.unwrap_or(study.headline),
        deciding: Vec::new(),
        limits_of: present,
        terms: BTreeMap::new(),
        cases,
        ..study
    };
    Ok((study, missing.into_iter().filter_map(unavailable).collect()))
}

/// Up to what a model may have in steps of 1, 2, 5 from [`USUAL`] on, and a smaller one first.
fn steps(top: u64) -> Vec<u64> {
    if top < LEAST_FLOWS {
        return Vec::new();
    }
    let mut numbers = vec![LEAST.min(top / 4).max(LEAST_FLOWS)];
    if top > USUAL {
        numbers.extend(Steps::OneTwoFive.between(USUAL, top));
    }
    numbers.push(top);
    numbers.dedup();
    numbers
}

fn case(like: &Case, flows: u64, tops: &[(Model, u64)]) -> Case {
    let variant = |model: Model| Variant::new(model, u32::try_from(flows).unwrap_or(u32::MAX));
    let within = tops.iter().filter(|(_, top)| steps(*top).contains(&flows));
    let point = like.sweep.as_ref().map(|point| SweepPoint {
        value: flows as f64,
        ..point.clone()
    });
    let name = point.as_ref().map_or(&like.name, |point| &point.sweep);
    Case {
        name: format!("{name}/{flows}"),
        sweep: point,
        work: Work::idle(flows),
        variants: labelled(within.map(|(model, _)| variant(*model)).collect()),
        ..like.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Preset;
    use crate::plan::study::asked::GivenFlags;
    use crate::plan::study::builtin;
    use crate::plan::study::commands;
    use crate::testing::Says;

    #[test]
    fn no_model_is_probed_beyond_its_fence() {
        let machine = Machine::read();
        let own = commands().iter().find(|own| own.name == "limits").unwrap();
        let asked = |most: &str| {
            let typed = [("model", "process"), ("probe-to", most)];
            let read = |(name, text): (&str, &str)| {
                let mut flags = own.command.flags.iter();
                let flag = flags.find(|flag| flag.name == name).unwrap();
                (name.to_owned(), flag.read(text).unwrap())
            };
            let given: GivenFlags = typed.into_iter().map(read).collect();
            let flags = Flags {
                command: &own.command,
                given: &given,
            };
            let study = builtin("limits", Preset::Full).unwrap();
            made_up_to(study, flags, &machine)
        };
        asked("4e9").unwrap_err().says("the maximum is");
        let (study, missing) = asked("1e9").unwrap();
        assert!(study.cases.len() > 2 && missing.is_empty());
        for labelled in study.cases.iter().flat_map(|case| &case.variants) {
            let fence = fence(&machine, labelled.variant.model).unwrap();
            assert!(u64::from(labelled.variant.flows) <= fence.most);
        }
    }

    #[test]
    fn where_fewer_than_100_flows_fit_as_many_are_made_and_some_fewer() {
        assert!(steps(0).is_empty() && steps(1).is_empty());
        assert_eq!(steps(2), [2]);
        assert_eq!(steps(17), [4, 17]);
        assert_eq!(steps(101), [25, 101]);
        assert_eq!(steps(1_000), [100, 1_000]);
        assert_eq!(steps(2_600), [100, 1_000, 2_000, 2_600]);
    }
}
