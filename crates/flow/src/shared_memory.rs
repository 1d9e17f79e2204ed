//! What the parent and all flows of a slot share. Processes and threads must be released, counted
//! and collected by the same means, or the harness would favour one of them. So all that they
//! exchange is in shared memory ([`Shared`]), made before the first flow.
//! ```text
//! ┌ Header ────────────────────────────────────┬ FlowStatus 0 ┬ FlowStatus 1 ┬ …
//! │ arrived │ start │ done │ end │ cursor │ …  │    256 B     │              │
//! └ each on its own 128 bytes ─────────────────┴──────────────┴──────────────┴──
//! ┌ Ring 0 ┬ Ring 1 ┬ …   (where results travel in shared memory)
//! ```
//! * Every word is an atomic, and there are no locks: a flow that dies half-way can leave wrong
//!   numbers, never undefined behaviour, and holds nothing.
//! * Words of different writers lie 128 bytes apart (prefetchers pull pairs of lines).
//! * All is in memory at once: no flow pays the harness's page faults in its timed region.

use std::io;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use sys::{CachePadded, Pages, Shareable, Shared};

use crate::flow_status::FlowStatus;
use crate::ring::Ring;

pub(crate) const SHUT: u32 = 0;
pub(crate) const OPEN: u32 = 1;
/// Flows write down their pages and wait on.
pub(crate) const SURVEY: u32 = 2;

#[repr(C)]
#[derive(Debug)]
pub(crate) struct Header {
    pub(crate) arrived: CachePadded<AtomicU32>,
    pub(crate) start: CachePadded<AtomicU32>,
    pub(crate) done: CachePadded<AtomicU32>,
    pub(crate) end: CachePadded<AtomicU32>,
    pub(crate) surveyed: CachePadded<AtomicU32>,
    pub(crate) cursor: CachePadded<AtomicU64>,
    /// 1: the parent sleeps and wants to be woken for results in rings.
    pub(crate) parent_sleeps: CachePadded<AtomicU32>,
    pub(crate) lined_up: CachePadded<AtomicU32>,
    pub(crate) laps_done: CachePadded<AtomicU32>,
    pub(crate) turn: CachePadded<AtomicU64>,
}

// SAFETY: atomics.
unsafe impl Shareable for Header {}

#[derive(Debug)]
pub(crate) struct SharedMemory {
    statuses: Shared<Header, FlowStatus>,
    rings: Option<Shared<(), Ring>>,
}

impl SharedMemory {
    pub(crate) fn new(flows: usize, rings: usize) -> io::Result<Self> {
        let for_flows =
            |error: io::Error| io::Error::new(error.kind(), format!("{error} ({flows} flows)"));
        let with_rings = || Shared::new(rings, Pages::AtOnce).map_err(for_flows);
        Ok(Self {
            statuses: Shared::new(flows, Pages::AtOnce).map_err(for_flows)?,
            rings: (rings > 0).then(with_rings).transpose()?,
        })
    }

    pub(crate) fn header(&self) -> &Header {
        self.statuses.header()
    }

    pub(crate) fn flow(&self, index: usize) -> &FlowStatus {
        &self.flows()[index]
    }

    pub(crate) fn ring(&self, index: usize) -> &Ring {
        &self.rings()[index]
    }

    pub(crate) fn flows(&self) -> &[FlowStatus] {
        self.statuses.rows()
    }

    pub(crate) fn rings(&self) -> &[Ring] {
        self.rings.as_ref().map_or(&[], Shared::rows)
    }

    /// Only while no flow exists.
    pub(crate) fn clear(&self) {
        let header = self.header();
        for word in [&header.arrived, &header.start, &header.done, &header.end] {
            word.0.store(0, Ordering::Relaxed);
        }
        for word in [&header.lined_up, &header.laps_done, &header.surveyed] {
            word.0.store(0, Ordering::Relaxed);
        }
        header.turn.0.store(0, Ordering::Relaxed);
        header.cursor.0.store(0, Ordering::Relaxed);
        header.parent_sleeps.0.store(0, Ordering::Relaxed);
        self.flows().iter().for_each(FlowStatus::clear);
        self.rings().iter().for_each(Ring::clear);
    }
}

#[cfg(test)]
mod tests {
    use measure::usage::Usage;

    use super::*;
    use crate::flow_status::{Stage, Tally};

    #[test]
    fn flows_lie_apart() {
        let shared = SharedMemory::new(3, 3).unwrap();
        let first = std::ptr::from_ref(shared.flow(0)).addr();
        let second = std::ptr::from_ref(shared.flow(1)).addr();
        assert_eq!(second - first, 256);
        assert_eq!(first % 128, 0);
        assert_eq!((shared.flows().len(), shared.rings().len()), (3, 3));
        assert!(SharedMemory::new(3, 0).unwrap().rings().is_empty());
    }

    #[test]
    fn what_a_flow_writes_is_read_back_and_cleared() {
        let shared = SharedMemory::new(2, 0).unwrap();
        let usage = Usage {
            cpu_ns: 1,
            minor_faults: 2,
            ..Usage::default()
        };
        shared.flow(1).arrived(7, 8, usage);
        assert_eq!(shared.flow(1).stage(), Stage::Arrived);
        let tally = Tally {
            end_ns: 5,
            units: 3,
            ..Tally::default()
        };
        shared.flow(1).done(&tally);
        assert_eq!(shared.flow(1).stage(), Stage::Done);
        assert_eq!(shared.flow(1).ids(), (7, 8));
        assert_eq!(shared.flow(1).read().units, 3);
        assert_eq!(shared.flow(1).create_usage(), usage);
        shared.clear();
        assert_eq!(shared.flow(1).stage(), Stage::Absent);
        assert_eq!(shared.flow(1).read().end_ns, 0);
    }

    #[test]
    #[should_panic(expected = "index out of bounds")]
    fn a_flow_outside_is_refused() {
        let _outside = SharedMemory::new(2, 0).unwrap().flow(2);
    }
}
