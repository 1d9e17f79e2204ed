//! Whether the machine has room for a variant's flows ([`crate::data::room`]). Variants of a
//! built-in study without room (or a program) are left out, and said; what a user asks for by
//! number is refused.

mod fitted;
mod server;

use flow::{Model, Placement, Variant};
use machine::{Machine, Needs};
use measure::Measured;
use workload::Work;

pub use crate::data::room::SHARE;
use crate::data::room::{limit, most, needs, rooms};
pub use fitted::{equipped, fitted};

use crate::data::number::{bytes, count, many};
use crate::plan::parent_memory;

/// Why there are no flows of that model on this target, if there are none.
#[must_use]
pub fn unavailable(model: Model) -> Option<String> {
    without(model, flow::fibers_available()).or_else(|| immovable(model))
}

/// A sandbox may refuse the memory.
fn immovable(model: Model) -> Option<String> {
    let moves = matches!(model, Model::Migratable { .. });
    let reason = moves.then(flow::moves_available)?.err()?;
    Some(format!("model {model} is not available: {reason}"))
}

fn without(model: Model, fibers: Result<(), &'static str>) -> Option<String> {
    match (model.stacks(), fibers) {
        (Some(_), Err(reason)) => Some(format!("model {model} is not available: {reason}")),
        _ => None,
    }
}

/// Beyond the CPUs, moving flows only wait elsewhere; their partners have as many.
fn too_many_processes(machine: &Machine, model: Model, work: &Work) -> Option<String> {
    let cpus = machine.allowed().len();
    if let Model::Migratable { processes, .. } = model {
        return (processes as usize > cpus.max(1)).then(|| {
            format!(
                "model {model} is over {processes} processes, and flowgauge may run on {}: {}",
                many(cpus as u64, "CPU"),
                match cpus {
                    0 | 1 => format!("it needs {processes}"),
                    _ => format!("use at most migratable/{cpus}"),
                }
            )
        });
    }
    let processes = work.processes_side_by_side()?;
    // Two can take turns on one CPU.
    (processes as usize > cpus.max(2)).then(|| {
        format!(
            "the work is done by {processes} side by side, and flowgauge may run on {cpus} CPUs: \
             use processes = {} at most",
            cpus.max(2)
        )
    })
}

fn too_few_cores(machine: &Machine, variant: &Variant, work: &Work) -> Option<String> {
    let cpus = machine.allowed().len() as u64;
    let own = u64::from(work.processes_side_by_side()?);
    (variant.placement == Placement::Cores && own > cpus.max(1)).then(|| {
        format!(
            "{own} processes on a core each need as many, and flowgauge may run on {}",
            many(cpus, "CPU")
        )
    })
}

/// Why the machine has no room for a variant, if it has none; or why there is no such model.
#[must_use]
pub fn no_room(machine: &Machine, variant: &Variant, work: &Work) -> Option<String> {
    unavailable(variant.model)
        .or_else(|| too_many_processes(machine, variant.model, work))
        .or_else(|| too_few_cores(machine, variant, work))
        .or_else(|| parent_memory::no_room(machine, variant))
        .or_else(|| no_room_for_flows(machine, variant, work))
}

fn no_room_for_flows(machine: &Machine, variant: &Variant, work: &Work) -> Option<String> {
    let flows = variant
        .model
        .own_flows()
        .unwrap_or(u64::from(variant.flows));
    if let Some(why) = no_memory(machine, variant, work) {
        return Some(why);
    }
    let rooms = rooms(machine, variant.model, work);
    let lowest = rooms.iter().min_by_key(|room| most(room))?;
    if flows <= most(lowest) {
        let pipes = || no_pipes(machine, flows, work);
        let pipes = pipes().filter(|_| !variant.model.is_user_level());
        return pipes.or_else(|| server::no_room(machine, variant, work, lowest));
    }
    let need = needs(machine, variant.model, work).map_or(String::new(), |each| {
        let total = each.memory.saturating_mul(flows);
        format!(
            " (they need {}, {} each)",
            bytes(total as f64),
            bytes(each.memory as f64)
        )
    });
    Some(format!(
        "{} flows of model {} are more than this machine can hold{need}: at most {} (the limit is \
         {}; to raise it: {})",
        count(flows),
        variant.model,
        count(most(lowest)),
        limit(lowest),
        lowest.raise
    ))
}

/// How many flows a sweep goes up to: [`SHARE`] of the lowest room, in two digits that last days.
#[must_use]
pub fn top(machine: &Machine, model: Model, work: &Work) -> Option<u64> {
    let lowest = rooms(machine, model, work).into_iter().next()?;
    let share = (lowest.count as f64 * SHARE) as u64;
    let unit = 10_u64.pow(share.checked_ilog10()?.saturating_sub(1));
    Some(share / unit * unit)
}

fn no_memory(machine: &Machine, variant: &Variant, work: &Work) -> Option<String> {
    let each = work.bytes_a_flow()?;
    let flows = u64::from(variant.flows);
    let ceilings = machine.user_level_ceilings(Needs::memory(each));
    let lowest = ceilings.first()?;
    (flows > lowest.count).then(|| {
        if work.makes_own_flows() {
            return format!(
                "this work takes {} of memory at once: this machine has {} for it (the limit is {}; \
                 to raise it: {})",
                bytes(each.saturating_mul(flows) as f64),
                bytes(each.saturating_mul(lowest.count) as f64),
                lowest.bites,
                lowest.raise
            );
        }
        format!(
            "{} of memory at once, {} each: this machine has room for {} of them (the limit is {}; \
             to raise it: {})",
            taken(flows, each),
            bytes(each as f64),
            count(lowest.count),
            lowest.bites,
            lowest.raise
        )
    })
}

fn taken(flows: u64, each: u64) -> String {
    let verb = if flows == 1 {
        "flow takes"
    } else {
        "flows take"
    };
    let bytes = bytes(each.saturating_mul(flows) as f64);
    format!("{} {verb} {bytes}", count(flows))
}

fn no_pipes(machine: &Machine, flows: u64, work: &Work) -> Option<String> {
    if work.pipes_a_flow() == 0 {
        return None;
    }
    let most = match machine.limits.nofile_hard {
        Measured::Value(machine::limits::Bound::At(files)) => files.saturating_sub(64) / 2,
        _ => return None,
    };
    (flows > most).then(|| {
        format!(
            "a ring of {} pipes takes two open files each: RLIMIT_NOFILE allows {} pipes (to \
             raise it: ulimit -Hn {})",
            count(flows),
            count(most),
            2 * flows + 64
        )
    })
}

#[cfg(test)]
mod tests;
