//! What ranks and threads do. Each body is written once for R ranks of T threads. Flows of one rank
//! share memory, ranks send messages. Whatever the split, the work and its proof are the same.

mod all_reduce;
mod bandwidth;
mod exchange;
mod halo;
mod migratable;
mod ping_pong;
mod searching;
mod units;

use program::report::Report;
use workload::Work;

use crate::rank::repetitions;
use crate::task::{Body, Task};
use crate::team::Team;
use units::{Counters, HandOut, Units};

pub(crate) use exchange::Exchange;

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
