//! All records in the order of time, into a tree of frames.

use std::collections::{HashMap, HashSet};

use measure::Measured;
use measure::ring_record::Record;

use crate::capture::{Event, Kept, Recorded};
use crate::chain;
use crate::idle::{Idle, idle};
use crate::place::futex_of;
use crate::process::{Image, Processes};
use crate::symbols::Symbols;
use crate::tree::Tree;
use crate::value::{NOT_SEEN, ON_CPU, PREEMPTED, Profile, ProfileSpec, UNSEEN_KERNEL, WAITS};
use crate::windows::{Windows, counted, end, within};

/// Of all samples in user code, in parts: where fewer have a caller, callers are not known.
const HAVE_CALLERS: u64 = 2;

pub(crate) struct Material<'a> {
    pub(crate) spec: &'a ProfileSpec,
    pub(crate) slot: i32,
    /// Ascending, apart from each other.
    pub(crate) spans: &'a [(u64, u64)],
    /// When switches were recorded: ascending, apart from each other.
    pub(crate) windows: &'a [(u64, u64)],
    pub(crate) kernel: bool,
    /// What threads were seen to wait in, as frames.
    pub(crate) seen: &'a [Vec<String>],
    pub(crate) symbols: Symbols,
}

#[derive(Debug, Clone, Copy)]
struct Thread {
    pid: i32,
    since: u64,
    runs: bool,
    preempted: bool,
    leaves: Option<u32>,
    seen: Option<u32>,
    is_idle: bool,
    /// For how long nobody of its process ran before it left.
    rested: u64,
}

impl Thread {
    fn new(pid: i32, since: u64) -> Self {
        Self {
            pid,
            since,
            runs: false,
            preempted: false,
            leaves: None,
            seen: None,
            is_idle: false,
            rested: 0,
        }
    }
}

#[derive(Debug, Default)]
struct Active {
    threads: u32,
    since: u64,
    rested: u64,
}

impl Active {
    fn rested(&self, ns: u64) -> u64 {
        match self.threads {
            0 => self.rested + (ns - self.since),
            _ => self.rested,
        }
    }

    fn turns(&mut self, ns: u64, was: bool, is: bool) {
        (self.rested, self.since) = (self.rested(ns), ns);
        self.threads = (self.threads + u32::from(is)).saturating_sub(u32::from(was));
    }
}

struct Replay<'a> {
    of: Material<'a>,
    chains: &'a [Box<[u64]>],
    /// Spans in which switches were recorded.
    watched: Windows,
    processes: Processes,
    threads: HashMap<i32, Thread>,
    active: HashMap<i32, Active>,
    idle: Idle,
    symbols: Symbols,
    tree: Tree,
    profile: Profile,
    /// Waits with a chain, by node, and all waits that could have one, in ns.
    waits: Vec<(u32, u64)>,
    may_have_chain: u64,
    /// On a CPU by the switches, in ns.
    ran: u64,
    /// Samples in user code, and those of them without a caller.
    user: u64,
    without_caller: u64,
}

pub(crate) fn replay(
    mut of: Material<'_>,
    processes: Processes,
    recorded: &mut Recorded,
) -> Profile {
    recorded.events.sort_by_key(|event| event.ns);
    recorded.events.retain(of_live_threads());
    let mut replay = Replay {
        profile: Profile {
            period_ns: of.spec.period_ns,
            each: of.spec.each * of.spec.turns,
            span_ns: of.spans.iter().map(|(from, to)| to - from).sum(),
            lost: recorded.lost,
            ..Profile::default()
        },
        threads: HashMap::from([(of.slot, Thread::new(of.slot, 0))]),
        // Flows of a study wait for its gates.
        idle: match of.spec.launched {
            true => idle(&recorded.events, |from, to| counted(of.windows, from, to)),
            false => Idle::default(),
        },
        watched: within(of.spans, of.windows),
        symbols: std::mem::take(&mut of.symbols),
        of,
        chains: &recorded.chains,
        processes,
        active: HashMap::new(),
        tree: Tree::default(),
        waits: Vec::new(),
        may_have_chain: 0,
        ran: 0,
        user: 0,
        without_caller: 0,
    };
    for event in &recorded.events {
        replay.take(event.ns, (event.pid, event.tid), &event.kept);
    }
    replay.end()
}

/// The number that the kernel gives a thread which it has released.
const RELEASED: i32 = -1;

/// Whether an event is that of a thread that lives. In events of a CPU a thread still leaves it after its end, and may
/// get it again before that; it waits for nothing.
fn of_live_threads() -> impl FnMut(&Event) -> bool {
    let mut ended = HashSet::from([RELEASED]);
    move |event| match &event.kept {
        Kept::Other(Record::Exit) => ended.insert(event.tid),
        Kept::Other(Record::Fork { child_thread, .. }) => {
            ended.remove(child_thread);
            true
        }
        // A thread that runs a new program takes the number of its process's first one.
        Kept::Other(Record::Exec) => {
            ended.remove(&event.tid);
            true
        }
        Kept::Leaves(_) | Kept::Seen(_) | Kept::Other(Record::Out { .. } | Record::In) => {
            !ended.contains(&event.tid)
        }
        _ => true,
    }
}

impl Replay<'_> {
    fn take(&mut self, ns: u64, (pid, tid): (i32, i32), kept: &Kept) {
        match kept {
            Kept::Clock(chain) => self.sample(ns, pid, *chain),
            Kept::Leaves(chain) => {
                self.thread(ns, (pid, tid)).leaves = Some(*chain);
            }
            Kept::Seen(place) => {
                if let Some(thread) = self.threads.get_mut(&tid).filter(|one| !one.runs) {
                    thread.seen = Some(*place);
                }
            }
            Kept::Other(Record::Out { preempted }) => {
                self.close(ns, tid, Some(true));
                let rested = self.turns(ns, (pid, tid), *preempted);
                let is_idle = self.idle.waits.contains(&(tid, ns));
                let thread = self.thread(ns, (pid, tid));
                (thread.runs, thread.preempted, thread.is_idle) = (false, *preempted, is_idle);
                thread.rested = rested;
            }
            Kept::Other(Record::In) => {
                self.close(ns, tid, Some(false));
                self.turns(ns, (pid, tid), true);
                self.thread(ns, (pid, tid)).runs = true;
            }
            Kept::Other(Record::Fork {
                child,
                child_thread,
            }) => {
                self.processes.fork(pid, *child);
                // It is ready to run.
                self.turns(ns, (*child, *child_thread), true);
                self.thread(ns, (*child, *child_thread)).preempted = true;
            }
            Kept::Other(Record::Exit) => {
                self.close(ns, tid, Some(true));
                self.turns(ns, (pid, tid), false);
                self.threads.remove(&tid);
            }
            Kept::Other(Record::Exec) => self.processes.exec(pid),
            Kept::Other(Record::Map(mapping)) => self.processes.map(pid, mapping.clone()),
            Kept::Other(Record::Sample(_) | Record::Stacked(..) | Record::Lost(_)) => {}
        }
    }

    fn thread(&mut self, ns: u64, (pid, tid): (i32, i32)) -> &mut Thread {
        self.threads.entry(tid).or_insert(Thread::new(pid, ns))
    }

    /// A thread runs or could, or no longer; for how long nobody of its process did so far.
    fn turns(&mut self, ns: u64, (pid, tid): (i32, i32), is: bool) -> u64 {
        let thread = self.threads.get(&tid);
        let was = thread.is_some_and(|one| one.runs || one.preempted);
        let active = self.active.entry(pid).or_default();
        active.turns(ns, was, is);
        active.rested(ns)
    }

    fn counts(&self, pid: i32) -> bool {
        match self.processes.image(pid) {
            Some(Image::Launched) => true,
            Some(Image::Slot) => !self.of.spec.launched,
            Some(Image::Own | Image::New) | None => false,
        }
    }

    /// Of all spans: what stands for this in those that were watched.
    fn whole(&self, ns: u64) -> u64 {
        let watched: u64 = self.watched.iter().map(|(from, to)| to - from).sum();
        let share = self.profile.span_ns as f64 / watched.max(1) as f64;
        (ns as f64 * share).round() as u64
    }

    /// Ends what a thread has done since its last switch. `ran`: whether it ran last, where that is known. What it did
    /// until the window closed that it was last seen in may be another thing.
    fn close(&mut self, ns: u64, tid: i32, ran: Option<bool>) {
        let Some(thread) = self.threads.get_mut(&tid) else {
            return;
        };
        let was = *thread;
        (thread.since, thread.seen) = (ns, None);
        if !was.runs {
            thread.leaves = None;
        }
        let turned = match ran {
            Some(ran) if ran != was.runs => end(self.of.windows, was.since).min(ns),
            _ => ns,
        };
        self.spent((tid, &was), turned);
        let other = Thread {
            runs: !was.runs,
            ..Thread::new(was.pid, turned)
        };
        self.spent((tid, &other), ns);
    }

    fn spent(&mut self, (tid, was): (i32, &Thread), ns: u64) {
        let span = counted(&self.watched, was.since, ns);
        if span == 0 || !self.counts(was.pid) {
            return;
        }
        match was.runs {
            true => self.ran += span,
            false if tid == self.of.slot || was.is_idle => {}
            false => self.wait((tid, was), ns, span),
        }
    }

    fn wait(&mut self, (tid, thread): (i32, &Thread), until: u64, ns: u64) {
        self.profile.waits += 1;
        if thread.preempted {
            return self.add(&[WAITS, PREEMPTED], self.whole(ns));
        }
        if let (true, Some(chain)) = (self.of.kernel, thread.leaves) {
            let path = self.path(WAITS, thread.pid, chain);
            let ns = match self.is_for_others(tid, &path) {
                true => ns.min(self.rested(thread, until)),
                false => ns,
            };
            let node = self.tree.node(&path);
            self.may_have_chain += ns;
            return self.waits.push((node, ns));
        }
        if self.of.kernel && self.of.spec.each > 1 {
            self.may_have_chain += ns;
            return;
        }
        match thread.seen.and_then(|seen| self.of.seen.get(seen as usize)) {
            Some(frames) => {
                let frames = frames.iter().map(String::as_str);
                let path: Vec<&str> = [WAITS].into_iter().chain(frames).collect();
                self.add(&path, self.whole(ns));
            }
            None => self.add(&[WAITS, NOT_SEEN], self.whole(ns)),
        }
    }

    /// Whether another thread ends the wait, whose time is there itself: not that for a lock.
    fn is_for_others(&self, tid: i32, path: &[u32]) -> bool {
        let names: Vec<&str> = path.iter().map(|&name| self.tree.text(name)).collect();
        let futex = futex_of(&names).filter(|_| self.of.spec.launched);
        futex.is_some_and(|is_condition| is_condition || self.idle.helpers.contains(&tid))
    }

    /// For how long nobody of its process ran since it left.
    fn rested(&self, thread: &Thread, until: u64) -> u64 {
        let active = self.active.get(&thread.pid);
        active.map_or(0, |active| {
            active.rested(until).saturating_sub(thread.rested)
        })
    }

    fn sample(&mut self, ns: u64, pid: i32, chain: u32) {
        if counted(self.of.spans, ns, ns + 1) == 0 || !self.counts(pid) {
            return;
        }
        let path = self.path(ON_CPU, pid, chain);
        let node = self.tree.node(&path);
        self.profile.samples += 1;
        self.tree.add(node, self.of.spec.period_ns);
    }

    fn add(&mut self, path: &[&str], ns: u64) {
        let path: Vec<u32> = path.iter().map(|name| self.tree.name(name)).collect();
        let node = self.tree.node(&path);
        self.tree.add(node, ns);
    }

    fn path(&mut self, first: &str, pid: i32, chain: u32) -> Vec<u32> {
        let chain = (&*self.chains[chain as usize], pid);
        let names = (&self.processes, &mut self.symbols);
        let root = self.tree.name(first);
        let (mut path, users) = chain::path(root, chain, names, |name| self.tree.name(name));
        if first == ON_CPU && users > 0 {
            self.user += 1;
            self.without_caller += u64::from(users == 1);
        }
        path.dedup();
        path
    }

    fn end(mut self) -> Profile {
        let last = self.of.spans.last().map_or(0, |span| span.1);
        let left: Vec<i32> = self.threads.keys().copied().collect();
        for tid in left {
            self.close(last, tid, None);
        }
        let with_chain: u64 = self.waits.iter().map(|(_, ns)| ns).sum();
        let share = self.whole(self.may_have_chain) as f64 / with_chain.max(1) as f64;
        for (node, ns) in std::mem::take(&mut self.waits) {
            self.tree.add(node, (ns as f64 * share).round() as u64);
        }
        if with_chain == 0 && self.may_have_chain > 0 {
            self.add(&[WAITS, NOT_SEEN], self.whole(self.may_have_chain));
        }
        if !self.of.kernel {
            let sampled = self.profile.samples * self.of.spec.period_ns;
            self.add(
                &[ON_CPU, UNSEEN_KERNEL],
                self.whole(self.ran).saturating_sub(sampled),
            );
        }
        self.symbols.remove_maps(self.processes.launched());
        self.unseen();
        self.tree.into(&mut self.profile);
        self.profile
    }

    fn unseen(&mut self) {
        let unseen = &mut self.profile.unseen;
        if !self.of.kernel {
            unseen.push(Measured::not_available(
                "functions of the kernel and exact reasons of waits are hidden from this user",
                "sysctl kernel.perf_event_paranoid=1, or run as root",
            ));
        }
        unseen.extend(self.symbols.take_unseen());
        if self.user > 0 && self.without_caller * HAVE_CALLERS > self.user {
            unseen.push(Measured::not_available(
                "most functions are seen without their callers: they were compiled without frame pointers",
                "compile with -fno-omit-frame-pointer (Rust: -C force-frame-pointers=yes)",
            ));
        }
    }
}

#[cfg(test)]
mod tests;
