use super::{Count, SimulatedCase, SimulatedCount, Spread};
use crate::data::Topology;
use crate::findings::quantity::Word;

pub(crate) fn case(flows: u32, along: Topology, counts: &[(Count, f64, f64)]) -> SimulatedCase {
    let count = |&(count, subject, reference): &(Count, f64, f64)| SimulatedCount {
        count,
        reference,
        subject,
        ratio: (reference > 0.0).then(|| spread(subject / reference)),
        verdict: Word::CannotTell,
        draws: 0,
        exact: false,
        in_parts: Vec::new(),
        longer_turns: None,
        counted: None,
    };
    SimulatedCase {
        case: format!("warehouse/{along}/{flows}"),
        workload: "warehouse".to_owned(),
        along: Some(along),
        flows,
        subject: "thread".to_owned(),
        reference: "process".to_owned(),
        launches: 3,
        units: 1_000.0,
        counted: 1.0,
        traces: Vec::new(),
        throughput: spread(1.0),
        time: Vec::new(),
        counts: counts.iter().map(count).collect(),
    }
}

fn spread(ratio: f64) -> Spread {
    Spread {
        median: ratio,
        least: ratio,
        most: ratio,
    }
}
