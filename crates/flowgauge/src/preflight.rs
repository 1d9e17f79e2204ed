//! What is checked before a run makes anything: its work, its CPUs and its flow counts.
//!
//! A run that cannot be finished is refused here, whole, and not in its last case.

use anyhow::{Context, Result, bail};
use flow::placement::Cpus;
use lab::{Case, Study};
use machine::Machine;

/// Checks every case of every study against this machine.
pub(crate) fn check(studies: &[Study], machine: &Machine) -> Result<()> {
    let cpus = cpus(machine);
    for study in studies {
        for case in &study.cases {
            check_case(case, machine, &cpus)
                .with_context(|| format!("{}, {}", study.name, case.name))?;
        }
    }
    Ok(())
}

fn check_case(case: &Case, machine: &Machine, cpus: &Cpus) -> Result<()> {
    case.work.check()?;
    for labelled in &case.variants {
        if let Some(work) = &labelled.work {
            work.check()?;
        }
        labelled.variant.placement.resolve(cpus)?;
        let work = labelled.work.as_ref().unwrap_or(&case.work);
        if let Some(why) = lab::room::no_room(machine, &labelled.variant, work) {
            bail!(why);
        }
    }
    Ok(())
}

/// The CPUs that placements choose from.
pub(crate) fn cpus(machine: &Machine) -> Cpus {
    Cpus {
        allowed: machine.allowed().to_vec(),
        cores: machine.cores(),
        smt: machine.smt_order(),
    }
}
