//! What ranks used and hold, as they say it themselves: no process above `srun` can see its ranks,
//! children of a daemon of Slurm. Each says what it used since it began, and rank 0 what all hold,
//! while each has its state of the last repetition and waits.

use measure::memory::Sampler;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};
use program::report::Elsewhere;

use crate::world::World;

/// Unit of the kernel's RSS.
const KIB: u64 = 1024;

/// Known to rank 0. Every rank calls this.
pub(crate) fn of_all(world: &mut World) -> Elsewhere {
    let own = getrusage(UsageWho::RUSAGE_SELF);
    let own = own.unwrap_or_else(|errno| panic!("getrusage(RUSAGE_SELF) failed: {errno}"));
    let words = [
        u64::from(std::process::id()),
        ns(own.user_time()),
        ns(own.system_time()),
        KIB * own.max_rss().unsigned_abs(),
    ];
    let each = words.len();
    let all = world.gather(&words);
    let column = |at: usize| all.iter().skip(at).step_by(each).copied();
    let pids: Vec<i32> = column(0).filter_map(|pid| pid.try_into().ok()).collect();
    let first = world.rank == 0;
    let memory = first.then(|| Sampler::new().of(&pids).ok()).flatten();
    // No rank may end before rank 0 has looked.
    world.barrier();
    Elsewhere {
        user_ns: column(1).sum(),
        system_ns: column(2).sum(),
        most_rss: column(3).max().unwrap_or(0),
        memory,
    }
}

fn ns(time: TimeVal) -> u64 {
    time.num_nanoseconds().unsigned_abs()
}
