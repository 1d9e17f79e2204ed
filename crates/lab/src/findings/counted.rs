//! What counters of events tell of a variant: medians over its slots.
//!
//! A slot has one value for each event: of its counted repetition, `count * enabled / running` of
//! each flow, added up: a counter that shared its place is taken to have had its rate for all of
//! the time. Shares, rates and ratios are formed within each slot, so each number is the median of
//! a column of `counters.csv`. The journal's header explains what was refused.

mod missing;

use flow::record::counted::Came;
use flow::{FlowRecord, Rep, SlotRecord};
use machine::counters::{self, Permission};
use measure::Measured;
use measure::counters::{Event, Sample, Scope};
use serde::{Deserialize, Serialize};
use workload::Work;

pub use missing::missing;

use super::phrases::because;
use crate::data::gathered::{distinct, grouped};
use crate::data::median;

/// Counted events of one variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Events {
    /// One for each event that was asked for.
    pub events: Vec<EventSummary>,
    /// What an average cycle did, where both were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions_per_cycle: Option<f64>,
    /// The kernel's flows that were counted, median.
    pub flows: f64,
    /// Time to open and to read the counters of a slot, median, in ns; it is in no phase.
    pub around_ns: f64,
    /// The counted repetition's steady phase over the others', median; `None` of one repetition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slower: Option<f64>,
}

/// One event of one variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EventSummary {
    /// Which.
    pub event: Event,
    /// Medians over the slots in which it was counted, or why it was in none.
    pub count: Measured<EventMedians>,
}

/// Medians over slots; see [`Reading`] for each.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EventMedians {
    /// Slots in which it was counted.
    pub slots: usize,
    /// Where it was counted.
    pub scope: Scope,
    /// Events in a repetition.
    pub scaled: f64,
    /// The share of the time for which the counters ran.
    pub ran: f64,
    /// Events in a second of CPU time.
    pub per_cpu_second: f64,
    /// Events for a unit of work, or for a turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_unit: Option<f64>,
    /// Events in 1,000 instructions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_1000_instructions: Option<f64>,
}

/// One event in one slot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// Where it was counted.
    pub scope: Scope,
    /// All flows together, as it was read.
    pub sum: Sample,
    /// Events in all of the time that the counters were wanted.
    pub scaled: f64,
    /// The share of that time for which they ran.
    pub ran: f64,
    /// Events in a second of CPU time of the flows.
    pub per_cpu_second: f64,
    /// Events for a unit of work, or for a turn where flows take turns.
    pub per_unit: Option<f64>,
    /// Events in 1,000 instructions, where those were counted in the same scope.
    pub per_1000_instructions: Option<f64>,
}

impl Events {
    /// Medians of an event; `None` where it was not asked for.
    #[must_use]
    pub fn of(&self, event: Event) -> Option<&Measured<EventMedians>> {
        let found = self.events.iter().find(|summary| summary.event == event);
        found.map(|summary| &summary.count)
    }
}

pub(crate) fn events(
    asked: &[Event],
    permission: &Permission,
    work: &Work,
    good: &[&SlotRecord],
) -> Option<Events> {
    if asked.is_empty() || good.is_empty() {
        return None;
    }
    let opened = || good.iter().filter_map(|record| opened(last(record)?));
    let both = |record: &&SlotRecord| {
        let of = |event| reading(record, event, permission, work).into_value();
        let (instructions, cycles) = (of(Event::Instructions)?, of(Event::Cycles)?);
        (instructions.scope == cycles.scope && cycles.scaled > 0.0)
            .then_some(instructions.scaled / cycles.scaled)
    };
    let summary = |&event: &Event| EventSummary {
        event,
        count: medians(event, permission, work, good),
    };
    Some(Events {
        events: asked.iter().map(summary).collect(),
        instructions_per_cycle: median(good.iter().filter_map(both)),
        flows: median(opened().map(|counted| counted.flows as f64)).unwrap_or(0.0),
        around_ns: median(opened().map(|c| (c.open_ns + c.read_ns) as f64)).unwrap_or(0.0),
        slower: median(good.iter().filter_map(|record| slower(record))),
    })
}

fn medians(
    event: Event,
    permission: &Permission,
    work: &Work,
    good: &[&SlotRecord],
) -> Measured<EventMedians> {
    let readings = good
        .iter()
        .map(|record| reading(record, event, permission, work));
    let (mut found, mut missing) = (Vec::new(), None);
    for reading in readings {
        match reading {
            Measured::Value(reading) => found.push(reading),
            Measured::NotAvailable { reason, remedy } => {
                missing.get_or_insert_with(|| Measured::not_available(reason, remedy));
            }
        }
    }
    let over = |what: fn(&Reading) -> Option<f64>| median(found.iter().filter_map(what));
    let all = || {
        Some(EventMedians {
            slots: found.len(),
            scope: found.first()?.scope,
            scaled: over(|reading| Some(reading.scaled))?,
            ran: over(|reading| Some(reading.ran))?,
            per_cpu_second: over(|reading| Some(reading.per_cpu_second))?,
            per_unit: over(|reading| reading.per_unit),
            per_1000_instructions: over(|reading| reading.per_1000_instructions),
        })
    };
    all().map_or_else(|| missing.unwrap_or_else(not_counted), Measured::Value)
}

fn not_counted<T>() -> Measured<T> {
    Measured::not_available("it was not counted in any slot", "")
}

fn last(record: &SlotRecord) -> Option<&Rep> {
    record.reps.last()
}

fn opened(rep: &Rep) -> Option<&flow::record::Counted> {
    rep.counted.as_ref()?.value()
}

/// One event in the counted repetition of a slot of that work, or why it is not there.
#[must_use]
pub fn reading(
    record: &SlotRecord,
    event: Event,
    permission: &Permission,
    work: &Work,
) -> Measured<Reading> {
    let Some(rep) = last(record) else {
        return not_counted();
    };
    let instructions = raw(rep, Event::Instructions, permission).into_value();
    raw(rep, event, permission).map(|Raw { scope, sum, scaled }| {
        let instructions = instructions
            .filter(|other| other.scope == scope && event != Event::Instructions)
            .map(|other| other.scaled);
        let over = |whole: f64| (whole > 0.0).then_some(scaled / whole);
        Reading {
            scope,
            sum,
            scaled,
            ran: sum.ran().unwrap_or(0.0),
            per_cpu_second: scaled / (sum.enabled_ns.max(1) as f64 / 1e9),
            per_unit: over(units(rep, work)),
            per_1000_instructions: instructions.and_then(|n| over(n / 1_000.0)),
        }
    })
}

#[derive(Clone, Copy)]
struct Raw {
    scope: Scope,
    sum: Sample,
    scaled: f64,
}

fn raw(rep: &Rep, event: Event, permission: &Permission) -> Measured<Raw> {
    let counted = match rep.counted.as_deref() {
        None => return not_counted(),
        Some(counted) => counted.as_ref(),
    };
    counted.and_then(|counted| match counted.of(event) {
        None => not_counted(),
        Some(Came::Refused { errno }) => counters::explain_number(*errno, event, permission),
        Some(came @ Came::Read { scope, sum, .. }) => {
            let whole = |sum| {
                let scaled = came.scaled();
                scaled.map_or_else(
                    || counters::some_never_ran(came.never_ran(), counted.flows),
                    |scaled| {
                        Measured::Value(Raw {
                            scope: *scope,
                            sum,
                            scaled,
                        })
                    },
                )
            };
            counters::trusted(event, *sum).and_then(whole)
        }
    })
}

/// Turns if flows take turns; requests if a unit is a worker that answers them.
fn units(rep: &Rep, work: &Work) -> f64 {
    let of = |flow: &FlowRecord| match work.is_counted_by_proof() {
        true => flow.proof.count,
        false => flow.units,
    };
    let units = || rep.flows.iter().map(of).sum();
    rep.turns.map_or_else(units, |turns| turns.taken) as f64
}

fn slower(record: &SlotRecord) -> Option<f64> {
    let (counted, others) = record.reps.split_last()?;
    opened(counted)?;
    let others = median(others.iter().map(|rep| rep.steady_ns as f64))?;
    (others > 0.0).then_some(counted.steady_ns as f64 / others)
}

/// `not available: cycles, instructions: reason (remedy)`: each reason once.
pub fn reasons<'a, T: 'a>(
    events: impl IntoIterator<Item = (Event, &'a Measured<T>)>,
) -> Vec<String> {
    let missing = events.into_iter().filter_map(|(event, count)| match count {
        Measured::NotAvailable { reason, remedy } => Some((because(reason, remedy), event)),
        Measured::Value(_) => None,
    });
    let line = |(text, events): (String, Vec<Event>)| {
        let names = distinct(events).into_iter().map(|event| event.to_string());
        format!(
            "not available: {}: {text}",
            names.collect::<Vec<_>>().join(", ")
        )
    };
    grouped(missing).into_iter().map(line).collect()
}

#[cfg(test)]
mod tests;
