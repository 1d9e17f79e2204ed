//! What is checked before the first slot, so that a long run does not fail in its last case.

use std::collections::BTreeSet;

use flow::placement::Cpus;
use machine::Machine;

use super::RunError;
use crate::{Case, Study};

/// The CPUs that placements choose from.
pub(super) fn cpus(machine: &Machine) -> Cpus {
    Cpus {
        allowed: machine.allowed().to_vec(),
        cores: machine.cores(),
        smt: machine.smt_order(),
    }
}

/// Checks every case of every study. The journal tells them apart by their names, so no
/// two may have the same.
pub(super) fn check(studies: &[Study], cpus: &Cpus) -> Result<(), RunError> {
    let mut names = BTreeSet::new();
    for study in studies {
        for case in &study.cases {
            let fresh = names.insert((&study.name, &case.name));
            let checked = match fresh {
                true => check_case(case, cpus),
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

fn check_case(case: &Case, cpus: &Cpus) -> Result<(), String> {
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
    }
    Ok(())
}
