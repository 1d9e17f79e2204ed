//! Every quantity, a row each: name, what sentences call it, unit, and how a slot tells it. Tables,
//! files, `--expect`, published findings and runs side by side find them here.

use flow::Rep;
use measure::Measured;
use measure::counters::Event;
use measure::memory::Memory;
use measure::usage::Counter;

use super::Unit;
use super::read::{self, Look, Seen, of_command, own, share};
use crate::findings::counts::Counts;
use crate::findings::requests::{latency_ns, per_s};
use crate::findings::simulated;

pub(super) enum Read {
    Rep(fn(&Rep) -> Option<f64>),
    Own(&'static str),
    Memory(fn(&Memory) -> Option<u64>),
    Counters,
    /// Parent and all flows; the reason when missing has this name in the record.
    Counts(fn(&Counts) -> Option<f64>, &'static str),
    Slot(fn(Look<'_>, &Seen<'_>) -> Option<Measured<f64>>),
}

pub(super) struct Row {
    pub(super) kind: Kind,
    pub(super) name: &'static str,
    pub(super) spoken: &'static str,
    pub(super) unit: Unit,
    pub(super) read: Read,
}

pub(super) fn quantity(counter: Counter) -> Kind {
    match counter {
        Counter::Cpu => Kind::Cpu,
        Counter::MinorFaults | Counter::MajorFaults => Kind::Faults,
        Counter::VoluntarySwitches | Counter::InvoluntarySwitches => Kind::Switches,
    }
}

macro_rules! quantities {
    (
        listed { $($(#[$doc:meta])* $id:ident $name:literal $spoken:literal $unit:ident $read:expr;)+ }
        asked_for { $($(#[$more_doc:meta])* $more_id:ident $more:literal $more_spoken:literal $more_unit:ident $more_read:expr;)+ }
    ) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Kind {
            $($(#[$doc])* $id,)+
            $($(#[$more_doc])* $more_id,)+
            /// Numbered from 1.
            Worker(OfWorker, u32),
            Event(Event),
            Simulated(simulated::Count),
        }

        /// Rows of every case; others are shown on request.
        pub(super) const LISTED: usize = [$($name),+].len();

        pub(super) static TABLE: &[Row] = &[
            $(Row { kind: Kind::$id, name: $name, spoken: $spoken, unit: Unit::$unit, read: $read },)+
            $(Row {
                kind: Kind::$more_id,
                name: $more,
                spoken: $more_spoken,
                unit: Unit::$more_unit,
                read: $more_read,
            },)+
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
        Time "time" "time" Ns Read::Slot(read::time);
        Create "create" "time to create" Ns Read::Rep(|rep| Some(rep.create_ns as f64));
        Steady "steady" "steady phase" Ns Read::Rep(|rep| Some(rep.steady_ns as f64));
        TearDown "tear-down" "time to tear down" Ns Read::Rep(|rep| Some(rep.teardown_ns as f64));
        /// Of the parent and all flows, as the counts below.
        Cpu "cpu" "CPU time" Ns Read::Counters;
        /// PSS, page tables, kernel stacks (and slab where it is known).
        Memory "memory" "memory" Bytes Read::Memory(|memory| Some(memory.total()));
        Pss "pss" "user memory (PSS)" Bytes Read::Memory(|memory| Some(memory.pss));
        PageTables "page-tables" "page tables" Bytes Read::Memory(|memory| Some(memory.page_tables));
        KernelStacks "kernel-stacks" "kernel stacks" Bytes
            Read::Memory(|memory| Some(memory.kernel_stacks));
        Rss "rss" "RSS" Bytes Read::Slot(read::rss);
        PeakRss "peak-rss" "peak RSS" Bytes Read::Slot(read::peak_rss);
        /// Where a variant of the case asks for large pages.
        LargePages "large-pages" "share of the heap on large pages" Share
            Read::Slot(read::large_pages);
        // The flows' median and the parent's, so that both are seen apart elsewhere.
        Faults "faults" "page faults" Count Read::Counts(Counts::faults, "");
        Switches "switches" "context switches" Count Read::Counters;
        Migrations "migrations" "moves between CPUs" Count
            Read::Counts(|counts| counts.migrations, "migrations");
        BytesRead "bytes-read" "bytes read" Bytes Read::Slot(|_, seen| {
            of_command(seen, "read_bytes").or_else(|| seen.counted(|one| one.bytes_read, "bytes"))
        });
        BytesWritten "bytes-written" "bytes written" Bytes Read::Slot(|_, seen| {
            of_command(seen, "written_bytes")
                .or_else(|| seen.counted(|one| one.bytes_written, "bytes"))
        });
        StorageWritten "storage-written" "bytes sent to storage" Bytes
            Read::Counts(|counts| counts.storage_written, "bytes");
        /// CPU time of all flows over the wall time of the steady phase; 1 = one CPU.
        CpuShare "cpu-share" "share of a CPU" Share Read::Rep(read::cpu_share);
        UserTime "user-time" "CPU time in user mode" Ns Read::Rep(|rep| Some(own(rep)?.user_ns as f64));
        SystemTime "system-time" "CPU time in the kernel" Ns
            Read::Rep(|rep| Some(own(rep)?.system_ns as f64));
        Uneven "uneven" "CPU time of the last flow over the first" Share Read::Rep(|rep| {
            let [first, .., last] = rep.flows.as_slice() else { return None };
            share(last.steady.cpu_ns, first.steady.cpu_ns)
        });
        /// Of what has a quota: time in which flows that could run were held back, summed over CPUs.
        Throttled "throttled" "time throttled" Ns
            Read::Rep(|rep| Some(rep.throttled?.ns as f64));
        /// Of its periods of 100 ms.
        ThrottledPeriods "throttled-periods" "share of periods throttled" Share Read::Rep(|rep| {
            let held = rep.throttled?;
            share(held.throttled, held.periods)
        });
        /// Of the processes of the work.
        Imbalance "imbalance" "longest CPU time over the mean" Share Read::Rep(|rep| {
            let counts = &own(rep)?.counts;
            let (longest, mean) = (counts.get("longest_ns")?, counts.get("mean_ns")?);
            share(*longest, *mean)
        });
        /// Means of all flows, where the work tells them.
        Computing "computing" "time of a flow computing" Ns Read::Own("compute_ns");
        Communication "communication" "time of a flow communicating" Ns Read::Own("communication_ns");
        Waiting "waiting" "time of a flow waiting" Ns Read::Own("waiting_ns");
        Moves "moves" "moves between processes" Count Read::Own("moves");
        /// That were written, read back and right.
        Files "files" "bytes of files" Bytes Read::Slot(read::files);
        Requests "requests" "requests a second" PerSecond
            Read::Rep(|rep| per_s(rep).filter(|_| rep.steady_ns > 0));
        P50 "p50" "median latency" Ns Read::Rep(|rep| latency_ns(rep, 0.5));
        P99 "p99" "p99 latency" Ns Read::Rep(|rep| latency_ns(rep, 0.99));
        P999 "p999" "p99.9 latency" Ns Read::Rep(|rep| latency_ns(rep, 0.999));
        /// Of the server, over the whole slot.
        CpuRequest "cpu-request" "CPU time for each request" Ns Read::Rep(read::cpu_of_request);
        /// Of a command that says how many it does.
        Rate "rate" "units of work a second" PerSecond Read::Slot(read::rate);
        /// The most that a command was seen to have.
        Processes "processes" "processes at one time" Count Read::Own("processes");
        Threads "threads" "threads at one time" Count Read::Own("tasks");
        /// What the launch of a program that does nothing takes, under the wrapper of the command.
        Launch "launch" "launch of `true`" Ns Read::Own(read::LAUNCH);
        /// Negative where both vary by more than they differ.
        WithoutLaunch "without-launch" "time less that of `true`" Ns Read::Slot(read::without_launch);
    }
    asked_for {
        /// When the parent had the last result, after the release.
        ParentDone "parent-done" "the parent done" Ns Read::Rep(|rep| Some(rep.parent.end_ns as f64));
        /// The source of the primes adds them up.
        DoneSum "done-sum" "completion times of parent and workers, added up" Ns Read::Rep(|rep| {
            let workers: u64 = rep.flows.iter().map(|flow| flow.end_ns).sum();
            (!rep.flows.is_empty()).then_some((workers + rep.parent.end_ns) as f64)
        });
        /// Results that the parent got.
        Results "results" "results" Count Read::Rep(|rep| Some(rep.parent.received as f64));
        /// Interrupts of the whole machine in the steady phase of the last repetition.
        Shootdowns "tlb-shootdowns" "TLB shootdowns" Count Read::Slot(read::shootdowns);
        /// The steady phase over what each flow counted in it.
        TimeEach "time-each" "time for each" Ns Read::Rep(|rep| {
            let each = rep.proof().count as f64 / rep.flows.len().max(1) as f64;
            (each > 0.0).then(|| rep.steady_ns as f64 / each)
        });
        /// Where flows are processes.
        RssParent "rss-parent" "RSS of the parent" Bytes Read::Memory(|memory| memory.first_rss);
        /// The mean of all processes that are flows.
        RssWorker "rss-worker" "RSS of one worker" Bytes Read::Memory(Memory::other_rss);
    }
}
