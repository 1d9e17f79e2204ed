//! What is checked before a run makes anything: its work with the stores that it reads, its
//! CPUs and its flow counts.
//! A run that cannot be finished is refused whole, and not in its last case.

use std::collections::BTreeSet;
use std::path::Path;

use flow::placement::Cpus;
use machine::Machine;
use workload::{Work, wiki};

use super::RunError;
use crate::room::no_room;
use crate::{Case, Study};

/// The CPUs that placements choose from.
#[must_use]
pub fn cpus(machine: &Machine) -> Cpus {
    Cpus {
        allowed: machine.allowed().to_vec(),
        cores: machine.cores(),
        smt: machine.smt_order(),
    }
}

/// Checks every case of every study against a machine. The journal tells cases apart by
/// their names, so no two may have the same.
///
/// # Errors
/// The first case that cannot be run, with what is wrong and what to use.
pub fn check(studies: &[Study], machine: &Machine) -> Result<(), RunError> {
    let cpus = cpus(machine);
    let mut names = BTreeSet::new();
    for study in studies {
        for case in &study.cases {
            let fresh = names.insert((&study.name, &case.name));
            let checked = match fresh {
                true => check_case(case, machine, &cpus),
                false => Err("there are two of that name: give one another name".to_owned()),
            };
            checked.map_err(|message| RunError::Case {
                study: study.name.clone(),
                case: case.name.clone(),
                message,
            })?;
        }
    }
    Ok(())
}

fn check_case(case: &Case, machine: &Machine, cpus: &Cpus) -> Result<(), String> {
    if case.variants.is_empty() {
        return Err("nothing to run: name at least one variant".to_owned());
    }
    case.work.check().map_err(|error| error.to_string())?;
    for labelled in &case.variants {
        if let Some(work) = &labelled.work {
            work.check().map_err(|error| error.to_string())?;
        }
        let placement = &labelled.variant.placement;
        placement.resolve(cpus).map_err(|error| error.to_string())?;
        let work = labelled.work.as_ref().unwrap_or(&case.work);
        if let Some(why) = work.unsuited(&labelled.variant) {
            return Err(why);
        }
        if let Some(why) = no_room(machine, &labelled.variant, work) {
            return Err(why);
        }
    }
    check_stores(case)
}

/// Looks through the stores that pages are read from: no slot can mend one.
fn check_stores(case: &Case) -> Result<(), String> {
    let own = case.variants.iter().filter_map(|one| one.work.as_ref());
    let stores: BTreeSet<&Path> = own.chain([&case.work]).filter_map(Work::store).collect();
    let checked = stores.into_iter().try_for_each(wiki::check_store);
    checked.map_err(|error| error.to_string())
}
