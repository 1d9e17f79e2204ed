//! Workloads that any number of flows can do, each the same amount: what scaling must know of them.

use serde::{Deserialize, Serialize};

use crate::Work;

/// How a work grows with its flows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scaled {
    /// What is counted (`transactions`).
    pub counted: &'static str,
    /// Amount of a repetition.
    pub amount: u64,
    /// Flows of one part: 2 where flows come in pairs.
    pub flows_each: u32,
}

impl Scaled {
    /// So much of `counted` in a repetition, where each flow is a part.
    #[must_use]
    pub fn by_flow(counted: &'static str, amount: u64) -> Self {
        Self {
            counted,
            amount,
            flows_each: 1,
        }
    }
}

/// Mean allocations of one counted thing, exact on every machine: a test counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Allocates {
    /// Allocations.
    pub count: f64,
    /// Bytes that they ask for together.
    pub bytes: f64,
}

impl Work {
    /// The work of `now` flows for `flows` flows that do as much each; `None` where it cannot be.
    #[must_use]
    pub fn with_flows(&self, now: u32, flows: u32) -> Option<Self> {
        let parts = u64::from(flows / self.scaled()?.flows_each);
        if parts == 0 || now == 0 || !flows.is_multiple_of(self.scaled()?.flows_each) {
            return None;
        }
        self.with_parts(now, parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bytes;
    use crate::testing::read;

    fn handoff() -> Work {
        read(r#"{"kind": "handoff", "pairs": 1, "blocks": 10}"#)
    }

    #[test]
    fn twice_the_flows_do_twice_the_work() {
        let warehouse = read(r#"{"kind": "warehouse", "workers": 1, "transactions": 7}"#);
        for (one, flows) in [(warehouse, 1), (handoff(), 2)] {
            let amount = |work: &Work| work.scaled().unwrap().amount;
            let two = one.with_flows(flows, 2 * flows).unwrap();
            assert_eq!(amount(&two), 2 * amount(&one));
            assert_eq!(two.flows(), Some(u64::from(2 * flows)));
            assert_eq!(two.with_flows(2 * flows, flows).unwrap(), one);
        }
    }

    #[test]
    fn requests_of_all_flows_grow_with_them() {
        let wiki: Work = read(r#"{"kind": "wiki", "requests": 600}"#);
        let of = |flows| wiki.with_flows(2, flows).unwrap().units();
        assert_eq!([of(1), of(2), of(8)], [300, 600, 2_400]);
    }

    #[test]
    fn pairs_need_an_even_number_of_flows() {
        assert_eq!(handoff().with_flows(2, 3), None);
        assert_eq!(handoff().with_flows(2, 0), None);
    }

    #[test]
    fn a_heap_is_chosen_only_where_there_is_one() {
        assert_eq!(handoff().with_heap(Bytes(1 << 20)), None);
    }
}
