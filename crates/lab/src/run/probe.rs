//! Fenced probes: a prediction, and how far flows could be made for real. A probe lowers a limit
//! for one process, in which the reading for the whole machine predicts ([`predict`]): which limit
//! is the lowest, what a flow needs, what is used already. So [`flow::probe`] confirms the reading.

use flow::{Fence, Model};
use machine::{Ceiling, Machine};
use workload::Work;

use crate::data::room::rooms;

/// What a process behind a fence has room for, by what the machine is from there.
#[must_use]
pub fn predict(machine: &Machine, model: Model) -> Option<(u64, Ceiling)> {
    let lowest = lowest(machine, model)?;
    Some((lowest.count, lowest))
}

fn lowest(machine: &Machine, model: Model) -> Option<Ceiling> {
    let work = Work::idle(workload::turns::LEAST_FLOWS);
    rooms(machine, model, &work).into_iter().next()
}

/// The fences for a model, the one nearest to what stops it on this machine first.
#[must_use]
pub fn fences(machine: &Machine, model: Model) -> Vec<Fence> {
    if model.is_user_level() {
        return vec![Fence::Addresses];
    }
    match lowest(machine, model) {
        Some(lowest) if lowest.bites == "kernel.pid_max" => vec![Fence::Ids, Fence::User],
        _ => vec![Fence::User, Fence::Ids],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_level_flows_have_no_fence_that_counts_tasks() {
        let machine = Machine::read();
        assert_eq!(fences(&machine, Model::Task), [Fence::Addresses]);
        assert_eq!(fences(&machine, Model::Thread).len(), 2);
    }
}
