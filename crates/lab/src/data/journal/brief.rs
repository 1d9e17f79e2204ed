//! Lines of a journal without what no verdict asks for: most fields of the written types are
//! skipped and stay at their defaults, unchecked beyond being JSON, in a sixth of the time. Read
//! whole are failed slots, cases that need single flows ([`Header::asks_for_flows`]), and what
//! cannot be understood, so that errors are the same.

use flow::latency::Latencies;
use flow::record::{Counted, KernelCounters, ParentRecord, SelfManagedUsage, Turns};
use flow::{Answer, FlowRecord, Proof, Rep, SlotRecord};
use measure::Measured;
use measure::memory::Reading;
use serde::{Deserialize, Deserializer};

use super::{Entry, Header, Outcome, SlotEntry};
use crate::data::Simulated;

const PILOT: &[u8] = br#"{"line":"pilot","#;

/// How the lines of slots begin that are no data points, and have the fields of one.
const ASIDE: [&[u8]; 4] = [
    br#"{"line":"film","#,
    br#"{"line":"profiled","#,
    br#"{"line":"confirmed","#,
    br#"{"line":"predicted","#,
];

pub(super) fn entry(line: &[u8], header: &Header) -> Option<Entry> {
    if line.starts_with(PILOT) {
        return serde_json::from_slice(line).ok().map(Pilot::entry);
    }
    if ASIDE.iter().any(|begin| line.starts_with(begin)) {
        return None;
    }
    let OneSlot(slot) = serde_json::from_slice(line).ok()?;
    (!header.asks_for_flows(&slot.study, &slot.case)).then_some(Entry::Slot(slot))
}

#[derive(Deserialize)]
struct Pilot {
    study: String,
    case: String,
    warmups: u32,
    reps: u32,
    deadline_s: f64,
}

impl Pilot {
    fn entry(self) -> Entry {
        Entry::Pilot {
            study: self.study,
            case: self.case,
            warmups: self.warmups,
            reps: self.reps,
            deadline_s: self.deadline_s,
            outcomes: Vec::new(),
        }
    }
}

#[derive(Deserialize)]
struct OneSlot(#[serde(with = "Slot")] SlotEntry);

#[derive(Deserialize)]
#[serde(remote = "SlotEntry")]
struct Slot {
    study: String,
    case: String,
    round: usize,
    variant: usize,
    at_s: f64,
    #[serde(deserialize_with = "outcome")]
    outcome: Outcome,
}

fn outcome<'de, D: Deserializer<'de>>(from: D) -> Result<Outcome, D::Error> {
    #[derive(Deserialize)]
    struct Launch {
        #[serde(with = "Done")]
        answer: SlotRecord,
        launch_ns: u64,
        simulated: Option<Measured<Simulated>>,
    }
    let launch = Launch::deserialize(from)?;
    Ok(Outcome {
        simulated: launch.simulated,
        ..Outcome::new(Answer::Done(launch.answer), launch.launch_ns)
    })
}

#[derive(Deserialize)]
#[serde(remote = "SlotRecord")]
struct Done {
    #[serde(skip)]
    warmups: Vec<Rep>,
    #[serde(deserialize_with = "reps")]
    reps: Vec<Rep>,
    memory: Reading,
    #[serde(skip)]
    timed: Option<Box<Rep>>,
    proof: Proof,
}

fn reps<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Rep>, D::Error> {
    #[derive(Deserialize)]
    struct One(#[serde(with = "Times")] Rep);
    let reps = Vec::<One>::deserialize(from)?;
    Ok(reps.into_iter().map(|One(rep)| rep).collect())
}

#[derive(Deserialize)]
#[serde(remote = "Rep")]
struct Times {
    create_ns: u64,
    steady_ns: u64,
    teardown_ns: u64,
    throttled: Option<flow::quota::Throttled>,
    #[serde(skip)]
    skew_ns: u64,
    #[serde(skip)]
    parent: ParentRecord,
    #[serde(skip)]
    flows: Vec<FlowRecord>,
    turns: Option<Turns>,
    latencies: Option<Box<Latencies>>,
    #[serde(skip)]
    kernel_counters: Option<Box<KernelCounters>>,
    #[serde(skip)]
    counted: Option<Box<Measured<Counted>>>,
    #[serde(rename = "own")]
    self_managed: Option<Box<SelfManagedUsage>>,
    #[serde(skip)]
    marks: Option<Box<[u64; 3]>>,
    #[serde(skip)]
    paused: Option<flow::pace::Paused>,
}
