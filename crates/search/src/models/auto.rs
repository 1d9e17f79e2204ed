//! Choosing the model and the number of workers by a short probe: the search itself, begun by one
//! flow, so nothing is done twice. After some milliseconds the rest goes to the chosen flows.
//!
//! * Is there work left? Of files it is known how many, of folders only that they are there. So a
//!   pool begins with at most as many flows as folders and handfuls of files; one of threads makes
//!   more as folders turn out to hold folders (`models::thread_pool`).
//! * Did the flow wait for a disk (CPU time beside wall time, major faults, blocks read)? Then more
//!   flows than CPUs keep the disk busy.
//! * Threads or processes? With `read` they tie in the work, and threads are made in a third of the
//!   time. With `mmap` threads fight over one lock, and every `munmap` interrupts all their CPUs.
//! * Private tables of files save locks, for a call a thread; where denied, threads share one.

use std::cell::RefCell;

use measure::clock;
use measure::usage::ProcessUsage;

use crate::exchange::Exchange;
use crate::job::Task;
use crate::models::sequential::{self, ONE};
use crate::models::thread_pool::{self, Files, denied};
use crate::models::{Done, FlowSet, Size, capacity, of_model, within_capacity};
use crate::plan::{Io, Model};
use crate::usage::Reading;
use crate::worker::WORTH_SPLITTING;

/// Upper bound: some 200 files of a warm tree.
const PROBE_NS: u64 = 1_500_000;
/// Share of time off the CPU from which a flow waits for something.
const WAITS: f64 = 0.3;
const FLOW_NS: u64 = 50_000;

#[derive(Debug, Clone, Copy)]
struct Seen {
    files: u64,
    wall_ns: u64,
    usage: ProcessUsage,
}

struct Probe {
    until_ns: u64,
    left: RefCell<Vec<Task>>,
}

impl Exchange for Probe {
    fn hungry(&self) -> bool {
        clock::now_ns() >= self.until_ns
    }

    fn give(&self, task: Task) -> Result<(), Task> {
        let mut left = self.left.borrow_mut();
        let again = matches!(task, Task::Large) && left.iter().any(|task| task.is_large());
        if !again {
            left.push(task);
        }
        Ok(())
    }

    fn leaves(&self) -> bool {
        true
    }
}

pub(crate) fn run<'c>(
    set: &'c FlowSet<'c, '_>,
    asked: Option<std::num::NonZeroU32>,
    tasks: Vec<Task>,
) -> Done {
    if let Some(workers) = asked.map(std::num::NonZeroU32::get) {
        let (model, why) = rule(set.job.io, workers);
        let why = format!("{model}: {why}");
        return by_rule(set, model, Size::fixed(workers), tasks, why);
    }
    probe(set, tasks, |seen, left| {
        let (workers, why) = count(seen, capacity::cpus());
        let size = Size::of(pool(set.job.io).0, workers, &left, worth(seen));
        let (model, why_model) = rule(set.job.io, size.most);
        let why = format!("{why}{}; {model}: {why_model}", size.describe(workers));
        by_rule(set, model, size, left, why)
    })
}

pub(crate) fn run_as<'c>(set: &'c FlowSet<'c, '_>, model: Model, tasks: Vec<Task>) -> Done {
    probe(set, tasks, |seen, left| {
        let (workers, why) = count(seen, capacity::cpus());
        let size = Size::of(model, workers, &left, worth(seen));
        let why = format!("{why}{}", size.describe(workers));
        of_model(set, model, size, left).because(why)
    })
}

fn by_rule<'c>(
    set: &'c FlowSet<'c, '_>,
    model: Model,
    size: Size,
    tasks: Vec<Task>,
    why: String,
) -> Done {
    if model != Model::ThreadPrivateFiles {
        return of_model(set, model, size, tasks).because(why);
    }
    let size = within_capacity(set, model, size);
    if size.most == 0 {
        return sequential::run(set, tasks).refused().because(why);
    }
    let (done, errno) = thread_pool::run(set, size, tasks, Files::PrivateIfAllowed);
    match errno {
        None => done.by(model, size.most).because(why),
        Some(errno) => {
            let why = format!("{why}; but {}, so they share one", denied(errno));
            done.by(Model::ThreadPool, size.most).because(why)
        }
    }
}

fn probe(
    set: &FlowSet<'_, '_>,
    tasks: Vec<Task>,
    go_on: impl FnOnce(&Seen, Vec<Task>) -> Done,
) -> Done {
    let (started_ns, before) = (clock::now_ns(), Reading::now());
    let probe = Probe {
        until_ns: started_ns + PROBE_NS,
        left: RefCell::default(),
    };
    let mut worker = set.worker_alone();
    worker.own().extend(tasks.into_iter().rev());
    worker.run(&probe);
    let totals = worker.files.totals();
    drop(worker);
    let seen = Seen {
        files: totals.counts.files,
        wall_ns: clock::now_ns() - started_ns,
        usage: Reading::now().since(&before),
    };
    let took = describe(&seen);
    let left = probe.left.into_inner();
    if left.is_empty() {
        let why = format!("one flow did it all during the probe ({took}), before another is made");
        return Done::new(totals, ONE).by(Model::Sequential, 1).because(why);
    }
    let mut done = go_on(&seen, left);
    done.totals.add(totals);
    let why = format!("probe: {took}; {}", done.chosen.why);
    done.because(why)
}

/// `214 files in 1.5 ms by one flow`.
fn describe(seen: &Seen) -> String {
    let ms = seen.wall_ns as f64 / 1e6;
    let files = match seen.files {
        1 => "1 file".to_owned(),
        files => format!("{files} files"),
    };
    format!("{files} in {ms:.1} ms by one flow")
}

fn count(seen: &Seen, cpus: u32) -> (u32, String) {
    let off = 1.0 - seen.usage.flows.cpu_ns as f64 / seen.wall_ns.max(1) as f64;
    let read = seen.usage.flows.major_faults + seen.usage.disk_blocks > 0;
    let blocked = seen.usage.flows.voluntary_switches * 4 > seen.files.max(1);
    if off > WAITS && (read || blocked) {
        let enough = (f64::from(cpus) / (1.0 - off).max(0.01)).ceil() as u32;
        let workers = enough.clamp(2, capacity::auto_most(cpus));
        let share = 100.0 * off;
        let why = format!(
            "it waited for the disk {share:.0} % of the time, so {workers} workers for {cpus} CPUs"
        );
        return (workers, why);
    }
    let all = match cpus {
        1 => "the only CPU".to_owned(),
        _ => format!("each of the {cpus} CPUs"),
    };
    let why = format!("nothing waited for a disk, so a worker for {all}, since more gain nothing");
    (cpus, why)
}

fn worth(seen: &Seen) -> usize {
    let each_ns = seen.wall_ns / seen.files.max(1);
    let files = usize::try_from(FLOW_NS / each_ns.max(1)).unwrap_or(usize::MAX);
    files.clamp(1, WORTH_SPLITTING)
}

fn rule(io: Io, flows: u32) -> (Model, &'static str) {
    match flows {
        1 => (Model::Sequential, "one flow needs no other to be made"),
        _ => pool(io),
    }
}

fn pool(io: Io) -> (Model, &'static str) {
    match io {
        Io::Mmap => (
            Model::ProcessPool,
            "threads that map files fight over the lock of their one address space",
        ),
        Io::Read | Io::Uring => (
            Model::ThreadPrivateFiles,
            "threads are made faster than processes, and with tables of files of their own \
             they share no lock",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use measure::usage::Usage;

    fn seen(cpu_ns: u64, voluntary_switches: u64) -> Seen {
        Seen {
            files: 100,
            wall_ns: 1_000_000,
            usage: ProcessUsage {
                flows: Usage {
                    cpu_ns,
                    voluntary_switches,
                    ..Usage::default()
                },
                ..ProcessUsage::default()
            },
        }
    }

    #[test]
    fn a_warm_tree_gets_a_worker_for_each_cpu() {
        assert_eq!(count(&seen(990_000, 0), 8).0, 8);
        // Off the CPU, but not by its own doing: the machine is busy.
        assert_eq!(count(&seen(400_000, 3), 8).0, 8);
        assert_eq!(count(&seen(990_000, 0), 1).0, 1);
    }

    #[test]
    fn a_disk_that_is_waited_for_gets_more_workers() {
        assert_eq!(count(&seen(500_000, 90), 2).0, 4);
        assert_eq!(count(&seen(10_000, 90), 2).0, 8);
        assert_eq!(count(&seen(500_000, 90), 1).0, 2);
        assert!(count(&seen(10_000, 90), 2).1.contains("99 % of the time"));
    }

    #[test]
    fn the_longer_files_take_the_fewer_of_them_are_worth_a_flow() {
        let of = |files, wall_ns| {
            let seen = Seen {
                files,
                wall_ns,
                ..seen(0, 0)
            };
            worth(&seen)
        };
        assert_eq!(
            (of(200, 1_500_000), of(1_000, 1_500_000)),
            (6, WORTH_SPLITTING)
        );
        assert_eq!((of(1, 80_000_000), of(0, 2_000_000)), (1, 1));
    }

    #[test]
    fn mapping_goes_by_processes() {
        assert_eq!(pool(Io::Mmap).0, Model::ProcessPool);
        assert_eq!(pool(Io::Read).0, Model::ThreadPrivateFiles);
    }
}
