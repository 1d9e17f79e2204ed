//! What is checked before a run makes anything: its work, its CPUs and its flow counts.
//!
//! A run that cannot be finished is refused here, whole, and not in its last case.

use anyhow::{Context, Result, bail};
use flow::Variant;
use flow::placement::Cpus;
use lab::{Case, Study};
use machine::{FlowKind, Machine};
use measure::Measured;

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
        check_ceiling(&labelled.variant, machine)?;
    }
    Ok(())
}

/// Refuses counts beyond what the machine can hold.
fn check_ceiling(variant: &Variant, machine: &Machine) -> Result<()> {
    let kind = if variant.model.isolates() {
        FlowKind::Process
    } else {
        FlowKind::Thread
    };
    match machine.ceiling(kind) {
        Measured::Value(ceiling) if u64::from(variant.flows) > ceiling.count => bail!(
            "{} flows of model {} are more than this machine can hold: at most {} (the limit \
             is {}; to raise it: {})",
            variant.flows,
            variant.model,
            ceiling.count,
            ceiling.bites,
            ceiling.raise
        ),
        _ => Ok(()),
    }
}

/// The CPUs that placements choose from.
pub(crate) fn cpus(machine: &Machine) -> Cpus {
    Cpus {
        allowed: machine.allowed().to_vec(),
        cores: machine.cores(),
        smt: machine.smt_order(),
    }
}
