//! What a slot says of each quantity.

use std::cell::OnceCell;

use flow::{FlowRecord, Rep, SelfManagedUsage, SlotRecord};
use machine::counters::Permission;
use measure::Measured;
use measure::memory::{Heap, Memory, Reading};

use super::Kind;
use crate::data::{Case, Header, Metric, RawSlot, Value, median, slot_value};
use crate::findings::counts::{Counts, Span};
use crate::findings::requests::{latency_ns, per_s};
use crate::findings::{counted, counts};

/// What the slot of a command counts: a launch of `true`.
const LAUNCH: &str = "launch_of_true_ns";

/// A good slot that is looked at for several quantities.
pub(crate) struct Seen<'a> {
    slot: &'a RawSlot,
    record: &'a SlotRecord,
    /// Made once for all quantities that need them.
    counts: OnceCell<Option<Counts>>,
}

impl<'a> Seen<'a> {
    /// `None` for a failed slot.
    pub(crate) fn of(slot: &'a RawSlot) -> Option<Self> {
        Some(Self {
            slot,
            record: slot.outcome.answer.done()?,
            counts: OnceCell::new(),
        })
    }

    fn counts(&self) -> Option<&Counts> {
        let counts = self.counts.get_or_init(|| {
            let reps: Vec<&Rep> = self.record.reps.iter().collect();
            counts::of(&reps, Span::All)
        });
        counts.as_ref()
    }
}

/// How slots are looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look<'a> {
    pub(crate) case: &'a Case,
    /// What stands for the time of a slot.
    value: Value,
    permission: &'a Permission,
}

impl<'a> Look<'a> {
    /// As a run looks at them.
    pub(crate) fn of(case: &'a Case, header: &'a Header) -> Self {
        Self {
            case,
            value: header.settings.value,
            permission: &header.machine.counters.permission,
        }
    }
}

impl Kind {
    /// The number of a good slot; `None` where the work cannot have the quantity.
    pub(crate) fn of_slot(self, look: Look<'_>, seen: &Seen<'_>) -> Option<Measured<f64>> {
        let Some(counted) = &seen.slot.outcome.simulated else {
            return self.measured(look, seen);
        };
        // All else is the emulator's, but for events: those are never counted there.
        match self {
            Self::Event(_) => self.measured(look, seen),
            Self::Time => seen.slot.value_ns.map(Measured::Value),
            Self::Simulated(count) => Some(counted.as_ref().map(|counted| count.of(counted))),
            _ => None,
        }
    }

    /// The number of a slot that ran on this machine.
    fn measured(self, look: Look<'_>, seen: &Seen<'_>) -> Option<Measured<f64>> {
        let Seen { slot, record, .. } = seen;
        match self {
            Self::Time => {
                slot_value(&slot.outcome, look.case.metric, look.value).map(Measured::Value)
            }
            Self::Create => phase(record, |rep| rep.create_ns),
            Self::Steady => phase(record, |rep| rep.steady_ns),
            Self::TearDown => phase(record, |rep| rep.teardown_ns),
            Self::Requests => requests(record),
            Self::CpuShare => over(record, cpu_share),
            Self::UserTime | Self::SystemTime | Self::Imbalance => {
                over(record, |rep| self.self_managed(rep.self_managed.as_ref()?))
            }
            Self::Uneven => over(record, uneven),
            Self::Files => match look.case.work_of(slot.variant).file_bytes() {
                0 => None,
                _ => over(record, |rep| Some(rep.proof().count as f64)),
            },
            Self::P50 => latency(record, 0.5),
            Self::P99 => latency(record, 0.99),
            Self::P999 => latency(record, 0.999),
            Self::PeakRss => peak_rss(record),
            Self::Memory => Some(memory(record, Memory::total)),
            Self::Pss => Some(memory(record, |memory| memory.pss)),
            Self::PageTables => Some(memory(record, |memory| memory.page_tables)),
            Self::KernelStacks => Some(memory(record, |memory| memory.kernel_stacks)),
            Self::Rss => Some(Measured::Value(rss(record))),
            Self::Rate => {
                let units = look.case.work_of(slot.variant).program()?.units?;
                over(record, |rep| {
                    Some(units as f64 * 1e9 / rep.total_ns().max(1) as f64)
                })
            }
            Self::Processes => count_named(record, "processes"),
            Self::Threads => count_named(record, "tasks"),
            Self::Launch => count_named(record, LAUNCH),
            Self::WithoutLaunch => without_launch(slot, record, look.value),
            Self::Moves => count_named(record, "moves"),
            Self::Computing => count_named(record, "compute_ns"),
            Self::Communication => count_named(record, "communication_ns"),
            Self::Waiting => count_named(record, "waiting_ns"),
            Self::BytesRead if count_named(record, "read_bytes").is_some() => {
                count_named(record, "read_bytes")
            }
            Self::BytesWritten if count_named(record, "written_bytes").is_some() => {
                count_named(record, "written_bytes")
            }
            Self::LargePages => {
                let mut variants = look.case.variants.iter();
                let asks = variants.any(|one| one.variant.heap_pages.is_some());
                asks.then(|| large_pages(record))
            }
            Self::Event(event) => {
                let work = look.case.work_of(slot.variant);
                let read = counted::reading(record, event, look.permission, work);
                Some(read.map(|reading| reading.scaled))
            }
            _ => self.of_one(record).or_else(|| self.counted(seen)),
        }
    }

    /// What is of one worker, one process, or one of what a flow counts: sources have it.
    fn of_one(self, record: &SlotRecord) -> Option<Measured<f64>> {
        match self {
            Self::WorkerCpu(worker) => over(record, |rep| {
                share(flow(rep, worker)?.steady.cpu_ns, rep.steady_ns)
            }),
            Self::WorkerDone(worker) => over(record, |rep| Some(flow(rep, worker)?.end_ns as f64)),
            Self::WorkerTime(worker) => over(record, |rep| {
                let flow = flow(rep, worker)?;
                Some((flow.create.cpu_ns + flow.steady.cpu_ns) as f64)
            }),
            Self::Results => over(record, |rep| Some(rep.parent.received as f64)),
            Self::ParentDone => over(record, |rep| Some(rep.parent.end_ns as f64)),
            Self::TimeEach => over(record, |rep| {
                let each = rep.proof().count as f64 / rep.flows.len().max(1) as f64;
                (each > 0.0).then(|| rep.steady_ns as f64 / each)
            }),
            Self::RssParent => apart(record, |memory| memory.first_rss),
            Self::RssWorker => apart(record, Memory::other_rss),
            _ => None,
        }
    }

    /// What work that makes its own flows says of them.
    fn self_managed(self, own: &SelfManagedUsage) -> Option<f64> {
        let named = |name: &str| own.counts.get(name).map(|value| *value as f64);
        match self {
            Self::UserTime => Some(own.user_ns as f64),
            Self::SystemTime => Some(own.system_ns as f64),
            Self::Imbalance => {
                let mean = named("mean_ns").filter(|mean| *mean > 0.0)?;
                Some(named("longest_ns")? / mean)
            }
            _ => None,
        }
    }

    /// What the kernel counted of the parent and the flows.
    fn counted(self, seen: &Seen<'_>) -> Option<Measured<f64>> {
        let counts = seen.counts()?;
        let of = |what: fn(&Counts) -> Option<f64>, name| match what(counts) {
            Some(value) => Measured::Value(value),
            None => not_counted(&seen.record.reps, name),
        };
        Some(match self {
            Self::Cpu => Measured::Value(counts.cpu_ns),
            Self::Faults => Measured::Value(counts.faults()),
            Self::Switches => Measured::Value(counts.switches()),
            Self::Migrations => of(|counts| counts.migrations, "migrations"),
            Self::BytesRead => of(|counts| counts.bytes_read, "bytes"),
            Self::BytesWritten => of(|counts| counts.bytes_written, "bytes"),
            Self::StorageWritten => of(|counts| counts.storage_written, "bytes"),
            _ => return None,
        })
    }
}

fn over(record: &SlotRecord, of: impl Fn(&Rep) -> Option<f64>) -> Option<Measured<f64>> {
    median(record.reps.iter().filter_map(of)).map(Measured::Value)
}

/// The time of a command less that of `true`.
fn without_launch(slot: &RawSlot, record: &SlotRecord, value: Value) -> Option<Measured<f64>> {
    let launch = *count_named(record, LAUNCH)?.value()?;
    let time = slot_value(&slot.outcome, Metric::Total, value)?;
    Some(Measured::Value(time - launch))
}

/// What work that makes its own flows counted by name.
fn count_named(record: &SlotRecord, name: &str) -> Option<Measured<f64>> {
    over(record, |rep| {
        let own = rep.self_managed.as_ref()?;
        own.counts.get(name).map(|&count| count as f64)
    })
}

/// CPU time over wall time.
fn share(cpu_ns: u64, wall_ns: u64) -> Option<f64> {
    (wall_ns > 0).then(|| cpu_ns as f64 / wall_ns as f64)
}

/// Of the steady phase; work that makes its own flows knows only the whole.
fn cpu_share(rep: &Rep) -> Option<f64> {
    match &rep.self_managed {
        Some(own) => share(own.user_ns + own.system_ns, rep.total_ns()),
        None => {
            let flows = rep.flows.iter();
            share(flows.map(|flow| flow.steady.cpu_ns).sum(), rep.steady_ns)
        }
    }
}

fn uneven(rep: &Rep) -> Option<f64> {
    let (first, last) = (rep.flows.first()?, rep.flows.last()?);
    (rep.flows.len() > 1).then_some(())?;
    share(last.steady.cpu_ns, first.steady.cpu_ns)
}

/// A worker by its number, from 1.
fn flow(rep: &Rep, worker: u32) -> Option<&FlowRecord> {
    let place = usize::try_from(worker).ok()?.checked_sub(1)?;
    rep.flows.get(place)
}

fn phase(record: &SlotRecord, of: fn(&Rep) -> u64) -> Option<Measured<f64>> {
    median(record.reps.iter().map(|rep| of(rep) as f64)).map(Measured::Value)
}

fn memory(record: &SlotRecord, part: fn(&Memory) -> u64) -> Measured<f64> {
    match &record.memory {
        Reading::Honest(memory) => Measured::Value(part(memory) as f64),
        Reading::RssOnly { reason, remedy, .. } => Measured::not_available(reason, remedy),
    }
}

/// What is known of the parent and its processes apart; nothing where there is one process.
fn apart(record: &SlotRecord, part: fn(&Memory) -> Option<u64>) -> Option<Measured<f64>> {
    match &record.memory {
        Reading::Honest(memory) => part(memory).map(|bytes| Measured::Value(bytes as f64)),
        Reading::RssOnly { reason, remedy, .. } => Some(Measured::not_available(reason, remedy)),
    }
}

fn large_pages(record: &SlotRecord) -> Measured<f64> {
    let heap = match &record.memory {
        Reading::Honest(memory) => memory.heap,
        Reading::RssOnly { .. } => None,
    };
    match heap.and_then(Heap::share) {
        Some(share) => Measured::Value(share),
        None => Measured::not_available(
            "/proc/PID/smaps_rollup does not tell it",
            "use Linux 4.14 or newer with CONFIG_PROC_PAGE_MONITOR",
        ),
    }
}

fn rss(record: &SlotRecord) -> f64 {
    match &record.memory {
        Reading::Honest(memory) => memory.rss as f64,
        Reading::RssOnly { rss, .. } => *rss as f64,
    }
}

/// Of work that makes its own flows: when memory is read, those are gone.
fn peak_rss(record: &SlotRecord) -> Option<Measured<f64>> {
    let own = record
        .reps
        .iter()
        .filter_map(|rep| rep.self_managed.as_ref());
    let most = own.map(|own| own.peak_rss).max()?;
    Some(Measured::Value(most as f64))
}

fn requests(record: &SlotRecord) -> Option<Measured<f64>> {
    over(record, |rep| per_s(rep).filter(|_| rep.steady_ns > 0))
}

/// A quantile of the latencies of a slot, where requests were answered.
fn latency(record: &SlotRecord, share: f64) -> Option<Measured<f64>> {
    over(record, |rep| latency_ns(rep, share))
}

/// Why a count is not in a record, as the record says it.
fn not_counted(reps: &[Rep], name: &str) -> Measured<f64> {
    let said = counts::not_counted(reps.iter());
    let reason = said.into_iter().find(|line| line.starts_with(name));
    let reason = reason.unwrap_or_else(|| "the record does not have it".to_owned());
    Measured::not_available(reason, "")
}
