//! Waits that only the end of the program ended. A thread of a pool that has nothing to do would stand first wherever a
//! program takes longer. Such a wait is the last one of a thread that hardly runs any more before it ends, and is left
//! out. A program's first thread is never idle. A thread that gets small pieces of work now and then waits for these
//! most of its life: its waits for other threads count only while none of them runs.

use std::collections::{HashMap, HashSet};

use measure::ring_record::Record;

use crate::capture::{Event, Kept};

/// What a thread may run between such a wait and its end, in ns.
const LAST_RUN: u64 = 200_000;
/// Of its life, in parts: a thread that ran for less waits for work.
const HELPS: u64 = 20;

#[derive(Default)]
struct Last {
    wait: Option<u64>,
    runs_since: Option<u64>,
    ran: u64,
    began: Option<u64>,
    ran_before: u64,
}

impl Last {
    fn stops(&mut self, ns: u64, counted: &impl Fn(u64, u64) -> u64) {
        let since = self.runs_since.take();
        self.ran += since.map_or(0, |since| counted(since, ns));
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Idle {
    /// Waits that only the end ended: the thread and the beginning.
    pub(crate) waits: HashSet<(i32, u64)>,
    pub(crate) helpers: HashSet<i32>,
}

/// `counted` is how much of a stretch of time switches were recorded in.
pub(crate) fn idle(events: &[Event], counted: impl Fn(u64, u64) -> u64) -> Idle {
    let mut all: HashMap<i32, Last> = HashMap::new();
    let mut idle = Idle::default();
    for Event { ns, pid, tid, kept } in events {
        let Kept::Other(record) = kept else {
            continue;
        };
        let last = all.entry(*tid).or_default();
        match record {
            Record::In => {
                last.runs_since = Some(*ns);
                last.began = last.began.or(Some(*ns));
            }
            Record::Out { preempted: true } => last.stops(*ns, &counted),
            Record::Out { preempted: false } => {
                last.stops(*ns, &counted);
                *last = Last {
                    wait: Some(*ns),
                    began: last.began,
                    ran_before: last.ran_before + last.ran,
                    ..Last::default()
                }
            }
            Record::Exit => {
                last.stops(*ns, &counted);
                let wait = last.wait.filter(|_| last.ran < LAST_RUN && pid != tid);
                idle.waits.extend(wait.map(|since| (*tid, since)));
                let life = counted(last.began.unwrap_or(*ns), *ns);
                if pid != tid && HELPS * (last.ran_before + last.ran) < life {
                    idle.helpers.insert(*tid);
                }
                all.remove(tid);
            }
            _ => {}
        }
    }
    idle
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pid: i32, last_run: u64) -> Idle {
        let records = [
            (0, Record::In),
            (10, Record::Out { preempted: false }),
            (20, Record::In),
            (30, Record::Out { preempted: false }),
            (900, Record::In),
            (910, Record::Out { preempted: true }),
            (5_000_000, Record::In),
            (5_000_000 + last_run, Record::Exit),
        ];
        let events = records.map(|(ns, record)| Event::of(ns, (pid, 7), record));
        idle(&events, |from, to| to - from)
    }

    #[test]
    fn the_last_wait_of_a_thread_that_only_ends_is_no_work() {
        assert_eq!(found(1, 1_000).waits, HashSet::from([(7, 30)]));
        let worked = found(1, 1_000_000);
        assert_eq!(worked, Idle::default(), "it worked after that wait");
        assert_eq!(found(7, 1_000), Idle::default(), "it is the program itself");
    }

    #[test]
    fn a_thread_that_hardly_runs_is_a_helper() {
        assert_eq!(found(1, 1_000).helpers, HashSet::from([7]));
    }
}
