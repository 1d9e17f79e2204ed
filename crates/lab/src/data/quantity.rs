//! Every quantity, a row each: name, what sentences call it, and unit. All that shows or judges one
//! finds it here; how a slot tells one stands in `findings/quantity/readers.rs`.

use measure::counters::Event;
use serde::{Deserialize, Serialize};

use super::simulation::Count;

struct Row {
    kind: Kind,
    name: &'static str,
    spoken: &'static str,
    unit: Unit,
}

macro_rules! quantities {
    (
        listed { $($(#[$doc:meta])* $id:ident $name:literal $spoken:literal $unit:ident;)+ }
        asked_for { $($(#[$more_doc:meta])* $more_id:ident $more:literal $more_spoken:literal $more_unit:ident;)+ }
    ) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Kind {
            $($(#[$doc])* $id,)+
            $($(#[$more_doc])* $more_id,)+
            /// Numbered from 1.
            Worker(OfWorker, u32),
            Event(Event),
            Simulated(Count),
        }

        /// Rows of every case; others are shown on request.
        const LISTED: usize = [$($name),+].len();

        static TABLE: &[Row] = &[
            $(Row { kind: Kind::$id, name: $name, spoken: $spoken, unit: Unit::$unit },)+
            $(Row { kind: Kind::$more_id, name: $more, spoken: $more_spoken, unit: Unit::$more_unit },)+
        ];
    };
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OfWorker {
    /// When it was done, after the release.
    Done,
    Cpu,
    /// Its CPU time from its birth to the end of its work.
    Time,
}

quantities! {
    listed {
        /// The time that the case compares.
        Time "time" "time" Ns;
        Create "create" "time to create" Ns;
        Steady "steady" "steady phase" Ns;
        TearDown "tear-down" "time to tear down" Ns;
        /// Of the parent and all flows, as the counts below.
        Cpu "cpu" "CPU time" Ns;
        /// PSS, page tables, kernel stacks (and slab where it is known).
        Memory "memory" "memory" Bytes;
        Pss "pss" "user memory (PSS)" Bytes;
        PageTables "page-tables" "page tables" Bytes;
        KernelStacks "kernel-stacks" "kernel stacks" Bytes;
        Rss "rss" "RSS" Bytes;
        PeakRss "peak-rss" "peak RSS" Bytes;
        /// Where a variant of the case asks for large pages.
        LargePages "large-pages" "share of the heap on large pages" Share;
        Faults "faults" "page faults" Count;
        Switches "switches" "context switches" Count;
        Migrations "migrations" "moves between CPUs" Count;
        BytesRead "bytes-read" "bytes read" Bytes;
        BytesWritten "bytes-written" "bytes written" Bytes;
        StorageWritten "storage-written" "bytes sent to storage" Bytes;
        /// CPU time of all flows over the wall time of the steady phase; 1 = one CPU.
        CpuShare "cpu-share" "share of a CPU" Share;
        UserTime "user-time" "CPU time in user mode" Ns;
        SystemTime "system-time" "CPU time in the kernel" Ns;
        Uneven "uneven" "CPU time of the last flow over the first" Share;
        /// Of what has a quota: time in which flows that could run were held back, summed over CPUs.
        Throttled "throttled" "time throttled" Ns;
        /// Of its periods of 100 ms.
        ThrottledPeriods "throttled-periods" "share of periods throttled" Share;
        /// Of the processes of the work.
        Imbalance "imbalance" "longest CPU time over the mean" Share;
        /// Means of all flows, where the work tells them.
        Computing "computing" "time of a flow computing" Ns;
        Communication "communication" "time of a flow communicating" Ns;
        Waiting "waiting" "time of a flow waiting" Ns;
        Moves "moves" "moves between processes" Count;
        /// That were written, read back and right.
        Files "files" "bytes of files" Bytes;
        Requests "requests" "requests a second" PerSecond;
        P50 "p50" "median latency" Ns;
        P99 "p99" "p99 latency" Ns;
        P999 "p999" "p99.9 latency" Ns;
        /// Of the server, over the whole slot.
        CpuRequest "cpu-request" "CPU time for each request" Ns;
        /// Of a command that says how many it does.
        Rate "rate" "units of work a second" PerSecond;
        /// The most that a command was seen to have.
        Processes "processes" "processes at one time" Count;
        Threads "threads" "threads at one time" Count;
        /// What the launch of a program that does nothing takes, under the wrapper of the command.
        Launch "launch" "launch of `true`" Ns;
        /// Negative where both vary by more than they differ.
        WithoutLaunch "without-launch" "time less that of `true`" Ns;
    }
    asked_for {
        /// When the parent had the last result, after the release.
        ParentDone "parent-done" "the parent done" Ns;
        /// The source of the primes adds them up.
        DoneSum "done-sum" "completion times of parent and workers, added up" Ns;
        /// Results that the parent got.
        Results "results" "results" Count;
        /// Interrupts of the whole machine in the steady phase of the last repetition.
        Shootdowns "tlb-shootdowns" "TLB shootdowns" Count;
        /// The steady phase over what each flow counted in it.
        TimeEach "time-each" "time for each" Ns;
        /// Where flows are processes.
        RssParent "rss-parent" "RSS of the parent" Bytes;
        /// The mean of all processes that are flows.
        RssWorker "rss-worker" "RSS of one worker" Bytes;
    }
}

impl Kind {
    pub(crate) fn all(events: &[Event]) -> impl Iterator<Item = Self> {
        let listed = TABLE[..LISTED].iter().map(|row| row.kind);
        let events = events.iter().copied().map(Self::Event);
        listed.chain(events).chain(Self::simulated())
    }

    fn simulated() -> impl Iterator<Item = Self> {
        Count::ALL.into_iter().map(Self::Simulated)
    }

    fn named() -> impl Iterator<Item = Self> {
        let rows = TABLE.iter().map(|row| row.kind);
        let events = Event::ALL.into_iter().map(Self::Event);
        rows.chain(events).chain(Self::simulated())
    }

    pub(crate) fn of(name: &str, worker: Option<u32>) -> Option<Self> {
        let Some(worker) = worker else {
            return Self::named().find(|kind| kind.name() == name);
        };
        let mut known = OfWorker::ALL.into_iter();
        let of = known.find(|of| of.name() == name)?;
        Some(Self::Worker(of, worker))
    }

    pub(crate) fn names() -> impl Iterator<Item = String> {
        Self::named().map(Self::name)
    }

    /// With those of single workers.
    pub(crate) fn every_name() -> impl Iterator<Item = String> {
        let of_workers = OfWorker::ALL.map(|of| of.name().to_owned());
        Self::names().chain(of_workers)
    }

    fn row(self) -> Option<&'static Row> {
        TABLE.iter().find(|row| row.kind == self)
    }

    pub(crate) fn name(self) -> String {
        match (self, self.row()) {
            // The kernel counts these in two ways.
            (Self::Event(Event::Migrations), _) => "migrations-event".to_owned(),
            (Self::Event(event), _) => event.name().to_owned(),
            (Self::Simulated(count), _) => count.name().to_owned(),
            (Self::Worker(of, worker), _) => format!("{} {worker}", of.name()),
            (_, row) => row.map_or(String::new(), |row| row.name.to_owned()),
        }
    }

    pub(crate) fn spoken(self) -> String {
        match (self, self.row()) {
            (Self::Event(event), _) => event.to_string(),
            (Self::Simulated(count), _) => count.spoken().to_owned(),
            (Self::Worker(OfWorker::Done, worker), _) => format!("worker {worker} done"),
            (Self::Worker(OfWorker::Cpu, worker), _) => format!("CPU share of worker {worker}"),
            (Self::Worker(OfWorker::Time, worker), _) => format!("CPU time of worker {worker}"),
            (_, row) => row.map_or(String::new(), |row| row.spoken.to_owned()),
        }
    }

    pub(crate) fn unit(self) -> Unit {
        match self {
            Self::Worker(OfWorker::Done | OfWorker::Time, _) => Unit::Ns,
            Self::Worker(OfWorker::Cpu, _) => Unit::Share,
            _ => self.row().map_or(Unit::Count, |row| row.unit),
        }
    }
}

impl OfWorker {
    const ALL: [Self; 3] = [Self::Done, Self::Cpu, Self::Time];

    fn name(self) -> &'static str {
        match self {
            Self::Done => "worker-done",
            Self::Cpu => "worker-cpu",
            Self::Time => "worker-time",
        }
    }
}

/// What a number is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Nanoseconds.
    Ns,
    /// Bytes.
    Bytes,
    /// A number of things or events.
    Count,
    /// Events a second.
    PerSecond,
    /// A fraction; 1 is one whole CPU.
    Share,
}

impl Unit {
    /// As tables of data have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ns => "ns",
            Self::Bytes => "bytes",
            Self::Count => "count",
            Self::PerSecond => "per second",
            Self::Share => "share",
        }
    }

    /// A number of it, for people.
    #[must_use]
    pub fn show(self, value: f64) -> String {
        use super::number::{amount, bytes, percent, time};
        match self {
            Self::Ns => time(value),
            Self::Bytes => bytes(value),
            Self::Count => amount(value),
            Self::PerSecond => format!("{}/s", amount(value)),
            Self::Share => percent(value),
        }
    }
}
