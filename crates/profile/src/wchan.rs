//! What threads wait in, as `/proc` tells their own user: the name of a function of the kernel, read now and
//! then where call chains of the kernel may not be seen.

use std::collections::{BTreeSet, HashMap};

use measure::clock::now_ns;

use crate::capture::{Event, Kept, Recorded};
use measure::ring_record::Record;

/// Threads that are looked at in one turn.
const MOST: usize = 64;

#[derive(Debug)]
pub(crate) struct Looks {
    threads: BTreeSet<(i32, i32)>,
    names: HashMap<String, u32>,
    pub(crate) list: Vec<String>,
    /// Events that were taken note of.
    heard: usize,
    /// The last thread that was looked at.
    last: (i32, i32),
}

impl Looks {
    pub(crate) fn at(pid: i32) -> Self {
        Self {
            threads: BTreeSet::from([(pid, pid)]),
            names: HashMap::new(),
            list: Vec::new(),
            heard: 0,
            last: (0, 0),
        }
    }

    pub(crate) fn look(&mut self, into: &mut Recorded) {
        for event in &into.events[self.heard..] {
            self.hear(event);
        }
        let after = self.threads.range((
            std::ops::Bound::Excluded(self.last),
            std::ops::Bound::Unbounded,
        ));
        let before = self.threads.range(..=self.last);
        let turn: Vec<(i32, i32)> = after.chain(before).take(MOST).copied().collect();
        for thread in turn {
            self.last = thread;
            let (pid, tid) = thread;
            let ns = now_ns();
            match std::fs::read_to_string(format!("/proc/{pid}/task/{tid}/wchan")) {
                // It runs.
                Ok(name) if name.is_empty() || name == "0" => {}
                Ok(name) => {
                    let name = self.name(name);
                    into.push(ns, thread, Kept::Seen(name));
                }
                Err(_gone) => {
                    self.threads.remove(&thread);
                }
            }
        }
        self.heard = into.events.len();
    }

    fn hear(&mut self, event: &Event) {
        match &event.kept {
            Kept::Other(Record::Fork {
                child,
                child_thread,
            }) => {
                self.threads.insert((*child, *child_thread));
            }
            Kept::Other(Record::Exit) => {
                self.threads.remove(&(event.pid, event.tid));
            }
            _ => {}
        }
    }

    fn name(&mut self, name: String) -> u32 {
        let next = self.list.len() as u32;
        *self.names.entry(name).or_insert_with_key(|name| {
            self.list.push(name.clone());
            next
        })
    }
}
