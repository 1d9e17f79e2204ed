//! What ranks used and hold, as they say it themselves: no process above `srun` can see its ranks,
//! nor any process those of another node. Each says what it used since it began, and the first rank
//! of each node what all of that node hold, while each has its state of the last repetition.

use measure::memory::{Memory, Sampler};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};
use program::report::Elsewhere;

use crate::nodes::this_machine;
use crate::task::Task;
use crate::world::World;

const KIB: u64 = 1024;

/// Known to rank 0. Every rank calls this.
pub(crate) fn of_all(world: &mut World, task: &Task) -> Elsewhere {
    let own = getrusage(UsageWho::RUSAGE_SELF);
    let own = own.unwrap_or_else(|errno| panic!("getrusage(RUSAGE_SELF) failed: {errno}"));
    let counted = task.over.as_ref().and_then(|over| over.counted);
    // Its launcher has waited for it, so it is in that one's usage.
    let is_counted = counted.is_some() && counted == this_machine().ok();
    let used = |time| if is_counted { 0 } else { ns(time) };
    let pids = world.gather_values(&std::process::id().cast_signed());
    let most_rss = KIB * own.max_rss().unsigned_abs();
    let all = world.gather_values(&[used(own.user_time()), used(own.system_time()), most_rss]);
    let column = |at: usize| all.iter().map(move |rank| rank[at]);
    let held = held(world, task, &pids);
    // No rank may end before its node was looked at, which a gathering is.
    let each = world.gather_values(&held).into_iter();
    let nodes = each.step_by(task.ranks_each().max(1) as usize);
    let nodes: Option<Vec<Memory>> = nodes.collect();
    Elsewhere {
        user_ns: column(0).sum(),
        system_ns: column(1).sum(),
        most_rss: column(2).max().unwrap_or(0),
        memory: nodes.and_then(|nodes| nodes.into_iter().reduce(|all, one| all + one)),
    }
}

/// Of the first rank of a node; `None` of all others, and where the kernel does not tell it.
fn held(world: &World, task: &Task, pids: &[i32]) -> Option<Memory> {
    let each = task.ranks_each().max(1);
    if !world.rank.is_multiple_of(each) {
        return None;
    }
    let mut nodes = pids.chunks(each as usize);
    let own = nodes.nth((world.rank / each) as usize)?;
    let held = Sampler::new().of(own).ok()?;
    Some(Memory {
        slab: None,
        first_rss: None,
        ..held
    })
}

fn ns(time: TimeVal) -> u64 {
    time.num_nanoseconds().unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{padded, value};

    #[test]
    fn what_a_node_holds_comes_to_rank_0_as_it_was_and_nodes_add_up() {
        let own = i32::try_from(std::process::id()).unwrap();
        let memory = Sampler::new().of(&[own]).unwrap();
        let text = serde_json::to_string(&Some(memory)).unwrap();
        let came: Option<Memory> = value(&padded(&text, 100));
        let came = came.unwrap();
        assert_eq!(
            (came.total(), came.peak_rss),
            (memory.total(), memory.peak_rss)
        );
        assert_eq!((came + came).processes, 2);
        assert_eq!(value::<Option<Memory>>(&padded("null", 1)), None);
    }
}
