//! A function of a command that is faster in effect: while it runs, all other processes of the command stand still. The
//! theory of virtual speed-ups is that of `flow::pace`. A command has no delay points, so for each sample of CPU time
//! in the function, every process but the one that runs it owes a share of the sample's period, and is stopped for as
//! long (`SIGSTOP`, `SIGCONT`) as soon as that is a [`LEAST_NS`]. What all owe together is owed by nobody, and comes
//! off the sum.
//!
//! * Threads of one process cannot be stopped one by one: where a second thread of a process does a twentieth of its
//!   work or more, nothing is predicted, and the reason is said.
//! * A program notices a stop where it asks for the ends of its children with `WUNTRACED`, and where it neither ignores
//!   `SIGCHLD` nor sets `SA_NOCLDSTOP`; `epoll_wait` and a few other calls of Linux end with `EINTR`.
//! * The kernel's work is the function's where it is named so: `write (system call)`. Waits are no samples.

use std::collections::{BTreeMap, HashMap};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use measure::Measured;
use measure::clock::now_ns;
use measure::ring_record::Record;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::capture::{Event, Kept, Recorded};
use crate::chain;
use crate::files::Files;
use crate::place::{place, short};
use crate::process::{Image, Processes};
use crate::symbols::Symbols;
use crate::value::{Faster, ON_CPU, Paused, Spans};

/// A stop lasts some 0.1 ms longer than asked for; debts of processes in turn cancel out.
const LEAST_NS: i64 = 1_000_000;
/// A longer one comes in parts, between which the rings are emptied.
const MOST_NS: i64 = 5_000_000;
/// Of a process's samples, in parts: what threads other than its busiest one may have.
const OTHERS: u64 = 20;
/// Fewer samples say nothing of threads.
const FEW: u64 = 20;

pub(crate) struct Stops {
    faster: Faster,
    period_ns: u64,
    processes: Processes,
    symbols: Symbols,
    known: HashMap<(i32, u32), bool>,
    /// What each process of the command owes, in ns.
    owed: BTreeMap<i32, i64>,
    due: Vec<(u64, i64)>,
    in_part: Vec<u64>,
    threads: HashMap<i32, BTreeMap<i32, u64>>,
}

impl Stops {
    /// The kernel's names are read here: a tenth of a second that the slot would otherwise share its CPUs for.
    pub(crate) fn new(slot: i32, faster: &Faster, period_ns: u64, began: SystemTime) -> Self {
        let mut symbols = Symbols::of_slot(Files::default(), began);
        symbols.read_kernel();
        Self {
            faster: faster.clone(),
            period_ns,
            processes: Processes::of_slot(slot),
            symbols,
            known: HashMap::new(),
            owed: BTreeMap::new(),
            due: Vec::new(),
            in_part: Vec::new(),
            threads: HashMap::new(),
        }
    }

    /// Hears what was recorded, and stops who owes.
    pub(crate) fn take(&mut self, recorded: &mut Recorded) {
        recorded.events.sort_by_key(|event| event.ns);
        for event in std::mem::take(&mut recorded.events) {
            self.hear(&event, &recorded.chains);
        }
        self.settle(now_ns());
        self.stop();
    }

    fn hear(&mut self, event: &Event, chains: &[Box<[u64]>]) {
        let &Event { ns, pid, tid, .. } = event;
        match &event.kept {
            Kept::Clock(chain) => self.sample(ns, (pid, tid), *chain, chains),
            Kept::Other(Record::Fork { child, .. }) if *child != pid => {
                self.processes.fork(pid, *child);
                if let Some(&owes) = self.owed.get(&pid) {
                    self.owed.insert(*child, owes);
                }
            }
            Kept::Other(Record::Exit) if pid == tid => {
                self.owed.remove(&pid);
            }
            Kept::Other(Record::Exec) => self.processes.exec(pid),
            Kept::Other(Record::Map(mapping)) => {
                self.processes.map(pid, mapping.clone());
                self.known.retain(|(of, _), _| *of != pid);
                if self.processes.image(pid) == Some(Image::Launched) {
                    self.owed.entry(pid).or_insert(0);
                }
            }
            _ => {}
        }
    }

    fn sample(&mut self, ns: u64, (pid, tid): (i32, i32), chain: u32, chains: &[Box<[u64]>]) {
        if !self.owed.contains_key(&pid) {
            return;
        }
        *self.threads.entry(pid).or_default().entry(tid).or_insert(0) += 1;
        let known = self.known.get(&(pid, chain)).copied();
        let is_in = known.unwrap_or_else(|| self.is_in(pid, &chains[chain as usize]));
        self.known.insert((pid, chain), is_in);
        if !is_in {
            return;
        }
        self.in_part.push(ns);
        let pause = (self.period_ns * u64::from(self.faster.percent) / 100) as i64;
        self.due.push((ns, pause));
        let others = self.owed.iter_mut().filter(|(other, _)| **other != pid);
        others.for_each(|(_, owes)| *owes += pause);
    }

    fn is_in(&mut self, pid: i32, chain: &[u64]) -> bool {
        let (first, names) = (ON_CPU.to_owned(), (&self.processes, &mut self.symbols));
        let (path, _) = chain::path(first, (chain, pid), names, str::to_owned);
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let name = place(&path).to_string();
        name == self.faster.part || short(&name) == self.faster.part
    }

    fn settle(&mut self, ns: u64) {
        let least = self.owed.values().copied().min().unwrap_or(0);
        if least > 0 {
            self.owed.values_mut().for_each(|owes| *owes -= least);
            self.due.push((ns, -least));
        }
    }

    fn stop(&mut self) {
        let mut all: Vec<(i64, i32)> = self.owed.iter().map(|(pid, owes)| (*owes, *pid)).collect();
        all.retain(|(owes, pid)| *owes >= LEAST_NS && send(*pid, Signal::SIGSTOP));
        all.sort_unstable();
        let began = now_ns();
        for (owes, pid) in all {
            let until = began + owes.min(MOST_NS) as u64;
            sleep(Duration::from_nanos(until.saturating_sub(now_ns())));
            send(pid, Signal::SIGCONT);
            let stood = (now_ns() - began) as i64;
            self.owed.entry(pid).and_modify(|owes| *owes -= stood);
        }
    }

    pub(crate) fn sum(&self, spans: &Spans) -> Measured<Paused> {
        if let Some(why) = self.has_threads() {
            return Measured::not_available(why, "");
        }
        let counts = |ns: u64| spans.iter().any(|(from, to)| (*from..*to).contains(&ns));
        let due = self.due.iter().filter(|(ns, _)| counts(*ns));
        let times = self.in_part.iter().filter(|ns| counts(**ns)).count() as u64;
        Measured::Value(Paused {
            due_ns: due.map(|(_, due)| due).sum::<i64>().max(0) as u64,
            in_part_ns: times * self.period_ns,
            times,
        })
    }

    fn has_threads(&self) -> Option<String> {
        let works = |threads: &&BTreeMap<i32, u64>| {
            let all: u64 = threads.values().sum();
            let busiest = threads.values().max().copied().unwrap_or(0);
            all >= FEW && (all - busiest) * OTHERS >= all
        };
        let several = self.threads.values().find(works)?;
        Some(format!(
            "a process of the command works in {} threads, which cannot be stopped one by one (a body of your own \
             can: flowgauge body)",
            several.len()
        ))
    }
}

impl Drop for Stops {
    fn drop(&mut self) {
        for pid in self.owed.keys() {
            send(*pid, Signal::SIGCONT);
        }
        self.symbols.remove_maps(self.processes.launched());
    }
}

fn send(pid: i32, signal: Signal) -> bool {
    kill(Pid::from_raw(pid), signal).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of processes that are not there, so that nobody is stopped.
    fn stops(owed: &[(i32, i64)]) -> Stops {
        let faster = Faster {
            part: "work".to_owned(),
            place: 0,
            percent: 20,
        };
        let mut stops = Stops::new(0, &faster, 1_000_000, SystemTime::now());
        stops.owed = owed.iter().copied().collect();
        stops
    }

    fn sampled(stops: &mut Stops, ns: u64, thread: (i32, i32), is_in: bool) {
        stops.known.insert((thread.0, 0), is_in);
        stops.sample(ns, thread, 0, &[]);
    }

    const A: i32 = i32::MAX - 2;
    const B: i32 = i32::MAX - 1;
    const C: i32 = i32::MAX;

    /// What ran beside another process on two CPUs was predicted to gain half of what it does.
    #[test]
    fn names_of_the_kernel_are_read_before_the_slot_runs() {
        assert!(stops(&[]).symbols.read_kernel());
    }

    #[test]
    fn all_but_who_runs_the_function_owe_a_share_of_its_samples() {
        let mut stops = stops(&[(A, 0), (B, 0), (C, 0)]);
        sampled(&mut stops, 5, (A, A), true);
        sampled(&mut stops, 6, (B, B), false);
        sampled(&mut stops, 7, (B, B), true);
        sampled(&mut stops, 8, (9, 9), true);
        let owed: Vec<i64> = stops.owed.values().copied().collect();
        assert_eq!(owed, [200_000, 200_000, 400_000], "9 is not of the command");
        stops.settle(8);
        let owed: Vec<i64> = stops.owed.values().copied().collect();
        assert_eq!(owed, [0, 0, 200_000], "both run it at once");
        let due = |spans: Spans| stops.sum(&spans).value().map(|one| (one.due_ns, one.times));
        assert_eq!(due(vec![(0, 10)]), Some((200_000, 2)));
        assert_eq!(due(vec![(0, 6)]), Some((200_000, 1)), "only what was timed");
    }

    #[test]
    fn a_second_thread_that_works_is_said_and_an_idle_one_is_not() {
        let mut stops = stops(&[(A, 0)]);
        for _ in 0..40 {
            sampled(&mut stops, 5, (A, A), true);
        }
        sampled(&mut stops, 5, (A, 1), true);
        assert!(stops.sum(&vec![(0, 9)]).value().is_some());
        sampled(&mut stops, 5, (A, 1), true);
        sampled(&mut stops, 5, (A, 1), true);
        let said = format!("{:?}", stops.sum(&vec![(0, 9)]));
        assert!(said.contains("works in 2 threads"), "{said}");
    }

    #[test]
    fn a_child_owes_what_its_parent_did() {
        let mut stops = stops(&[(A, 7)]);
        let fork = Record::Fork {
            child: B,
            child_thread: B,
        };
        stops.hear(&Event::of(1, (A, A), fork), &[]);
        assert_eq!(stops.owed.get(&B), Some(&7));
        stops.hear(&Event::of(1, (A, A), Record::Exit), &[]);
        assert_eq!(stops.owed.keys().collect::<Vec<_>>(), [&B]);
    }
}
