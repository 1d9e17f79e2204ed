use std::io::{self, BufRead, Write};
use std::os::fd::AsFd;
use std::process::exit;
use std::time::Duration;

use measure::Measured;
use measure::clock::{now_ns, of_process_ns, process_cpu_ns};
use measure::memory::{self, MemoryError};
use measure::tasks::{Process, Reader};
use nix::errno::Errno;
use nix::sys::signal::Signal;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use nix::unistd::getppid;

use super::disk;
use crate::polled::{readable, wait};
use crate::samples::{Sample, SampleSpec, Samples, Totals};
use crate::tied::{Task, is_in_role};

pub(crate) const ARGUMENT: &str = "__sampler";
pub(crate) const READY: &str = "ready";

/// Some 10 MB.
const MOST: usize = 100_000;
const MEMORY_EVERY_NS: u64 = 1_000_000_000;
const MEMORY_REST: u64 = 100;

/// Whether this process is a sampler. `main` asks only [`crate::is_slot_process`] before.
#[must_use]
pub fn is_sampler() -> bool {
    is_in_role(ARGUMENT)
}

/// The whole life of a sampler.
pub fn sampler_main() -> ! {
    let tied = nix::sys::prctl::set_pdeathsig(Signal::SIGKILL);
    let answer = match tied.map_err(io::Error::from).and_then(|()| live()) {
        Ok(Some(samples)) => Measured::Value(samples),
        Ok(None) => exit(0),
        Err(error) => Measured::not_available(format!("the sampler: {error}"), ""),
    };
    let said = serde_json::to_vec(&answer)
        .map_err(io::Error::other)
        .and_then(|line| say(&line));
    exit(i32::from(said.is_err()))
}

/// `None` when the main process is gone or wants nothing more.
fn live() -> io::Result<Option<Samples>> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    let Task { spec, parent }: Task<SampleSpec> = serde_json::from_str(&line)?;
    if getppid().as_raw() != parent {
        return Ok(None);
    }
    sys::bind(&spec.cpus)?;
    let books = Books::new(spec)?;
    say(READY.as_bytes())?;
    line.clear();
    io::stdin().lock().read_line(&mut line)?;
    match line.trim().parse() {
        Ok(group) => books.keep(group).map(Some),
        Err(_closed) => Ok(None),
    }
}

fn say(line: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(line)?;
    out.write_all(b"\n")?;
    out.flush()
}

struct Books {
    spec: SampleSpec,
    reader: Reader,
    memory: memory::Sampler,
    processes: Vec<Process>,
    /// Processes with their last CPU time, ascending.
    seen: Vec<(i32, u64)>,
    gone_ns: u64,
    base_ns: u64,
    counted: Counted,
    written: Option<u64>,
    memory_due_ns: Option<u64>,
    not_available: Vec<String>,
}

impl Books {
    fn new(spec: SampleSpec) -> io::Result<Self> {
        let mut reader = Reader::new()?;
        reader.before()?;
        Ok(Self {
            spec,
            reader,
            memory: memory::Sampler::new(),
            processes: Vec::new(),
            seen: Vec::new(),
            gone_ns: 0,
            base_ns: 0,
            counted: Counted::default(),
            written: Some(0),
            memory_due_ns: Some(0),
            not_available: Vec::new(),
        })
    }

    fn keep(mut self, group: i32) -> io::Result<Samples> {
        let (began, own_cpu_ns) = (now_ns(), process_cpu_ns());
        // So far the slot is one process that waits for its task.
        self.base_ns = of_process_ns(group).unwrap_or(0);
        let timer = timer(began, self.spec.interval_ns)?;
        let (mut samples, mut missed, mut not_kept) = (Vec::with_capacity(1_024), 0, 0);
        while let Some(ticks) = next_ticks(&timer)? {
            missed += ticks.saturating_sub(1);
            let sample = self.sample(group, began)?;
            match sample.processes {
                // The parent has not heard of its end yet.
                0 => {}
                _ if samples.len() < MOST => samples.push(sample),
                _ => not_kept += 1,
            }
        }
        let end = self.totals(group, began)?;
        Ok(Samples {
            interval_ns: self.spec.interval_ns,
            cpus: self.spec.cpus,
            samples,
            end,
            missed,
            not_kept,
            own_cpu_ns: process_cpu_ns() - own_cpu_ns,
            span_ns: now_ns() - began,
            not_available: self.not_available,
        })
    }

    fn sample(&mut self, group: i32, began: u64) -> io::Result<Sample> {
        self.reader.processes(group, &mut self.processes)?;
        let Counted { at_ns, cpu_ns } = self.count_cpu(began);
        self.count_written();
        let there = self.processes.iter().filter(|p| !p.state.has_ended());
        let (processes, tasks, rss) = there.fold((0, 0, 0), |(processes, tasks, rss), p| {
            (processes + 1, tasks + p.threads, rss + p.rss)
        });
        Ok(Sample {
            at_ns,
            cpu_ns,
            processes,
            tasks,
            rss,
            memory: self.memory(at_ns),
            written: self.written,
            disk: self.disk(),
        })
    }

    fn totals(&mut self, group: i32, began: u64) -> io::Result<Option<Totals>> {
        self.reader.processes(group, &mut self.processes)?;
        if self.processes.is_empty() {
            return Ok(None);
        }
        let Counted { at_ns, cpu_ns } = self.count_cpu(began);
        self.count_written();
        Ok(Some(Totals {
            at_ns,
            cpu_ns,
            written: self.written,
            disk: self.disk(),
        }))
    }

    /// The clock is read last: CPU time cannot exceed the time for it.
    fn count_cpu(&mut self, began: u64) -> Counted {
        let processes = &self.processes;
        let is_there = |pid: i32| processes.binary_search_by_key(&pid, |p| p.pid).is_ok();
        let gone = self.seen.iter().filter(|(pid, _)| !is_there(*pid));
        self.gone_ns += gone.map(|(_, cpu_ns)| cpu_ns).sum::<u64>();
        self.seen.clear();
        let exact = |p: &Process| (p.pid, of_process_ns(p.pid).unwrap_or(p.cpu_ns));
        self.seen.extend(processes.iter().map(exact));
        let own: u64 = self.seen.iter().map(|(_, cpu_ns)| cpu_ns).sum();
        let children: u64 = processes.iter().map(|p| p.children_cpu_ns).sum();
        let sum = own + children.max(self.gone_ns);
        self.counted = self.counted.then(
            now_ns() - began,
            sum.saturating_sub(self.base_ns),
            self.spec.most_cpus,
        );
        self.counted
    }

    /// Own bytes and those of reaped processes; an ended process's are in its own file until then.
    fn count_written(&mut self) {
        let Some(before) = self.written else {
            return;
        };
        let reader = &mut self.reader;
        let each = self.processes.iter().map(|p| reader.written(p.pid));
        match each
            .map(|bytes| Ok(bytes?.unwrap_or(0)))
            .sum::<io::Result<u64>>()
        {
            Ok(sum) => self.written = Some(before.max(sum)),
            Err(error) => {
                self.written = None;
                self.lacks(format!("bytes written are not available: {error}"));
            }
        }
    }

    fn memory(&mut self, at_ns: u64) -> Option<u64> {
        if at_ns < self.memory_due_ns? {
            return None;
        }
        let there = self.processes.iter().filter(|p| !p.state.has_ended());
        let pids: Vec<i32> = there.map(|p| p.pid).collect();
        let began = now_ns();
        let read = self.memory.of(&pids);
        let rest = MEMORY_EVERY_NS.max(MEMORY_REST * (now_ns() - began));
        match read {
            Ok(memory) => {
                self.memory_due_ns = Some(at_ns + rest);
                Some(memory.total())
            }
            Err(MemoryError::Ended { .. }) => None,
            Err(error) => {
                self.memory_due_ns = None;
                self.lacks(error.to_string());
                None
            }
        }
    }

    fn disk(&mut self) -> Option<u64> {
        match disk::used(self.spec.folder.as_ref()?) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                self.lacks(format!(
                    "the disk space of the folder is not available: {error}"
                ));
                None
            }
        }
    }

    fn lacks(&mut self, what: String) {
        if !self.not_available.contains(&what) {
            self.not_available.push(what);
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Counted {
    at_ns: u64,
    cpu_ns: u64,
}

impl Counted {
    /// Limits a count to what CPUs can give: reaped CPU time comes in ticks.
    fn then(self, at_ns: u64, cpu_ns: u64, most_cpus: Option<u32>) -> Self {
        let passed = at_ns.saturating_sub(self.at_ns);
        let most = passed.saturating_mul(most_cpus.map_or(u64::MAX, u64::from));
        let most = self.cpu_ns.saturating_add(most);
        Self {
            at_ns,
            cpu_ns: cpu_ns.clamp(self.cpu_ns, most),
        }
    }
}

fn timer(began: u64, interval_ns: u64) -> io::Result<TimerFd> {
    let flags = TimerFlags::TFD_CLOEXEC | TimerFlags::TFD_NONBLOCK;
    let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, flags)?;
    let interval = Duration::from_nanos(interval_ns.max(1));
    let first = Duration::from_nanos(began.saturating_add(interval_ns.max(1)));
    let ticks = Expiration::IntervalDelayed(first.into(), interval.into());
    timer.set(ticks, TimerSetTimeFlags::TFD_TIMER_ABSTIME)?;
    Ok(timer)
}

fn next_ticks(timer: &TimerFd) -> io::Result<Option<u64>> {
    let stdin = io::stdin();
    loop {
        let mut both = [readable(stdin.as_fd()), readable(timer.as_fd())];
        wait(&mut both, Duration::MAX)?;
        if both[0].any() != Some(false) {
            return Ok(None);
        }
        let mut count = [0; 8];
        match nix::unistd::read(timer, &mut count) {
            Ok(_) => return Ok(Some(u64::from_ne_bytes(count))),
            Err(Errno::EAGAIN | Errno::EINTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A slot on one CPU was said to have had 110 % of it.
    #[test]
    fn no_interval_has_more_cpu_time_than_its_cpus_can_give() {
        let first = Counted::default().then(10, 4, Some(1));
        assert_eq!((first.at_ns, first.cpu_ns), (10, 4));
        let fallen = first.then(20, 3, Some(1));
        assert_eq!(fallen.cpu_ns, 4);
        // 26 is what was there all along; it comes to light as time allows.
        let late = fallen.then(30, 26, Some(1));
        assert_eq!(late.cpu_ns, 14);
        assert_eq!(late.then(60, 30, Some(1)).cpu_ns, 30);
        assert_eq!(fallen.then(30, 26, Some(2)).cpu_ns, 24);
        assert_eq!(fallen.then(30, 26, None).cpu_ns, 26);
    }
}
