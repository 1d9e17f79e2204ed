//! How many flows of a model a machine has room for, by each limit: the kernel's
//! ([`machine::ceiling`]) for its own flows, memory for user-level ones: what one takes for that
//! work against what is available less a reserve. Guards take two mappings before Linux 6.13.

use flow::{Model, Stacks};
use machine::{Ceiling, FlowKind, Machine, Needs, Unit};
use measure::Measured;
use workload::Work;
use workload::workload::UserLevelBytes;

use super::number::{bytes, count};

/// The share of its room that flows may take where it is an estimate, or would fill a machine.
pub const SHARE: f64 = 0.8;

const PAGE: u64 = flow::PAGE as u64;
/// Bytes: tables of its scheduler and carrier.
const FIBER_TABLES: u64 = 64;
/// Bytes: the assumed stack of ordinary work.
const ORDINARY: u64 = 32 << 10;
const FREE_GUARDS: (u64, u64) = (6, 13);
const GUARD_MAPPINGS: u64 = 2;

pub(crate) fn needs(machine: &Machine, model: Model, work: &Work) -> Option<Needs> {
    let UserLevelBytes { kept, stack, task } = user_level_bytes(work);
    let addresses = flow::address_bytes(model, stack);
    let in_pages = (kept + PAGE / 2).next_multiple_of(PAGE) + FIBER_TABLES;
    let (memory, mappings) = match (model, model.stacks()) {
        (_, Some(Stacks::Guarded)) if !has_free_guards(machine) => (in_pages, GUARD_MAPPINGS),
        (_, Some(stacks)) if stacks.are_whole_pages() => (in_pages, 0),
        (_, Some(_)) => (addresses.map_or(stack, |(each, _)| each), 0),
        (_, None) if model.is_user_level() => (task, 0),
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

fn in_whole_pages(mut rooms: Vec<Ceiling>, model: Model, work: &Work) -> Vec<Ceiling> {
    let limited = |room: &&mut Ceiling| room.bites == "RLIMIT_AS";
    for room in rooms.iter_mut().filter(limited) {
        let needed = |flows: u64| {
            let stack = user_level_bytes(work).stack;
            let rounded = flow::rounded_bytes(model, stack, flows);
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

fn user_level_bytes(work: &Work) -> UserLevelBytes {
    work.user_level_bytes().unwrap_or(UserLevelBytes {
        kept: ORDINARY,
        stack: ORDINARY,
        task: ORDINARY,
    })
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

/// Of bytes only [`SHARE`]: needs are estimates, and availability changes.
pub(crate) fn most(room: &Ceiling) -> u64 {
    match room.unit {
        Unit::Bytes => (room.count as f64 * SHARE) as u64,
        Unit::Tasks | Unit::Mappings => room.count,
    }
}
