//! Whether ranks are what was asked for: a world of the right size, each rank on its CPUs, as
//! launchers go wrong in silence (docs/hybrid.md, "A slot"). Every rank tells every other where it
//! may run, and all come to the same judgement.

use nix::sched::{CpuSet, sched_getaffinity};
use nix::unistd::Pid;

use crate::launcher::joined;
use crate::task::Task;

pub(crate) fn own_cpus() -> Result<Vec<u32>, String> {
    let set = sched_getaffinity(Pid::from_raw(0))
        .map_err(|errno| format!("cannot tell which CPUs this rank may use: {errno}"))?;
    let cpus = (0..CpuSet::count()).zip(0..);
    let own = cpus.filter(|(place, _)| set.is_set(*place).unwrap_or(false));
    Ok(own.map(|(_, cpu)| cpu).collect())
}

pub(crate) fn wrong_size(task: &Task, size: u32, library: &str) -> Option<String> {
    (size != task.ranks).then(|| {
        let why = match size {
            1 => format!(
                ": the launcher is of another MPI than the library that was loaded ({library}), or starts no MPI \
                 at all; use the mpirun and the mpicc of one MPI"
            ),
            _ => ": the launcher started another number of ranks".to_owned(),
        };
        format!("wrong world: it has {size} of {} ranks{why}", task.ranks)
    })
}

/// `all`: the CPUs that each rank may use, in their order.
pub(crate) fn wrong_cpus(task: &Task, all: &[Vec<u32>]) -> Option<String> {
    let wrong = all.iter().zip(0..).filter_map(|(found, rank)| {
        let mut asked = task.cpus_of(rank).to_vec();
        asked.sort_unstable();
        (*found != asked).then(|| {
            format!(
                "rank {rank} may use {}, not {}",
                listed(found),
                listed(&asked)
            )
        })
    });
    let wrong: Vec<String> = wrong.collect();
    (!wrong.is_empty()).then(|| {
        format!(
            "wrong binding: {}; the launcher did not keep to the CPUs that it was given",
            wrong.join(", ")
        )
    })
}

/// Each node has its ranks, and no other node them. `machines`: that of each rank.
pub(crate) fn wrong_nodes(task: &Task, machines: &[u64]) -> Option<String> {
    let node = |rank: usize| task.node_of(u32::try_from(rank).unwrap_or(u32::MAX));
    let name = |rank: usize| {
        let names = task.over.as_ref().map(|over| &over.nodes);
        let name = names.and_then(|names| names.get(node(rank) as usize));
        name.map_or("?", String::as_str)
    };
    let pairs = (0..machines.len()).flat_map(|one| (0..one).map(move |other| (other, one)));
    let mut wrong = pairs
        .filter(|&(one, other)| (node(one) == node(other)) != (machines[one] == machines[other]));
    let (one, other) = wrong.next()?;
    let is = if machines[one] == machines[other] {
        "one node"
    } else {
        "different nodes"
    };
    Some(format!(
        "wrong nodes: ranks {one} and {other} are on {is}, and were put on {} and {}; the launcher dealt them \
         out otherwise",
        name(one),
        name(other)
    ))
}

fn listed(cpus: &[u32]) -> String {
    match cpus {
        [] => "no CPU".to_owned(),
        [cpu] => format!("CPU {cpu}"),
        _ => format!("CPUs {}", joined(cpus, ",")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_on_their_cpus_are_right_in_whatever_order_these_are() {
        let task = Task::of_grid(2, 2, &[3, 1, 200, 0]);
        assert_eq!(wrong_cpus(&task, &[vec![1, 3], vec![0, 200]]), None);
    }

    #[test]
    fn four_threads_on_one_core_are_refused() {
        let four = Task::of_grid(1, 4, &[0, 1, 2, 3]);
        let said = wrong_cpus(&four, &[vec![0]]).unwrap();
        assert!(
            said.contains("rank 0 may use CPU 0, not CPUs 0,1,2,3"),
            "{said}"
        );
    }

    #[test]
    fn ranks_that_are_not_bound_or_are_exchanged_are_refused() {
        let two = Task::of_grid(2, 1, &[0, 1]);
        let said = wrong_cpus(&two, &[vec![0, 1], vec![0, 1]]).unwrap();
        assert!(
            said.contains("rank 0 may") && said.contains("rank 1 may"),
            "{said}"
        );
        assert!(wrong_cpus(&two, &[vec![1], vec![0]]).is_some());
        let said = wrong_cpus(&two, &[vec![], vec![1]]).unwrap();
        assert!(said.contains("no CPU"), "{said}");
    }

    #[test]
    fn ranks_that_are_dealt_to_other_nodes_are_refused() {
        let four = Task::of_grid(4, 1, &[0, 1, 0, 1]).on(&["a", "b"]);
        assert_eq!(wrong_nodes(&four, &[7, 7, 8, 8]), None);
        let said = wrong_nodes(&four, &[7, 8, 7, 8]).unwrap();
        assert!(
            said.contains("ranks 0 and 1 are on different nodes, and were put on a and a"),
            "{said}"
        );
        let said = wrong_nodes(&four, &[7; 4]).unwrap();
        assert!(
            said.contains("ranks 0 and 2 are on one node, and were put on a and b"),
            "{said}"
        );
    }

    #[test]
    fn a_world_of_one_says_that_two_mpis_were_mixed() {
        let two = Task::of_grid(2, 1, &[0, 1]);
        assert_eq!(wrong_size(&two, 2, "x"), None);
        let said = wrong_size(&two, 1, "MPICH 4").unwrap();
        assert!(
            said.contains("1 of 2 ranks") && said.contains("MPICH 4"),
            "{said}"
        );
        assert!(wrong_size(&two, 3, "x").unwrap().contains("another number"));
    }
}
