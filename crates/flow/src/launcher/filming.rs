//! Records a slot for its film: hears of every switch, and looks what tasks then wait for.

use std::collections::BTreeMap;
use std::io;
use std::thread::sleep;
use std::time::{Duration, Instant};

use measure::Measured;
use measure::scheduling::{Change, Recorder};
use measure::waits::Seen;

use super::Onlooker;
use crate::Answer;
use crate::film::{Film, Heard};

/// Between two looks; the timer adds some 50 us.
const PAUSE: Duration = Duration::from_micros(30);
const LOOKS: usize = 40;
const MOST: usize = 200_000;

const REMEDY: &str = "sysctl kernel.perf_event_paranoid=2";

#[derive(Debug)]
pub(super) struct Filming {
    recorder: Result<Recorder, io::Error>,
    heard: Heard,
    /// Whose cause nobody has seen yet, with since when.
    waiting: BTreeMap<i32, u64>,
    next: Instant,
}

impl Filming {
    pub(super) fn new() -> Self {
        Self {
            recorder: Err(io::Error::other("the slot did not begin")),
            heard: Heard::default(),
            waiting: BTreeMap::new(),
            next: Instant::now(),
        }
    }

    fn hear(&mut self) {
        let Ok(recorder) = &mut self.recorder else {
            return;
        };
        let known = self.heard.moments.len();
        self.heard.lost += recorder.drain(&mut self.heard.moments);
        if self.heard.moments.len() > MOST {
            self.heard.lost += (self.heard.moments.len() - MOST) as u64;
            self.heard.moments.truncate(MOST);
        }
        for one in &self.heard.moments[known.min(MOST)..] {
            match one.change {
                Change::Waits => self.waiting.insert(one.tid, one.at_ns),
                _ => self.waiting.remove(&one.tid),
            };
        }
        let causes = &mut self.heard.causes;
        self.waiting.retain(|tid, since| match Seen::of(*tid) {
            Some(seen) => {
                causes.insert((*tid, *since), seen.state());
                false
            }
            None => true,
        });
    }

    pub(super) fn film(self, answer: &Answer) -> Measured<Film> {
        if let Err(error) = self.recorder {
            return Measured::not_available(
                format!("switches cannot be recorded: {error}"),
                REMEDY,
            );
        }
        let rep = answer.done().and_then(|record| record.reps.last());
        let film = rep.and_then(|rep| Film::of(self.heard, rep));
        Measured::of(film, "the recorded slot did not end as it should", "")
    }
}

impl Onlooker for Filming {
    fn slot_began(&mut self, group: i32) {
        self.recorder = Recorder::of(group);
    }

    fn next_look(&self) -> Option<Instant> {
        self.recorder.is_ok().then_some(self.next)
    }

    fn look(&mut self) {
        for _ in 0..LOOKS {
            self.hear();
            sleep(PAUSE);
        }
        self.next = Instant::now();
    }

    fn slot_ends(&mut self) {
        self.hear();
    }
}
