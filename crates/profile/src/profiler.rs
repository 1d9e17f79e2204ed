//! A profiler's life: see the theory at the head of this crate.

use std::io::{self, BufRead, Write};
use std::os::fd::AsFd;
use std::process::exit;
use std::time::{Duration, SystemTime};

use measure::Measured;
use measure::clock::process_cpu_ns;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::Signal;
use nix::unistd::getppid;

use crate::capture::{Capture, Recorded};
use crate::files::Files;
use crate::process::Processes;
use crate::replay::{Material, replay};
use crate::stops::Stops;
use crate::symbols::Symbols;
use crate::value::{Profile, ProfileSpec, Spans, Task};
use crate::wchan::Looks;

/// The first argument of a profiler.
pub const ARGUMENT: &str = "__profiler";
/// What it says before the slot process starts, and when the events of that are open.
pub const READY: &str = "ready";

/// Between two emptyings of the rings.
const TURN_MS: u16 = 10;
/// The same where processes are stopped for what they show.
const STOP_MS: u16 = 2;
/// Between two looks at what threads wait in.
const LOOK_MS: u16 = 5;

/// Whether this process is a profiler.
#[must_use]
pub fn is_profiler() -> bool {
    std::env::args_os()
        .nth(1)
        .is_some_and(|argument| argument == ARGUMENT)
}

/// The whole life of a profiler.
pub fn profiler_main() -> ! {
    let tied = nix::sys::prctl::set_pdeathsig(Signal::SIGKILL);
    let answer = match tied.map_err(io::Error::from).and_then(|()| live()) {
        Ok(Some(answer)) => answer,
        Ok(None) => exit(0),
        Err(error) => Measured::not_available(format!("the profiler: {error}"), ""),
    };
    let said = serde_json::to_vec(&answer)
        .map_err(io::Error::other)
        .and_then(|line| say(&line));
    exit(i32::from(said.is_err()))
}

/// `None` when the main process is gone or wants nothing more.
fn live() -> io::Result<Option<Measured<Profile>>> {
    let mut lines = io::stdin().lock().lines();
    let Some(line) = lines.next().transpose()? else {
        return Ok(None);
    };
    let Task { spec, parent } = serde_json::from_str(&line)?;
    if getppid().as_raw() != parent {
        return Ok(None);
    }
    sys::bind(&spec.cpus)?;
    say(READY.as_bytes())?;
    let Some(slot) = lines.next().transpose()?.and_then(|line| line.parse().ok()) else {
        return Ok(None);
    };
    let capture = match Capture::open(slot, &spec) {
        Ok(capture) => capture,
        Err(Measured::NotAvailable { reason, remedy }) => {
            return Ok(Some(Measured::not_available(reason, remedy)));
        }
        Err(Measured::Value(())) => return Ok(None),
    };
    let mut recording = Recording::of_slot(slot, &spec, capture);
    say(READY.as_bytes())?;
    let own_cpu_ns = process_cpu_ns();
    let turn_ms = recording.turn_ms();
    while !asked(turn_ms)? {
        recording.turn();
    }
    recording.turn();
    let own_cpu_ns = process_cpu_ns() - own_cpu_ns;
    let Some(line) = lines.next().transpose()? else {
        return Ok(None);
    };
    let spans: Spans = serde_json::from_str(&line)?;
    let profile = recording.profile(&spec, slot, in_order(spans));
    Ok(Some(Measured::Value(Profile {
        own_cpu_ns,
        ..profile
    })))
}

struct Recording {
    capture: Capture,
    processes: Processes,
    recorded: Recorded,
    /// Events that files were looked for in.
    heard: usize,
    files: Files,
    began: SystemTime,
    stops: Option<Stops>,
    looks: Option<Looks>,
}

impl Recording {
    fn of_slot(slot: i32, spec: &ProfileSpec, capture: Capture) -> Self {
        // Times of files may lag behind the clock.
        let began = SystemTime::now() - Duration::from_secs(1);
        let faster = spec.faster.as_ref();
        let stops = faster.map(|faster| Stops::new(slot, faster, spec.period_ns, began));
        Self {
            looks: (!capture.kernel && stops.is_none()).then(|| Looks::at(slot)),
            capture,
            processes: Processes::of_slot(slot),
            recorded: Recorded::default(),
            heard: 0,
            files: Files::default(),
            began,
            stops,
        }
    }

    fn turn_ms(&self) -> u16 {
        match (&self.stops, &self.looks) {
            (Some(_), _) => STOP_MS,
            (None, Some(_)) => LOOK_MS,
            (None, None) => TURN_MS,
        }
    }

    fn turn(&mut self) {
        self.capture.turn();
        self.capture.drain(&mut self.recorded);
        self.files.look(&self.recorded.events[self.heard..]);
        if let Some(stops) = &mut self.stops {
            stops.take(&mut self.recorded);
        }
        if let Some(looks) = &mut self.looks {
            looks.look(&mut self.recorded);
        }
        self.heard = self.recorded.events.len();
    }

    fn profile(mut self, spec: &ProfileSpec, slot: i32, spans: Spans) -> Profile {
        if let Some(stops) = &self.stops {
            return Profile {
                period_ns: spec.period_ns,
                paused: Some(stops.sum(&spans)),
                ..Profile::default()
            };
        }
        let kernel = self.capture.kernel;
        // What the slot's other processes still do is of no interest.
        let windows = self.capture.ended();
        let seen = self.looks.map(|looks| looks.list).unwrap_or_default();
        let of = Material {
            spec,
            slot,
            spans: &spans,
            windows: &windows,
            kernel,
            seen: &seen,
            symbols: Symbols::of_slot(self.files, self.began),
        };
        replay(of, self.processes, &mut self.recorded)
    }
}

/// Ascending, and none that another one reaches into.
fn in_order(mut spans: Spans) -> Spans {
    spans.retain(|span| span.0 < span.1);
    spans.sort_unstable();
    let mut last = 0;
    for span in &mut spans {
        span.0 = span.0.max(last);
        last = last.max(span.1);
    }
    spans.retain(|span| span.0 < span.1);
    spans
}

/// Sleeps; whether the main process has said something meanwhile, or has gone.
fn asked(milliseconds: u16) -> io::Result<bool> {
    let stdin = io::stdin();
    let mut descriptors = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
    match poll(&mut descriptors, PollTimeout::from(milliseconds)) {
        Err(nix::errno::Errno::EINTR) => Ok(false),
        Ok(ready) => Ok(ready > 0),
        Err(errno) => Err(errno.into()),
    }
}

fn say(line: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(line)?;
    out.write_all(b"\n")?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_counted_once() {
        let spans = vec![(20, 30), (0, 10), (5, 15), (8, 9), (40, 40)];
        assert_eq!(in_order(spans), [(0, 10), (10, 15), (20, 30)]);
    }

    #[test]
    fn the_specification_goes_through_the_pipe() {
        let spec = ProfileSpec {
            period_ns: 1,
            each: 2,
            turns: 1,
            cpus: vec![3],
            launched: true,
            stacks: true,
            phases: [true, false, true],
            faster: None,
        };
        let text = serde_json::to_string(&Task {
            spec: spec.clone(),
            parent: 4,
        });
        let task: Task = serde_json::from_str(&text.unwrap()).unwrap();
        assert_eq!((task.spec, task.parent), (spec, 4));
    }
}
