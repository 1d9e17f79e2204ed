//! A profiler beside a slot: gets its pid before it has its task, its timed spans afterwards.

use std::io;
use std::time::Duration;

use measure::Measured;
use profile::{ARGUMENT, Profile, ProfileSpec, READY, Spans, Task};

use super::Onlooker;
use super::beside::Beside;
use crate::Answer;
use crate::record::Rep;

const PATIENCE: Duration = Duration::from_secs(20);
const NAMING: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(super) struct Profiler {
    phases: [bool; 3],
    running: Result<Beside, Box<Measured<Profile>>>,
}

impl Profiler {
    pub(super) fn start(spec: &ProfileSpec) -> Self {
        Self {
            phases: spec.phases,
            running: start(spec).map_err(|error| Box::new(lost(error))),
        }
    }

    pub(super) fn profile(self, answer: &Answer) -> Measured<Profile> {
        let Some(record) = answer.done() else {
            return Measured::not_available("the slot failed", "");
        };
        let spans = record.reps.iter();
        let spans = spans.flat_map(|rep| spans_of(rep, self.phases)).collect();
        match self.running {
            Ok(running) => {
                let mut profile = told(running, &spans).unwrap_or_else(lost);
                let held = record.reps.iter().filter_map(|rep| rep.throttled.as_ref());
                if let Measured::Value(profile) = &mut profile {
                    profile.held_back(held.map(|held| held.ns).sum());
                }
                profile
            }
            Err(why) => *why,
        }
    }
}

impl Onlooker for Profiler {
    fn slot_began(&mut self, group: i32) {
        if let Ok(running) = &mut self.running
            && let Err(why) = open(running, group)
        {
            self.running = Err(why);
        }
    }

    /// The spans come with the slot's answer.
    fn slot_ends(&mut self) {}
}

fn lost(error: io::Error) -> Measured<Profile> {
    Measured::not_available(format!("the profiler was lost: {error}"), "")
}

fn start(spec: &ProfileSpec) -> io::Result<Beside> {
    let task = Task {
        spec: spec.clone(),
        parent: i32::try_from(std::process::id()).map_err(io::Error::other)?,
    };
    Beside::start(ARGUMENT, serde_json::to_vec(&task)?, READY, PATIENCE)
}

fn open(running: &mut Beside, group: i32) -> Result<(), Box<Measured<Profile>>> {
    let opened = running
        .tell(group.to_string().into_bytes())
        .and_then(|()| running.line(PATIENCE));
    let line = opened.map_err(|error| Box::new(lost(error)))?;
    match line == READY.as_bytes() {
        true => Ok(()),
        false => {
            let why = serde_json::from_slice(&line);
            Err(Box::new(why.unwrap_or_else(|_| {
                lost(io::Error::other("it ended at once"))
            })))
        }
    }
}

fn told(mut running: Beside, spans: &Spans) -> io::Result<Measured<Profile>> {
    running.tell(serde_json::to_vec(spans)?)?;
    running.close();
    Ok(serde_json::from_slice(&running.line(NAMING)?)?)
}

fn spans_of(rep: &Rep, phases: [bool; 3]) -> impl Iterator<Item = (u64, u64)> {
    let lengths = [rep.create_ns, rep.steady_ns, rep.teardown_ns];
    let began = rep.parent.began_ns.into_iter().zip(lengths).zip(phases);
    let counted = began.filter(|(_, counts)| *counts);
    counted.map(|((began, length), _)| (began, began + length))
}
