use std::cell::OnceCell;

use flow::record::Forgotten;
use flow::{Rep, SelfManagedUsage, SlotRecord};
use machine::counters::Permission;
use measure::Measured;
use measure::memory::{Heap, Memory, Reading};
use measure::usage::Counter;

use super::readers::{Read, quantity, read};
use crate::data::quantity::{Kind, OfWorker};
use crate::data::{Case, Header, Metric, RawSlot, Value, median, slot_value};
use crate::findings::counts::{Counts, Span};
use crate::findings::{counted, counts};

pub(super) const LAUNCH: &str = "launch_of_true_ns";

pub(crate) struct Seen<'a> {
    slot: &'a RawSlot,
    record: &'a SlotRecord,
    counts: OnceCell<Option<Counts>>,
}

impl<'a> Seen<'a> {
    pub(crate) fn of(slot: &'a RawSlot) -> Option<Self> {
        Some(Self {
            slot,
            record: slot.outcome.answer.done()?,
            counts: OnceCell::new(),
        })
    }

    /// Why a quantity of it is not available, where children were forgotten that it counts.
    fn forgotten(&self, kind: Kind) -> Option<Measured<f64>> {
        let forgotten = counts::forgotten(self.record.reps.iter())?;
        let hides = match kind {
            Kind::Cpu | Kind::CpuRequest | Kind::CpuShare | Kind::UserTime | Kind::SystemTime => {
                forgotten == Forgotten::All
            }
            Kind::Faults | Kind::Switches | Kind::BytesRead | Kind::BytesWritten => true,
            _ => false,
        };
        let [reason, remedy] = counts::why_forgotten(forgotten);
        hides.then(|| Measured::not_available(reason, remedy))
    }

    fn counts(&self) -> Option<&Counts> {
        let counts = self.counts.get_or_init(|| {
            let reps: Vec<&Rep> = self.record.reps.iter().collect();
            counts::of(&reps, Span::All)
        });
        counts.as_ref()
    }

    pub(super) fn counted(
        &self,
        what: fn(&Counts) -> Option<f64>,
        name: &str,
    ) -> Option<Measured<f64>> {
        if let Some(value) = what(self.counts()?) {
            return Some(Measured::Value(value));
        }
        let said = counts::not_counted(self.record.reps.iter()).into_iter();
        let mut said = said.filter(|line| line.starts_with(name));
        let reason = said.next();
        let reason = reason.unwrap_or_else(|| "the record does not have it".to_owned());
        Some(Measured::not_available(reason, ""))
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Look<'a> {
    pub(crate) case: &'a Case,
    value: Value,
    permission: &'a Permission,
}

impl<'a> Look<'a> {
    pub(crate) fn of(case: &'a Case, header: &'a Header) -> Self {
        Self {
            case,
            value: header.settings.value,
            permission: &header.machine.counters.permission,
        }
    }
}

impl Kind {
    pub(crate) fn of_slot(self, look: Look<'_>, seen: &Seen<'_>) -> Option<Measured<f64>> {
        match (&seen.slot.outcome.simulated, self) {
            (None, _) | (Some(_), Self::Event(_)) => self.measured(look, seen),
            // An emulated slot has only time and events (counted elsewhere).
            (Some(_), Self::Time) => seen.slot.value_ns.map(Measured::Value),
            (Some(counted), Self::Simulated(count)) => {
                Some(counted.as_ref().map(|counted| count.of(counted)))
            }
            (Some(_), _) => None,
        }
    }

    fn measured(self, look: Look<'_>, seen: &Seen<'_>) -> Option<Measured<f64>> {
        let Seen { slot, record, .. } = seen;
        if let Some(not_available) = seen.forgotten(self) {
            return Some(not_available);
        }
        let read = match self {
            Self::Event(event) => {
                let work = look.case.work_of(slot.variant);
                let read = counted::reading(record, event, look.permission, work);
                return Some(read.map(|reading| reading.scaled));
            }
            Self::Worker(of, worker) => return over(record, |rep| of.of(rep, worker)),
            _ => read(self)?,
        };
        match read {
            Read::Rep(of) => over(record, of),
            Read::Own(name) => of_command(seen, name),
            Read::Memory(part) => memory(record, part),
            Read::Counters => {
                let own = Counter::ALL
                    .into_iter()
                    .filter(|one| quantity(*one) == self);
                let medians = own.map(|one| counts::counter(&record.reps, one));
                medians
                    .reduce(|sum, one| Some(sum? + one?))?
                    .map(Measured::Value)
            }
            Read::Counts(of, name) => seen.counted(of, name),
            Read::Slot(of) => of(look, seen),
        }
    }
}

impl OfWorker {
    fn of(self, rep: &Rep, worker: u32) -> Option<f64> {
        let place = usize::try_from(worker).ok()?.checked_sub(1)?;
        let flow = rep.flows.get(place)?;
        match self {
            Self::Done => Some(flow.end_ns as f64),
            Self::Cpu => share(flow.steady.cpu_ns, rep.steady_ns),
            Self::Time => Some((flow.create.cpu_ns + flow.steady.cpu_ns) as f64),
        }
    }
}

fn over(record: &SlotRecord, of: impl Fn(&Rep) -> Option<f64>) -> Option<Measured<f64>> {
    median(record.reps.iter().filter_map(of)).map(Measured::Value)
}

pub(super) fn time(look: Look<'_>, seen: &Seen<'_>) -> Option<Measured<f64>> {
    slot_value(&seen.slot.outcome, look.case.metric, look.value).map(Measured::Value)
}

pub(super) fn without_launch(look: Look<'_>, seen: &Seen<'_>) -> Option<Measured<f64>> {
    let launch = *of_command(seen, LAUNCH)?.value()?;
    let time = slot_value(&seen.slot.outcome, Metric::Total, look.value)?;
    Some(Measured::Value(time - launch))
}

pub(super) fn rate(look: Look<'_>, seen: &Seen<'_>) -> Option<Measured<f64>> {
    let units = look.case.work_of(seen.slot.variant).program()?.units?;
    over(seen.record, |rep| {
        Some(units as f64 * 1e9 / rep.total_ns().max(1) as f64)
    })
}

pub(super) fn shootdowns(_look: Look<'_>, seen: &Seen<'_>) -> Option<Measured<f64>> {
    let counters = seen.record.reps.last()?.kernel_counters.as_ref()?;
    let counted = counters.shootdowns.as_ref()?;
    Some(counted.as_ref().map(|count| *count as f64))
}

pub(super) fn files(look: Look<'_>, seen: &Seen<'_>) -> Option<Measured<f64>> {
    match look.case.work_of(seen.slot.variant).file_bytes() {
        0 => None,
        _ => over(seen.record, |rep| Some(rep.proof().count as f64)),
    }
}

pub(super) fn own(rep: &Rep) -> Option<&SelfManagedUsage> {
    rep.self_managed.as_deref()
}

pub(super) fn of_command(seen: &Seen<'_>, name: &str) -> Option<Measured<f64>> {
    over(seen.record, |rep| {
        own(rep)?.counts.get(name).map(|&count| count as f64)
    })
}

pub(super) fn share(ns: u64, of_ns: u64) -> Option<f64> {
    (of_ns > 0).then(|| ns as f64 / of_ns as f64)
}

/// Of the steady phase; of work that makes its own flows the whole.
pub(super) fn cpu_share(rep: &Rep) -> Option<f64> {
    match own(rep) {
        Some(own) => share(own.user_ns + own.system_ns, rep.total_ns()),
        None => {
            let flows = rep.flows.iter();
            share(flows.map(|flow| flow.steady.cpu_ns).sum(), rep.steady_ns)
        }
    }
}

pub(super) fn cpu_of_request(rep: &Rep) -> Option<f64> {
    let answered = rep.latencies.as_ref()?.count();
    let cpu_ns: u64 = rep.flows.iter().map(|flow| flow.steady.cpu_ns).sum();
    share(cpu_ns, answered)
}

/// `None` for what this memory cannot have: parts by process, where there is one process.
fn memory(record: &SlotRecord, part: fn(&Memory) -> Option<u64>) -> Option<Measured<f64>> {
    match &record.memory {
        Reading::Honest(memory) => part(memory).map(|bytes| Measured::Value(bytes as f64)),
        Reading::RssOnly { reason, remedy, .. } => Some(Measured::not_available(reason, remedy)),
    }
}

pub(super) fn large_pages(look: Look<'_>, seen: &Seen<'_>) -> Option<Measured<f64>> {
    let mut variants = look.case.variants.iter();
    if !variants.any(|one| one.variant.heap_pages.is_some()) {
        return None;
    }
    let heap = match &seen.record.memory {
        Reading::Honest(memory) => memory.heap,
        Reading::RssOnly { .. } => None,
    };
    Some(match heap.and_then(Heap::share) {
        Some(share) => Measured::Value(share),
        None => Measured::not_available(
            "/proc/PID/smaps_rollup does not tell it",
            "use Linux 4.14 or newer with CONFIG_PROC_PAGE_MONITOR",
        ),
    })
}

pub(super) fn rss(_: Look<'_>, seen: &Seen<'_>) -> Option<Measured<f64>> {
    let (Reading::Honest(Memory { rss, .. }) | Reading::RssOnly { rss, .. }) = &seen.record.memory;
    Some(Measured::Value(*rss as f64))
}

pub(super) fn peak_rss(_: Look<'_>, seen: &Seen<'_>) -> Option<Measured<f64>> {
    let own = seen.record.reps.iter().filter_map(own);
    let most = own.map(|own| own.peak_rss).max()?;
    Some(Measured::Value(most as f64))
}
