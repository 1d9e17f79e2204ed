//! How a slot tells each quantity of [`crate::data::quantity`].

use flow::Rep;
use measure::Measured;
use measure::memory::Memory;
use measure::usage::Counter;

use super::read::{self, Look, Seen, of_command, own, share};
use crate::data::quantity::Kind;
use crate::findings::counts::Counts;
use crate::findings::requests::{latency_ns, per_s};

pub(super) enum Read {
    Rep(fn(&Rep) -> Option<f64>),
    Own(&'static str),
    Memory(fn(&Memory) -> Option<u64>),
    Counters,
    /// Parent and all flows; the reason when missing has this name in the record.
    Counts(fn(&Counts) -> Option<f64>, &'static str),
    Slot(fn(Look<'_>, &Seen<'_>) -> Option<Measured<f64>>),
}

pub(super) fn quantity(counter: Counter) -> Kind {
    match counter {
        Counter::Cpu => Kind::Cpu,
        Counter::MinorFaults | Counter::MajorFaults => Kind::Faults,
        Counter::VoluntarySwitches | Counter::InvoluntarySwitches => Kind::Switches,
    }
}

macro_rules! readers {
    ($($id:ident $read:expr;)+) => {
        /// `None` for what has no row.
        pub(super) fn read(kind: Kind) -> Option<Read> {
            Some(match kind {
                $(Kind::$id => $read,)+
                Kind::Worker(..) | Kind::Event(_) | Kind::Simulated(_) => return None,
            })
        }
    };
}

readers! {
    Time Read::Slot(read::time);
    Create Read::Rep(|rep| Some(rep.create_ns as f64));
    Steady Read::Rep(|rep| Some(rep.steady_ns as f64));
    TearDown Read::Rep(|rep| Some(rep.teardown_ns as f64));
    Cpu Read::Counters;
    Memory Read::Memory(|memory| Some(memory.total()));
    Pss Read::Memory(|memory| Some(memory.pss));
    PageTables Read::Memory(|memory| Some(memory.page_tables));
    KernelStacks Read::Memory(|memory| Some(memory.kernel_stacks));
    Rss Read::Slot(read::rss);
    PeakRss Read::Slot(read::peak_rss);
    LargePages Read::Slot(read::large_pages);
    // The flows' median and the parent's, so that both are seen apart elsewhere.
    Faults Read::Counts(Counts::faults, "");
    Switches Read::Counters;
    Migrations Read::Counts(|counts| counts.migrations, "migrations");
    BytesRead Read::Slot(|_, seen| {
        of_command(seen, "read_bytes").or_else(|| seen.counted(|one| one.bytes_read, "bytes"))
    });
    BytesWritten Read::Slot(|_, seen| {
        of_command(seen, "written_bytes")
            .or_else(|| seen.counted(|one| one.bytes_written, "bytes"))
    });
    StorageWritten Read::Counts(|counts| counts.storage_written, "bytes");
    CpuShare Read::Rep(read::cpu_share);
    UserTime Read::Rep(|rep| Some(own(rep)?.user_ns as f64));
    SystemTime Read::Rep(|rep| Some(own(rep)?.system_ns as f64));
    Uneven Read::Rep(|rep| {
        let [first, .., last] = rep.flows.as_slice() else { return None };
        share(last.steady.cpu_ns, first.steady.cpu_ns)
    });
    Throttled Read::Rep(|rep| Some(rep.throttled?.ns as f64));
    ThrottledPeriods Read::Rep(|rep| {
        let held = rep.throttled?;
        share(held.throttled, held.periods)
    });
    Imbalance Read::Rep(|rep| {
        let counts = &own(rep)?.counts;
        let (longest, mean) = (counts.get("longest_ns")?, counts.get("mean_ns")?);
        share(*longest, *mean)
    });
    Computing Read::Own("compute_ns");
    Communication Read::Own("communication_ns");
    Waiting Read::Own("waiting_ns");
    Moves Read::Own("moves");
    Files Read::Slot(read::files);
    Requests Read::Rep(|rep| per_s(rep).filter(|_| rep.steady_ns > 0));
    P50 Read::Rep(|rep| latency_ns(rep, 0.5));
    P99 Read::Rep(|rep| latency_ns(rep, 0.99));
    P999 Read::Rep(|rep| latency_ns(rep, 0.999));
    CpuRequest Read::Rep(read::cpu_of_request);
    Rate Read::Slot(read::rate);
    Processes Read::Own("processes");
    Threads Read::Own("tasks");
    Launch Read::Own(read::LAUNCH);
    WithoutLaunch Read::Slot(read::without_launch);
    ParentDone Read::Rep(|rep| Some(rep.parent.end_ns as f64));
    DoneSum Read::Rep(|rep| {
        let workers: u64 = rep.flows.iter().map(|flow| flow.end_ns).sum();
        (!rep.flows.is_empty()).then_some((workers + rep.parent.end_ns) as f64)
    });
    Results Read::Rep(|rep| Some(rep.parent.received as f64));
    Shootdowns Read::Slot(read::shootdowns);
    TimeEach Read::Rep(|rep| {
        let each = rep.proof().count as f64 / rep.flows.len().max(1) as f64;
        (each > 0.0).then(|| rep.steady_ns as f64 / each)
    });
    RssParent Read::Memory(|memory| memory.first_rss);
    RssWorker Read::Memory(Memory::other_rss);
}
