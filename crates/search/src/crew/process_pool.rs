//! Some forked processes share the work.

use std::cell::Cell;

use measure::clock;
use nix::poll::PollTimeout;

use crate::crew::children::Children;
use crate::crew::packets::Packets;
use crate::crew::sequential;
use crate::crew::thread_pool::tell_held;
use crate::crew::{Crew, Done, Totals};
use crate::job::Task;
use crate::report::Flows;
use crate::worker::Worker;

/// How often the parent looks whether the others are done, once a process has died.
const LOOK_MS: u16 = 20;

pub(crate) fn run(crew: &Crew<'_, '_>, workers: u32, tasks: Vec<Task>) -> Done {
    let packets = match Packets::new(crew.area) {
        Ok(packets) => packets,
        Err(error) => {
            tell_held(crew, 0, workers as usize, "sockets", &error);
            return sequential::run(crew, tasks);
        }
    };
    let started_ns = clock::now_ns();
    packets.begin();
    // The first process begins with all of it; it stays here until that process is made.
    let tasks = Cell::new(tasks);
    let mut children = Children::new(crew);
    let mut held_at = None;
    for _ in 0..workers {
        let is_first = children.made == 0;
        let made = children.make(|files, slot| {
            let mut worker = Worker::new(crew.job, files);
            let seat = match is_first {
                true => packets.first_seat(slot),
                false => packets.seat(slot),
            };
            worker.own().extend(tasks.take().into_iter().rev());
            worker.run(&seat);
            Totals::of(worker.totals())
        });
        if let Err(error) = made {
            held_at = Some(children.made);
            tell_held(crew, children.live(), workers as usize, "processes", &error);
            break;
        }
        if is_first {
            tasks.set(Vec::new());
        }
    }
    let create_ns = clock::now_ns() - started_ns;
    if children.made == 0 {
        return sequential::run(crew, tasks.take());
    }
    attend(&mut children, &packets);
    let flows = Flows {
        made: children.made,
        most: children.most,
        held_at,
    };
    let tear_down_ns = clock::now_ns().saturating_sub(children.last_ns);
    Done::new(children.totals, flows).taking(create_ns, tear_down_ns)
}

/// Takes results until all processes have ended.
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
