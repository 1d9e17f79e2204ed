use std::cell::Cell;
use std::io;

use measure::clock;
use nix::poll::PollTimeout;

use crate::job::Task;
use crate::models::children::Children;
use crate::models::packets::Packets;
use crate::models::{Done, FlowSet, refused, sequential};
use crate::worker::Worker;

/// After a process died.
const LOOK_MS: u16 = 20;

pub(crate) fn run<'c>(set: &'c FlowSet<'c, '_>, workers: u32, tasks: Vec<Task>) -> Done {
    let packets = match Packets::new(set.shared) {
        Ok(packets) => packets,
        Err(error) => return alone(set, workers, tasks, ("sockets", &error)),
    };
    let started_ns = clock::now_ns();
    packets.begin();
    // The first process takes it all when it is made.
    let tasks = Cell::new(tasks);
    let mut children = Children::new(set);
    let refusal = make(&mut children, &packets, workers, &tasks);
    let create_ns = clock::now_ns() - started_ns;
    if let Some(error) = &refusal {
        if children.census.flows.made == 0 {
            drop(packets);
            return alone(set, workers, tasks.take(), ("processes", error));
        }
        refused::tell_pool(set, children.live(), workers as usize, "processes", error);
    }
    attend(&mut children, &packets);
    let mut census = children.census;
    census.flows.held_at = refusal.is_some().then_some(census.flows.made);
    census.flows.refused = refusal.is_some();
    census.done(create_ns)
}

fn make(
    children: &mut Children<'_, '_>,
    packets: &Packets<'_>,
    workers: u32,
    tasks: &Cell<Vec<Task>>,
) -> Option<io::Error> {
    for _ in 0..workers {
        if let Err(error) = children.leaves_room() {
            return Some(error);
        }
        let is_first = children.census.flows.made == 0;
        let made = children.make(|files, slot| {
            let mut worker = Worker::new(files.job(), files);
            let seat = match is_first {
                true => packets.first_seat(slot),
                false => packets.seat(slot),
            };
            worker.own().extend(tasks.take().into_iter().rev());
            worker.run(&seat);
            worker.files.totals()
        });
        if let Err(error) = made {
            return Some(error);
        }
        if is_first {
            tasks.set(Vec::new());
        }
    }
    None
}

fn alone(
    set: &FlowSet<'_, '_>,
    workers: u32,
    tasks: Vec<Task>,
    (what, error): (&str, &io::Error),
) -> Done {
    refused::tell_pool(set, 0, workers as usize, what, error);
    sequential::run(set, tasks).refused()
}

fn attend(children: &mut Children<'_, '_>, packets: &Packets<'_>) {
    let mut seemed_over = false;
    while children.live() > 0 {
        let patience = match children.died {
            0 => PollTimeout::NONE,
            _ => PollTimeout::from(LOOK_MS),
        };
        children.listen(patience);
        if children.died > 0 {
            let over = packets.is_over(children.slots());
            if over && seemed_over {
                packets.end();
            }
            seemed_over = over;
        }
    }
}
