use crate::flow_run::describe_trouble;
use crate::flow_status::{FlowStatus, Stage};
use crate::record::{FlowRecord, FlowState, Turns};
use crate::shared_memory::SharedMemory;
use crate::watch::Watch;

pub(super) fn flow_records(shared: &SharedMemory, watch: &Watch<'_>, go: u64) -> Vec<FlowRecord> {
    let flows = shared.flows().iter().enumerate();
    let flows = flows.map(|(index, flow)| flow_record(flow, go, watch.fate(index)));
    flows.collect()
}

fn flow_record(flow: &FlowStatus, go: u64, fate: Option<FlowState>) -> FlowRecord {
    let state = match flow.stage() {
        Stage::Done => FlowState::Done,
        Stage::Troubled => FlowState::Error {
            what: describe_trouble(flow.trouble()),
        },
        Stage::Absent | Stage::Arrived => fate.unwrap_or(FlowState::Hung),
    };
    let (pid, tid) = flow.ids();
    let tally = flow.read();
    FlowRecord {
        pid,
        tid,
        state,
        start_ns: tally.start_ns.saturating_sub(go),
        end_ns: tally.end_ns.saturating_sub(go),
        create: flow.create_usage(),
        steady: tally.steady,
        units: tally.units,
        sent: tally.sent,
        proof: tally.proof,
        carried: tally.carried,
    }
}

pub(super) fn skew(flows: &[FlowRecord]) -> u64 {
    let ended = || flows.iter().filter(|flow| flow.end_ns > 0);
    let starts = || ended().map(|flow| flow.start_ns);
    starts().max().unwrap_or(0) - starts().min().unwrap_or(0)
}

pub(super) fn turns(shared: &SharedMemory) -> Turns {
    let mut sum = Turns::default();
    for flow in shared.flows() {
        sum += flow.read().turns;
    }
    sum
}
