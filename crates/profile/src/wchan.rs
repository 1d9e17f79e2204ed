//! What threads wait in, as `/proc` tells their own user, where call chains of the kernel may not be seen.

use std::collections::BTreeSet;

use measure::clock::now_ns;
use measure::ring_record::Record;
use measure::waits::Seen;

use crate::capture::{Event, Kept, Recorded};
use crate::value::{OF_KERNEL, SYSTEM_CALL};

const MOST: usize = 64;

#[derive(Debug)]
pub(crate) struct Looks {
    threads: BTreeSet<(i32, i32)>,
    /// Each once.
    pub(crate) list: Vec<Vec<String>>,
    heard: usize,
    last: (i32, i32),
}

impl Looks {
    pub(crate) fn at(pid: i32) -> Self {
        Self {
            threads: BTreeSet::from([(pid, pid)]),
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
            let (_, tid) = thread;
            let ns = now_ns();
            if let Some(seen) = Seen::of(tid) {
                let place = self.place(frames(&seen));
                into.push(ns, thread, Kept::Seen(place));
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

    fn place(&mut self, frames: Vec<String>) -> u32 {
        let known = self.list.iter().position(|known| *known == frames);
        known.unwrap_or_else(|| {
            self.list.push(frames);
            self.list.len() - 1
        }) as u32
    }
}

/// As a call chain would have them.
fn frames(seen: &Seen) -> Vec<String> {
    let call = seen.call().map(|call| format!("{call}{SYSTEM_CALL}"));
    let function = seen.function.as_ref();
    let function = function.map(|name| format!("{name}{OF_KERNEL}"));
    call.into_iter().chain(function).collect()
}
