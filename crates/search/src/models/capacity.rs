//! Upper bounds on flows, whatever was asked for.

use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
use nix::unistd::SysconfVar;

use crate::plan::{Io, Model, Plan};

const MOST_THREADS: u64 = 2_048;
/// Each takes four times a thread's memory.
const MOST_PROCESSES: u64 = 256;
const SPARE_DESCRIPTORS: u64 = 64;
/// Named folders stay open up to this part of all descriptors.
const ROOTS_SHARE: u64 = 4;
/// Stacks, buffers and results, in address space.
const THREAD_BYTES: u64 = 1 << 20;
const OWN_BYTES: u64 = 2 << 20;
/// Bytes of a fiber's stack: listing matches globs there.
pub(crate) const FIBER_BYTES: usize = 256 << 10;
/// Flows a CPU while a disk is waited for, at the most.
const COLD_FLOWS: u32 = 4;
/// A disk keeps more flows busy than one CPU.
const COLD_CPUS: u32 = 2;

pub(crate) fn cap(model: Model) -> (u32, String) {
    let most = match model {
        Model::Sequential => return (1, String::new()),
        Model::ProcessPerFile => MOST_PROCESSES,
        _ => MOST_THREADS,
    };
    // A thread has a file, or a folder and a file; a process has a pipe.
    let each = match model {
        Model::ThreadPerDirectory => 2,
        _ => 1,
    };
    let (cap, why) = within_memory(model, bounded(most, Some(each)));
    let cap = cap.max(1);
    (cap, format!("a cap of {cap}: {why}"))
}

pub(crate) fn pool(model: Model) -> (u32, String) {
    let most = match model.forks() {
        true => MOST_PROCESSES,
        false => MOST_THREADS,
    };
    let shares = matches!(model, Model::ThreadPool | Model::Fiber);
    within_memory(model, bounded(most, shares.then_some(2)))
}

/// Limited by descriptors; with the reason.
fn bounded(most: u64, each: Option<u64>) -> (u32, String) {
    let room = each.map(|each| (for_flows() / each).max(1));
    let (cap, why) = match room.filter(|room| *room < most) {
        Some(room) => (
            room,
            format!("there is room for {} open files (ulimit -n)", descriptors()),
        ),
        None => (most, "more at one time make nothing faster".to_owned()),
    };
    (u32::try_from(cap).unwrap_or(u32::MAX), why)
}

fn within_memory(model: Model, (most, why): (u32, String)) -> (u32, String) {
    let each = match model {
        _ if model.forks() => return (most, why),
        Model::Fiber => THREAD_BYTES + FIBER_BYTES as u64,
        _ => THREAD_BYTES,
    };
    match left_bytes().map(|left| left / each) {
        Some(room) if room < u64::from(most) => {
            let why = "there is no more address space (ulimit -v)".to_owned();
            (u32::try_from(room).unwrap_or(u32::MAX), why)
        }
        _ => (most, why),
    }
}

pub(crate) fn fibers(threads: u32) -> usize {
    let Some(left) = left_bytes() else {
        return usize::MAX;
    };
    let left = left.saturating_sub(u64::from(threads) * THREAD_BYTES);
    usize::try_from(left / FIBER_BYTES as u64).map_or(usize::MAX, |fibers| fibers.max(1))
}

/// In bytes, without the search's own needs; `None`: unlimited or unknown.
fn left_bytes() -> Option<u64> {
    let (soft, _) = getrlimit(Resource::RLIMIT_AS).ok()?;
    if soft == RLIM_INFINITY {
        return None;
    }
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_whitespace().next()?.parse().ok()?;
    let taken = pages
        * nix::unistd::sysconf(SysconfVar::PAGE_SIZE)
            .ok()??
            .cast_unsigned();
    Some(soft.saturating_sub(taken + OWN_BYTES))
}

fn descriptors() -> u64 {
    getrlimit(Resource::RLIMIT_NOFILE).map_or(1_024, |(soft, _)| soft)
}

fn for_flows() -> u64 {
    let open = descriptors();
    (open - open / ROOTS_SHARE).saturating_sub(SPARE_DESCRIPTORS)
}

pub(crate) fn kept_roots() -> usize {
    usize::try_from(descriptors() / ROOTS_SHARE).unwrap_or(usize::MAX)
}

pub(crate) fn folders() -> usize {
    usize::try_from(for_flows().max(1)).unwrap_or(usize::MAX)
}

/// The model of processes that there may be.
pub(crate) fn forking(plan: &Plan) -> Option<Model> {
    match plan.model {
        // A probe may choose processes.
        None if plan.io == Io::Mmap => Some(Model::ProcessPool),
        model => model.filter(|model| model.forks()),
    }
}

pub(crate) fn slots(plan: &Plan) -> usize {
    let Some(model) = forking(plan) else {
        return 0;
    };
    let (most, chosen) = match model.is_pool() {
        true => (pool(model).0, auto_most(cpus())),
        false => (cap(model).0, u32::MAX),
    };
    let asked = plan.workers.map_or(chosen, std::num::NonZeroU32::get);
    asked.min(most) as usize
}

pub(crate) fn auto_most(cpus: u32) -> u32 {
    COLD_FLOWS * cpus.max(COLD_CPUS)
}

pub(crate) fn cpus() -> u32 {
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    u32::try_from(cpus).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hundred million processes had as many places mapped before anybody counted them.
    #[test]
    fn places_are_for_as_many_processes_as_there_may_be() {
        for model in [Model::ProcessPool, Model::ProcessPerFile] {
            assert!(slots(&Plan::of(model, 100_000_000)) <= MOST_PROCESSES as usize);
            assert_eq!(slots(&Plan::of(model, 3)), 3);
        }
        let mapped = Plan {
            io: Io::Mmap,
            workers: std::num::NonZeroU32::new(100_000_000),
            ..Plan::default()
        };
        assert!(slots(&mapped) <= MOST_PROCESSES as usize);
        assert_eq!(slots(&Plan::of(Model::ThreadPool, 8)), 0);
    }
}
