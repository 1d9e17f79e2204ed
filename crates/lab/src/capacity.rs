//! Whether the machine has room for a variant's flows, asked before any of them is made.
//!
//! # Theory
//!
//! The kernel's flows are bounded by its limits ([`machine::ceiling`]). Of user-level ones
//! the kernel sees nothing but memory, so theirs is an account: what a flow of that model
//! takes for that work, times their number, against what is available less a reserve.
//! Guards are free from Linux 6.13 on; before, each takes two mappings.
//!
//! A study that comes with the program must run on any machine, so variants that have no
//! room are left out of it, and said, as is what needs a program that is not there. What a user
//! asks for by number is refused instead.

mod fitted;
mod server;

use flow::{Model, Placement, Stacks, Variant};
use machine::{Ceiling, FlowKind, Machine, Needs, Unit};
use measure::Measured;
use workload::Work;
use workload::workload::UserLevelBytes;

pub use fitted::{equipped, fitted};

use crate::number::{bytes, count, many};
use crate::parent_memory;

/// The share of its room that flows may take where it is an estimate, or a whole machine would
/// be filled.
pub const SHARE: f64 = 0.8;
/// Memory of one page.
const PAGE: u64 = 4096;
/// What a fiber takes in tables of its scheduler and its carrier.
const FIBER_TABLES: u64 = 64;
/// What a flow that does ordinary work is taken to need of its stack.
const ORDINARY: u64 = 32 << 10;
/// From this kernel on a guard takes no mappings.
const FREE_GUARDS: (u64, u64) = (6, 13);
/// Mappings that a guard takes before.
const GUARD_MAPPINGS: u64 = 2;

/// What a user-level flow of that model takes for that work; `None` for flows of the kernel.
fn needs(machine: &Machine, model: Model, work: &Work) -> Option<Needs> {
    let UserLevelBytes { kept, stack, task } =
        work.get().user_level_bytes().unwrap_or(UserLevelBytes {
            kept: ORDINARY,
            stack: ORDINARY,
            task: ORDINARY,
        });
    let addresses = flow::address_bytes(model, stack);
    let in_pages = (kept + PAGE / 2).next_multiple_of(PAGE) + FIBER_TABLES;
    let (memory, mappings) = match (model, model.stacks()) {
        (Model::Task, _) => (task, 0),
        (_, Some(Stacks::Guarded)) if !has_free_guards(machine) => (in_pages, GUARD_MAPPINGS),
        (_, Some(stacks)) if stacks.are_whole_pages() => (in_pages, 0),
        (_, Some(_)) => (addresses.map_or(stack, |(each, _)| each), 0),
        _ => return None,
    };
    let (addresses, addresses_once) = addresses.unwrap_or((memory, 0));
    Some(Needs {
        memory,
        addresses,
        addresses_once,
        mappings,
    })
}

/// The room for flows of that model with that work, by each limit, the lowest first.
#[must_use]
pub fn rooms(machine: &Machine, model: Model, work: &Work) -> Vec<Ceiling> {
    match needs(machine, model, work) {
        Some(each) => in_whole_pages(machine.user_level_ceilings(each), model, work),
        None if model.isolates() => machine.ceilings(FlowKind::Process),
        None => machine.ceilings(FlowKind::Thread),
    }
}

/// The same rooms where the last pages that flows take are taken whole: of a small address space
/// they are a part that counts.
fn in_whole_pages(mut rooms: Vec<Ceiling>, model: Model, work: &Work) -> Vec<Ceiling> {
    let limited = |room: &&mut Ceiling| room.bites == "RLIMIT_AS";
    for room in rooms.iter_mut().filter(limited) {
        let needed = |flows: u64| {
            let rounded = flow::rounded_bytes(model, stack(work), flows);
            flows.saturating_mul(room.each).saturating_add(rounded)
        };
        let over = |flows: u64| needed(flows).saturating_sub(room.left);
        while room.count > 0 && over(room.count) > 0 {
            let too_many = over(room.count).div_ceil(room.each);
            room.count = room.count.saturating_sub(too_many);
        }
    }
    rooms.sort_by_key(|room| room.count);
    rooms
}

/// What a flow that does that work is given as its stack.
fn stack(work: &Work) -> u64 {
    match work {
        Work::Turns(turns) => turns.stack_bytes(),
        _ => ORDINARY,
    }
}

/// `32,383, bounded by kernel.pid_max = 32,768`.
#[must_use]
pub fn limit_text(room: &Ceiling) -> String {
    format!("{}, bounded by {}", count(room.count), limit(room))
}

/// `kernel.pid_max = 32,768`; of memory how much of it is free for flows.
#[must_use]
pub fn limit(room: &Ceiling) -> String {
    if room.unit == Unit::Bytes && room.left > 0 && room.bites.starts_with("memory") {
        return format!("memory, {} free", bytes(room.left as f64));
    }
    let value = match room.unit {
        Unit::Bytes => bytes(room.value as f64),
        Unit::Tasks | Unit::Mappings => count(room.value),
    };
    format!("{} = {value}", room.bites)
}

/// Whether this kernel guards a page without splitting a mapping.
fn has_free_guards(machine: &Machine) -> bool {
    let Measured::Value(release) = &machine.kernel.release else {
        return false;
    };
    let mut numbers = release
        .split(|c: char| !c.is_ascii_digit())
        .map_while(|part| part.parse::<u64>().ok());
    let version = numbers.next().zip(numbers.next());
    version.is_some_and(|version| version >= FREE_GUARDS)
}

/// Why there are no flows of that model on this target, if there are none.
#[must_use]
pub fn unavailable(model: Model) -> Option<String> {
    without(model, flow::fibers_available())
}

fn without(model: Model, fibers: Result<(), &'static str>) -> Option<String> {
    match (model.stacks(), fibers) {
        (Some(_), Err(reason)) => Some(format!("model {model} is not available: {reason}")),
        _ => None,
    }
}

/// Flows that could move between processes gain nothing from more of them than run at a time, and
/// would be moved to where they wait; what stands beside them has as many.
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

/// Processes that the work wants on a core each would take turns where there are fewer.
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
    let flows = u64::from(variant.flows);
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

/// How many flows a limit allows: of bytes only [`SHARE`], since what a flow needs of them is
/// an estimate, and what is available changes.
fn most(room: &Ceiling) -> u64 {
    match room.unit {
        Unit::Bytes => (room.count as f64 * SHARE) as u64,
        Unit::Tasks | Unit::Mappings => room.count,
    }
}

/// How many flows of that model a sweep goes up to on its own: [`SHARE`] of the lowest room, in
/// two digits, so that it is the same number on another day.
#[must_use]
pub fn top(machine: &Machine, model: Model, work: &Work) -> Option<u64> {
    let lowest = rooms(machine, model, work).into_iter().next()?;
    let share = (lowest.count as f64 * SHARE) as u64;
    let unit = 10_u64.pow(share.checked_ilog10()?.saturating_sub(1));
    Some(share / unit * unit)
}

/// Work that takes memory on purpose must leave the machine some.
fn no_memory(machine: &Machine, variant: &Variant, work: &Work) -> Option<String> {
    let each = work.bytes_a_flow()?;
    let flows = u64::from(variant.flows);
    let ceilings = machine.user_level_ceilings(Needs::memory(each));
    let lowest = ceilings.first()?;
    (flows > lowest.count).then(|| {
        if work.makes_own_flows() {
            // Its flows are its processes, which share what the memory is for.
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

/// `2 flows take 512 MiB`.
fn taken(flows: u64, each: u64) -> String {
    let verb = if flows == 1 {
        "flow takes"
    } else {
        "flows take"
    };
    let bytes = bytes(each.saturating_mul(flows) as f64);
    format!("{} {verb} {bytes}", count(flows))
}

/// A ring of pipes takes two open files a flow.
fn no_pipes(machine: &Machine, flows: u64, work: &Work) -> Option<String> {
    if work.get().pipes_a_flow() == 0 {
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
