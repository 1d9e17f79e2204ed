use std::io;
use std::time::Duration;

use measure::Measured;

use super::Onlooker;
use super::beside::Beside;
use crate::sampler::{ARGUMENT, READY};
use crate::samples::{SampleSpec, Samples};
use crate::tied::Task;

const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(crate) struct Sampler {
    running: Option<Beside>,
    pub(super) samples: Measured<Samples>,
}

impl Sampler {
    pub(crate) fn start(spec: &SampleSpec) -> Self {
        let (running, error) = match start(spec) {
            Ok(running) => (Some(running), String::new()),
            Err(error) => (None, format!("no sampler could be started: {error}")),
        };
        Self {
            running,
            samples: Measured::not_available(error, ""),
        }
    }
}

impl Onlooker for Sampler {
    fn slot_began(&mut self, group: i32) {
        if let Some(running) = &mut self.running {
            // A dead sampler is reported at the end.
            let _has_died = running.tell(group.to_string().into_bytes());
        }
    }

    fn slot_ends(&mut self) {
        if let Some(running) = self.running.take() {
            let lost =
                |error| Measured::not_available(format!("the sampler was lost: {error}"), "");
            self.samples = samples(running).unwrap_or_else(lost);
        }
    }
}

fn start(spec: &SampleSpec) -> io::Result<Beside> {
    Beside::start(ARGUMENT, Task::line(spec)?, READY, PATIENCE).map_err(why_not)
}

fn samples(mut running: Beside) -> io::Result<Measured<Samples>> {
    running.close();
    Ok(serde_json::from_slice(&running.line(PATIENCE)?)?)
}

fn why_not(error: io::Error) -> io::Error {
    match serde_json::from_str::<Measured<Samples>>(&error.to_string()) {
        Ok(Measured::NotAvailable { reason, .. }) => io::Error::other(reason),
        _ => error,
    }
}
