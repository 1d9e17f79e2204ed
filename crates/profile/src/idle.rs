//! Waits that only the end of the program ended.
//!
//! A thread of a pool that has nothing to do waits for as long as the program runs, and would stand first
//! wherever a program takes longer. Such a wait is the last one of a thread that hardly runs any more
//! before it ends. It is no time of the work, and is left out. A program's first thread is never idle.

use std::collections::{HashMap, HashSet};

use measure::ring_record::Record;

use crate::capture::{Event, Kept};

/// What a thread may run between such a wait and its end, in ns.
const LAST_RUN: u64 = 200_000;

#[derive(Default)]
struct Last {
    wait: Option<u64>,
    runs_since: Option<u64>,
    ran: u64,
}

impl Last {
    fn stops(&mut self, ns: u64) {
        self.ran += self.runs_since.take().map_or(0, |since| ns - since);
    }
}

/// The threads and beginnings of these waits, of events in the order of time.
pub(crate) fn idle(events: &[Event]) -> HashSet<(i32, u64)> {
    let mut all: HashMap<i32, Last> = HashMap::new();
    let mut idle = HashSet::new();
    for Event { ns, pid, tid, kept } in events {
        let Kept::Other(record) = kept else {
            continue;
        };
        let last = all.entry(*tid).or_default();
        match record {
            Record::In => last.runs_since = Some(*ns),
            Record::Out { preempted: true } => last.stops(*ns),
            Record::Out { preempted: false } => {
                *last = Last {
                    wait: Some(*ns),
                    ..Last::default()
                }
            }
            Record::Exit => {
                last.stops(*ns);
                let wait = last.wait.filter(|_| last.ran < LAST_RUN && pid != tid);
                idle.extend(wait.map(|since| (*tid, since)));
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

    fn found(pid: i32, last_run: u64) -> HashSet<(i32, u64)> {
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
        let events = records.map(|(ns, record)| Event {
            ns,
            pid,
            tid: 7,
            kept: Kept::Other(record),
        });
        idle(&events)
    }

    #[test]
    fn the_last_wait_of_a_thread_that_only_ends_is_no_work() {
        assert_eq!(found(1, 1_000), HashSet::from([(7, 30)]));
        assert!(found(1, 1_000_000).is_empty(), "it worked after that wait");
        assert!(found(7, 1_000).is_empty(), "it is the program itself");
    }
}
