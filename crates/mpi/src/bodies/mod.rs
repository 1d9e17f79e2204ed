//! What ranks and threads do. Each body is written once for R ranks of T threads. Flows of one rank
//! share memory, ranks send messages. Whatever the split, the work and its proof are the same.

mod all_reduce;
mod bandwidth;
mod halo;
mod migratable;
mod ping_pong;
mod searching;
mod units;

use std::ops::Range;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use flow::Proof;
use program::report::Report;
use workload::Work;

use crate::rank::repetitions;
use crate::task::{Body, Task};
use crate::team::{Member, Team};
use units::{Counters, HandOut, Units};

/// What flows of all ranks do together in a repetition.
pub(crate) trait Exchange: Sync {
    type State;

    fn units(&self) -> u64;

    fn state(&self, member: &Member<'_>) -> Self::State;

    fn run(&self, state: &mut Self::State, member: &Member<'_>) -> Proof;

    /// In no phase; panics where something does not hold.
    fn settle(&self, _state: &mut Self::State, proof: Proof) -> Proof {
        proof
    }
}

/// What threads of a rank share: a panic in one of them ends the rank, so nothing is half written.
type Shared<T> = RwLock<Vec<T>>;

fn written<T>(shared: &Shared<T>) -> RwLockWriteGuard<'_, Vec<T>> {
    shared.write().unwrap_or_else(PoisonError::into_inner)
}

fn seen<T>(shared: &Shared<T>) -> RwLockReadGuard<'_, Vec<T>> {
    shared.read().unwrap_or_else(PoisonError::into_inner)
}

/// Of some things that follow each other, those of a place among several.
fn part(all: usize, places: u32, place: u32) -> Range<usize> {
    let first = |place: u32| all * place as usize / places as usize;
    first(place)..first(place + 1)
}

pub(crate) fn run(task: &Task, team: &Team) -> Result<Report, String> {
    let counters = || Counters::new(task.threads);
    match &task.body {
        Body::Units(work) => of_work(task, team, work, HandOut::Dealt),
        Body::Static(work) => of_work(task, team, work, HandOut::Static),
        Body::Migratable(work) => match &**work {
            Work::Primes(primes) => migratable::run(task, team, primes),
            _ => Err("flows that move between ranks look for primes: use this work".to_owned()),
        },
        Body::Farm(work) => of_work(task, team, work, HandOut::Taken(counters())),
        Body::Stolen(work) => of_work(task, team, work, HandOut::Stolen(counters())),
        Body::PingPong { bytes, rounds } => {
            repetitions(task, team, &ping_pong::PingPong::new(*bytes, *rounds))
        }
        Body::Bandwidth {
            bytes,
            window,
            windows,
        } => {
            let bandwidth = bandwidth::Bandwidth::new(*bytes, *window, *windows);
            repetitions(task, team, &bandwidth)
        }
        Body::Halo { side, steps } => {
            let halo = halo::Halo::new(*side, *steps, team);
            repetitions(task, team, &halo)
        }
        Body::AllReduce { bytes, rounds } => {
            let reduce = all_reduce::AllReduce::new(*bytes, *rounds, team);
            repetitions(task, team, &reduce)
        }
    }
}

fn of_work(task: &Task, team: &Team, work: &Work, hand_out: HandOut) -> Result<Report, String> {
    match work {
        Work::Primes(body) => repetitions(task, team, &Units { body, hand_out }),
        Work::Numeric(body) => repetitions(task, team, &Units { body, hand_out }),
        Work::Warehouse(body) => repetitions(task, team, &Units { body, hand_out }),
        Work::Spin(body) => repetitions(task, team, &Units { body, hand_out }),
        Work::Search(work) => {
            let search = searching::Search::new(work, hand_out)?;
            repetitions(task, team, &search)
        }
        _ => {
            Err("ranks do primes, numeric, warehouse, search and spin: use one of these".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_all_once_and_none_is_empty_where_there_are_enough() {
        for (all, places) in [(1, 4), (4, 4), (10, 3), (64, 8), (1_000, 7)] {
            let parts: Vec<_> = (0..places).map(|place| part(all, places, place)).collect();
            let every = parts.iter().cloned().flatten();
            assert_eq!(every.collect::<Vec<_>>(), (0..all).collect::<Vec<_>>());
            assert!(all < places as usize || parts.iter().all(|part| !part.is_empty()));
        }
    }
}
