//! The quantities there are, with their names and units. What a slot says of each: `read`.

mod read;

use measure::counters::Event;

use super::Unit;
use crate::findings::simulated;

pub(crate) use read::{Look, Seen};

/// A quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The time that the case compares.
    Time,
    Create,
    Steady,
    TearDown,
    /// CPU time of the parent and all flows.
    Cpu,
    /// PSS, page tables, kernel stacks (and slab where it is known).
    Memory,
    Pss,
    PageTables,
    KernelStacks,
    Rss,
    PeakRss,
    /// The part of the heap that is on large pages, where a variant of the case asks for some.
    LargePages,
    Faults,
    Switches,
    Migrations,
    BytesRead,
    BytesWritten,
    StorageWritten,
    /// Requests answered a second.
    Requests,
    /// CPU time of all flows over the wall time of the steady phase; 1 = one CPU.
    CpuShare,
    /// CPU time in user mode, of work that makes its own flows.
    UserTime,
    /// CPU time in the kernel, of work that makes its own flows.
    SystemTime,
    /// CPU time of the last flow over that of the first.
    Uneven,
    /// Longest CPU time that a process of the work spent in it over the mean of all, where it says so.
    Imbalance,
    /// Time that a flow computed, communicated and waited, where the work says so; means of all flows.
    Computing,
    Communication,
    Waiting,
    /// Moves of flows between processes, where the work makes some.
    Moves,
    /// Bytes of files that were written, read back and right.
    Files,
    /// When the parent had the last result, after the release.
    ParentDone,
    /// When a worker was done, after the release; from 1.
    WorkerDone(u32),
    /// CPU time of a worker over the wall time of the steady phase.
    WorkerCpu(u32),
    /// CPU time of a worker, from its birth to the end of its work.
    WorkerTime(u32),
    /// Results that the parent got.
    Results,
    /// The latency that half of the requests did not exceed.
    P50,
    /// The same of 99 of 100, and of 999 of 1,000.
    P99,
    P999,
    /// Units of work a second, of a command that says how many it does.
    Rate,
    /// The most processes and threads that a command was seen to have at one time.
    Processes,
    Threads,
    /// The steady phase over what each flow counted in it.
    TimeEach,
    /// RSS of the parent, where flows are processes.
    RssParent,
    /// RSS of one process that is a flow, the mean of all.
    RssWorker,
    /// What the launch of a program that does nothing takes, under the wrapper of the command.
    Launch,
    /// The time of a command less that, which is negative where both vary by more than they differ.
    WithoutLaunch,
    /// An event that was counted of the flows.
    Event(Event),
    /// What a model of another machine counted.
    Simulated(simulated::Count),
}

/// Name, what it is called in sentences, unit; events beside these have their own names.
const NAMED: [(Kind, &str, &str, Unit); 37] = [
    (Kind::Time, "time", "time", Unit::Ns),
    (Kind::Create, "create", "time to create", Unit::Ns),
    (Kind::Steady, "steady", "steady phase", Unit::Ns),
    (Kind::TearDown, "tear-down", "time to tear down", Unit::Ns),
    (Kind::Cpu, "cpu", "CPU time", Unit::Ns),
    (Kind::Memory, "memory", "memory", Unit::Bytes),
    (Kind::Pss, "pss", "user memory (PSS)", Unit::Bytes),
    (Kind::PageTables, "page-tables", "page tables", Unit::Bytes),
    (
        Kind::KernelStacks,
        "kernel-stacks",
        "kernel stacks",
        Unit::Bytes,
    ),
    (Kind::Rss, "rss", "RSS", Unit::Bytes),
    (Kind::PeakRss, "peak-rss", "peak RSS", Unit::Bytes),
    (
        Kind::LargePages,
        "large-pages",
        "share of the heap on large pages",
        Unit::Share,
    ),
    (Kind::Faults, "faults", "page faults", Unit::Count),
    (Kind::Switches, "switches", "context switches", Unit::Count),
    (
        Kind::Migrations,
        "migrations",
        "moves between CPUs",
        Unit::Count,
    ),
    (Kind::BytesRead, "bytes-read", "bytes read", Unit::Bytes),
    (
        Kind::BytesWritten,
        "bytes-written",
        "bytes written",
        Unit::Bytes,
    ),
    (
        Kind::StorageWritten,
        "storage-written",
        "bytes sent to storage",
        Unit::Bytes,
    ),
    (Kind::CpuShare, "cpu-share", "share of a CPU", Unit::Share),
    (
        Kind::UserTime,
        "user-time",
        "CPU time in user mode",
        Unit::Ns,
    ),
    (
        Kind::SystemTime,
        "system-time",
        "CPU time in the kernel",
        Unit::Ns,
    ),
    (
        Kind::Uneven,
        "uneven",
        "CPU time of the last flow over the first",
        Unit::Share,
    ),
    (
        Kind::Imbalance,
        "imbalance",
        "longest CPU time over the mean",
        Unit::Share,
    ),
    (
        Kind::Computing,
        "computing",
        "time of a flow computing",
        Unit::Ns,
    ),
    (
        Kind::Communication,
        "communication",
        "time of a flow communicating",
        Unit::Ns,
    ),
    (Kind::Waiting, "waiting", "time of a flow waiting", Unit::Ns),
    (Kind::Moves, "moves", "moves between processes", Unit::Count),
    (Kind::Files, "files", "bytes of files", Unit::Bytes),
    (
        Kind::Requests,
        "requests",
        "requests a second",
        Unit::PerSecond,
    ),
    (Kind::P50, "p50", "median latency", Unit::Ns),
    (Kind::P99, "p99", "p99 latency", Unit::Ns),
    (Kind::P999, "p999", "p99.9 latency", Unit::Ns),
    (
        Kind::Rate,
        "rate",
        "units of work a second",
        Unit::PerSecond,
    ),
    (
        Kind::Processes,
        "processes",
        "processes at one time",
        Unit::Count,
    ),
    (Kind::Threads, "threads", "threads at one time", Unit::Count),
    (Kind::Launch, "launch", "launch of `true`", Unit::Ns),
    (
        Kind::WithoutLaunch,
        "without-launch",
        "time less that of `true`",
        Unit::Ns,
    ),
];

impl Kind {
    /// All of them, with the events that were asked for.
    pub(crate) fn all(events: &[Event]) -> impl Iterator<Item = Self> {
        let named = NAMED.iter().map(|(kind, ..)| *kind);
        let events = events.iter().copied().map(Self::Event);
        named.chain(events).chain(Self::simulated())
    }

    /// What a model of another machine counts.
    fn simulated() -> impl Iterator<Item = Self> {
        simulated::NAMED
            .iter()
            .map(|named| Self::Simulated(named.count))
    }

    /// The one with that name, as `--expect` has it.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let found = NAMED.iter().find(|(_, known, ..)| *known == name);
        let found = found.map(|(kind, ..)| *kind);
        found.or_else(|| Self::simulated().find(|kind| kind.name() == name))
    }

    /// The one with that name, of one worker where one is named.
    pub(crate) fn of(name: &str, worker: Option<u32>) -> Option<Self> {
        match (name, worker) {
            ("worker-done", Some(worker)) => Some(Self::WorkerDone(worker)),
            ("worker-cpu", Some(worker)) => Some(Self::WorkerCpu(worker)),
            ("worker-time", Some(worker)) => Some(Self::WorkerTime(worker)),
            ("results", None) => Some(Self::Results),
            ("parent-done", None) => Some(Self::ParentDone),
            ("time-each", None) => Some(Self::TimeEach),
            ("rss-parent", None) => Some(Self::RssParent),
            ("rss-worker", None) => Some(Self::RssWorker),
            (_, None) => Self::named(name).or_else(|| {
                let mut events = Event::ALL.into_iter();
                events.find(|event| event.name() == name).map(Self::Event)
            }),
            _ => None,
        }
    }

    /// Every name that [`named`](Self::named) finds.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        let simulated = simulated::NAMED.iter().map(|named| named.name);
        NAMED.iter().map(|(_, name, ..)| *name).chain(simulated)
    }

    fn row(self) -> Option<&'static (Kind, &'static str, &'static str, Unit)> {
        NAMED.iter().find(|(kind, ..)| *kind == self)
    }

    pub(crate) fn name(self) -> String {
        match (self, self.row()) {
            // The kernel counts these in two ways.
            (Self::Event(Event::Migrations), _) => "migrations-event".to_owned(),
            (Self::Event(event), _) => event.name().to_owned(),
            (Self::Simulated(count), _) => count.named().name.to_owned(),
            (Self::ParentDone, _) => "parent-done".to_owned(),
            (Self::TimeEach, _) => "time-each".to_owned(),
            (Self::RssParent, _) => "rss-parent".to_owned(),
            (Self::RssWorker, _) => "rss-worker".to_owned(),
            (Self::WorkerDone(worker), _) => format!("worker-done {worker}"),
            (Self::WorkerCpu(worker), _) => format!("worker-cpu {worker}"),
            (Self::WorkerTime(worker), _) => format!("worker-time {worker}"),
            (Self::Results, _) => "results".to_owned(),
            (_, row) => row.map_or(String::new(), |(_, name, ..)| (*name).to_owned()),
        }
    }

    /// As sentences call it.
    pub(crate) fn spoken(self) -> String {
        match (self, self.row()) {
            (Self::Event(event), _) => event.to_string(),
            (Self::Simulated(count), _) => count.named().spoken.to_owned(),
            (Self::ParentDone, _) => "the parent done".to_owned(),
            (Self::TimeEach, _) => "time for each".to_owned(),
            (Self::RssParent, _) => "RSS of the parent".to_owned(),
            (Self::RssWorker, _) => "RSS of one worker".to_owned(),
            (Self::WorkerDone(worker), _) => format!("worker {worker} done"),
            (Self::WorkerCpu(worker), _) => format!("CPU share of worker {worker}"),
            (Self::WorkerTime(worker), _) => format!("CPU time of worker {worker}"),
            (Self::Results, _) => "results".to_owned(),
            (_, row) => row.map_or(String::new(), |(_, _, spoken, _)| (*spoken).to_owned()),
        }
    }

    pub(crate) fn unit(self) -> Unit {
        match self {
            Self::ParentDone | Self::WorkerDone(_) | Self::WorkerTime(_) | Self::TimeEach => {
                Unit::Ns
            }
            Self::RssParent | Self::RssWorker => Unit::Bytes,
            Self::WorkerCpu(_) => Unit::Share,
            _ => self.row().map_or(Unit::Count, |(.., unit)| *unit),
        }
    }
}
