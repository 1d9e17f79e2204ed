//! Workloads that can be done by any number of flows, each doing the same amount.
//!
//! A study of scaling changes the number of flows and nothing else, so it must know how much
//! of a work each flow does, what that amount is called, and how to ask for more of them.

use serde::{Deserialize, Serialize};

use crate::{Bytes, Work};

/// How a work grows with its flows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scaled {
    /// What is counted (`transactions`).
    pub counted: &'static str,
    /// How many of them a repetition has.
    pub amount: u64,
    /// Flows that are needed for one part of it: 2 where flows come in pairs.
    pub flows_each: u32,
}

/// What one of what is counted allocates, on average, exactly and on every machine: a test
/// counts it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Allocates {
    /// Allocations.
    pub count: f64,
    /// Bytes that they ask for together.
    pub bytes: f64,
}

impl Work {
    /// What each of what it counts ([`Scaled::counted`]) allocates, where that is always the
    /// same.
    #[must_use]
    pub fn allocates(&self) -> Option<Allocates> {
        self.get().allocates()
    }

    /// How the work grows with its flows; `None` where it is not for any number of them.
    #[must_use]
    pub fn scaled(&self) -> Option<Scaled> {
        self.get().scaled()
    }

    /// The work that is now for `now` flows, for `flows` flows that do as much each; `None`
    /// where it cannot be for this many.
    #[must_use]
    pub fn with_flows(&self, now: u32, flows: u32) -> Option<Self> {
        let parts = u64::from(flows / self.scaled()?.flows_each);
        if parts == 0 || now == 0 || !flows.is_multiple_of(self.scaled()?.flows_each) {
            return None;
        }
        self.get().with_parts(now, parts)
    }

    /// The same work with another live heap for each flow; `None` where it has none to choose.
    #[must_use]
    pub fn with_heap(&self, heap: Bytes) -> Option<Self> {
        self.get().with_heap(heap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Handoff, Warehouse};

    fn handoff() -> Work {
        Work::Handoff(Handoff {
            pairs: 1,
            blocks: 10,
            smallest: Bytes(16),
            largest: Bytes(64),
            queue: 2,
            live: 3,
            seed: 0,
        })
    }

    #[test]
    fn twice_the_flows_do_twice_the_work() {
        let warehouse = Work::Warehouse(Warehouse {
            workers: 1,
            transactions: 7,
            heap: Bytes(1 << 20),
            seed: 0,
        });
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
        let text = r#"{"kind": "wiki", "requests": 600}"#;
        let wiki: Work = serde_json::from_str(text).unwrap();
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
