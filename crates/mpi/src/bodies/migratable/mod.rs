//! Units of uneven work as flows that move to a rank that has nothing to do (docs/hybrid.md).
//! ```text
//!  rank 0 │ step of flow 0 │ 1 │ 2 │ … nothing left: "I want 16" ─────────┐  │ step of flow 32 │ 33 │ …
//!  rank 1 │ step of flow 32 │ 33 │ 34 │ …  each looks at the board: moves ┘  │ step of flow 48 │ …
//! ```
//! A flow that is done comes home, so that the next repetition has its place; only moves to work are counted. What
//! ranks know of each other is on the [`Board`], at one address in all. Between steps a rank communicates; from when it
//! has nothing until a flow has come it waits. Sources: G. Zheng, O. Lawlor, L. Kale, "Multiple Flows of Control in
//! Migratable Parallel Programs", 2006; `flow::migration::balance` (work stealing).

mod board;
mod flows;

use std::cell::RefCell;

use fiber::movable::{MovableHandle, Region};
use fiber::{Config, Scheduler, SpawnError};
use flow::Proof;
use program::report::Report;
use workload::{Primes, Workload};

use super::Exchange;
use super::units::share;
use crate::rank::repetitions;
use crate::region;
use crate::task::Task;
use crate::team::{Member, Team};
use board::Board;
use flows::Flow;

/// Many times what its frames need.
const STACK: usize = 64 << 10;

struct Group {
    scheduler: Scheduler,
    region: Region,
}

thread_local! {
    /// Of a rank's only thread, reused by all repetitions.
    static GROUP: RefCell<Option<Group>> = const { RefCell::new(None) };
}

pub(super) fn run(task: &Task, team: &Team, work: &Primes) -> Result<Report, String> {
    GROUP.set(Some(Group::begin(team, work)?));
    let report = repetitions(task, team, &Migratable(work));
    GROUP.set(None);
    report
}

impl Group {
    fn begin(team: &Team, work: &Primes) -> Result<Self, String> {
        let mut world = team.world();
        let units = work.units().div_ceil(team.ranks.into());
        let capacity = usize::try_from(units + 1).map_err(|error| error.to_string())?;
        // SAFETY: a flow calls a few functions with frames of some 100 bytes, borrows no thread-local, and has ended
        // when `run` drops the scheduler.
        let config = unsafe { Config::movable(STACK) };
        let config = config.capacity(capacity).common(Board::words(team.ranks));
        let region = region::of_all(&mut world, config)?;
        let scheduler = region.join(team.rank as usize);
        let scheduler = scheduler.map_err(|error| error.to_string());
        let scheduler = region::all_agree(&mut world, scheduler)?;
        Ok(Self { scheduler, region })
    }

    fn board(&self) -> Board {
        Board::over(self.region.common())
    }
}

fn with_group<R>(act: impl FnOnce(&Group) -> R) -> R {
    GROUP.with_borrow(|group| match group {
        Some(group) => act(group),
        None => panic!("flows that move have no region"),
    })
}

struct Migratable<'w>(&'w Primes);

impl Exchange for Migratable<'_> {
    type State = ();

    fn units(&self) -> u64 {
        self.0.units()
    }

    fn state(&self, member: &Member<'_>) {
        let Self(work) = *self;
        with_group(|group| {
            let (board, own) = (group.board(), share(self.units(), member));
            board.begin(member.team.rank, own.end - own.start);
            for unit in own {
                let work = work.clone();
                let flow = Flow { work, unit, board };
                made(group.scheduler.spawn_movable(flow, flows::works));
            }
            let all = (board, self.units());
            made(group.scheduler.spawn_movable(all, flows::asks));
        });
    }

    fn run(&self, (): &mut (), member: &Member<'_>) -> Proof {
        with_group(|group| {
            group.scheduler.run();
            let board = group.board();
            let own = board.rank(member.team.rank as usize);
            member.note(
                own.compute_ns.get(),
                own.communication_ns.get(),
                own.moves.get(),
            );
            Proof {
                count: own.found.get(),
                checksum: own.checksum.get(),
            }
        })
    }
}

/// A flow that cannot be made ends the rank, and with it all others.
fn made(flow: Result<MovableHandle<()>, SpawnError>) {
    if let Err(error) = flow {
        panic!("a flow that moves cannot be made: {error}");
    }
}
