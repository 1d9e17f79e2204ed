//! The one mapping that the parent and all flows of a slot share.
//!
//! # Theory
//!
//! Processes and threads must be released, counted and collected by the same
//! means, or the harness itself would favour one of them. So everything they
//! exchange stands in one `MAP_SHARED | MAP_ANONYMOUS` mapping, made before the
//! first flow exists: forked flows inherit it, threads simply see it.
//!
//! ```text
//! ┌ Header ────────────────────────────────────┬ FlowStatus 0 ┬ FlowStatus 1 ┬ … ┬ Ring 0 ┬ …
//! │ arrived │ start │ done │ end │ cursor │ …  │  256 B     │            │   │ (shm only)
//! └ each on its own 128 bytes ─────────────────┴────────────┴────────────┴───┴────────┴──
//! ```
//!
//! * Every word is an atomic: no reference to plain shared memory is ever made,
//!   so a flow that dies half-way can leave wrong numbers, never undefined
//!   behaviour.
//! * Words that different flows write lie 128 bytes apart (two cache lines:
//!   adjacent-line prefetchers pull pairs).
//! * The mapping is populated at once, so that no flow pays page faults for the
//!   harness inside its timed region.
//! * A flow publishes its numbers with one `Release` store of its state; the
//!   parent reads them after an `Acquire` load.
//!
//! It deliberately has no locks: a flow that dies can hold nothing.

use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::flow_status::FlowStatus;
use crate::ring::Ring;

/// A value alone on 128 bytes.
#[repr(C, align(128))]
#[derive(Debug)]
pub(crate) struct CachePadded<T>(pub(crate) T);

/// A gate that flows wait at.
pub(crate) const SHUT: u32 = 0;
/// A gate that flows may pass.
pub(crate) const OPEN: u32 = 1;
/// The end gate while flows are asked for their pages: they answer and wait on.
pub(crate) const SURVEY: u32 = 2;

/// What belongs to the slot as a whole.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Header {
    /// Flows that wait at the start gate.
    pub(crate) arrived: CachePadded<AtomicU32>,
    /// The start gate: 0 shut, 1 open. A futex word.
    pub(crate) start: CachePadded<AtomicU32>,
    /// Flows that are done.
    pub(crate) done: CachePadded<AtomicU32>,
    /// The end gate: [`SHUT`], [`OPEN`], or [`SURVEY`]. A futex word.
    pub(crate) end: CachePadded<AtomicU32>,
    /// Flows that have written down their pages.
    pub(crate) surveyed: CachePadded<AtomicU32>,
    /// The next unit of a queue.
    pub(crate) cursor: CachePadded<AtomicU64>,
    /// 1 while the parent sleeps and wants to be told of results in rings.
    pub(crate) parent_sleeps: CachePadded<AtomicU32>,
    /// Flows that have lined up to take turns.
    pub(crate) lined_up: CachePadded<AtomicU32>,
    /// Flows that are done with their timed turns.
    pub(crate) laps_done: CachePadded<AtomicU32>,
    /// The number that the next checked turn draws.
    pub(crate) turn: CachePadded<AtomicU64>,
}

/// The mapping. It lives as long as the slot process's repetitions; flows borrow it.
#[derive(Debug)]
pub(crate) struct SharedMemory {
    base: NonNull<u8>,
    length: usize,
    flows: usize,
    rings: usize,
}

// SAFETY: the mapping holds atomics only (Header, FlowStatus, Ring), is never remapped
// while an `SharedMemory` exists, and is freed by `drop` alone, which Rust's borrows order after
// every use.
unsafe impl Sync for SharedMemory {}

impl SharedMemory {
    /// Maps and zeroes an shared for `flows` flows, with `rings` rings (0 or `flows`).
    pub(crate) fn new(flows: usize, rings: usize) -> io::Result<Self> {
        let length = size_of::<Header>()
            .checked_add(flows.saturating_mul(size_of::<FlowStatus>()))
            .and_then(|bytes| bytes.checked_add(rings.saturating_mul(size_of::<Ring>())))
            .ok_or_else(|| io::Error::other("the shared memory would exceed the address space"))?;
        let base = map_shared(length).map_err(|error| {
            io::Error::other(format!(
                "cannot map {length} bytes of shared memory for {flows} flows: {error}"
            ))
        })?;
        Ok(Self {
            base,
            length,
            flows,
            rings,
        })
    }

    pub(crate) fn header(&self) -> &Header {
        // SAFETY: `base` is page-aligned and the first `size_of::<Header>()` bytes of the
        // mapping are reserved for the header by `new`; all-zero bytes are valid atomics.
        unsafe { self.base.cast::<Header>().as_ref() }
    }

    pub(crate) fn flow(&self, index: usize) -> &FlowStatus {
        assert!(index < self.flows, "flow {index} of {}", self.flows);
        let offset = size_of::<Header>() + index * size_of::<FlowStatus>();
        // SAFETY: `index < flows`, so the slot process lies inside the mapping made by `new`.
        let status = unsafe { self.base.add(offset) };
        // SAFETY: the offset is a multiple of 128 (both types are 128-aligned and sized),
        // and all-zero bytes are valid atomics.
        unsafe { status.cast::<FlowStatus>().as_ref() }
    }

    pub(crate) fn ring(&self, index: usize) -> &Ring {
        assert!(index < self.rings, "ring {index} of {}", self.rings);
        let statuses = size_of::<Header>() + self.flows * size_of::<FlowStatus>();
        // SAFETY: `index < rings`, so the ring lies inside the mapping made by `new`.
        let ring = unsafe { self.base.add(statuses + index * size_of::<Ring>()) };
        // SAFETY: the offset is a multiple of 128 (all types are 128-aligned and sized),
        // and all-zero bytes are valid atomics.
        unsafe { ring.cast::<Ring>().as_ref() }
    }

    pub(crate) fn flows(&self) -> impl Iterator<Item = &FlowStatus> {
        (0..self.flows).map(|index| self.flow(index))
    }

    pub(crate) fn rings(&self) -> impl Iterator<Item = &Ring> {
        (0..self.rings).map(|index| self.ring(index))
    }

    /// Makes the shared as new. Only while no flow exists.
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
        self.flows().for_each(FlowStatus::clear);
        self.rings().for_each(Ring::clear);
    }
}

pub(crate) fn map_shared(length: usize) -> io::Result<NonNull<u8>> {
    // SAFETY: an anonymous mapping at an address of the kernel's choice touches no memory
    // that anything else uses.
    let base = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            length,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_POPULATE,
            -1,
            0,
        )
    };
    if base == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    NonNull::new(base.cast()).ok_or_else(|| io::Error::other("mmap answered a null page"))
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        // SAFETY: `base` and `length` are those of the mapping made by `new`, and no
        // reference into it outlives `self`.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.length) };
    }
}

#[cfg(test)]
mod tests {
    use measure::usage::Usage;

    use super::*;
    use crate::flow_status::{Stage, Tally};

    #[test]
    fn cells_lie_apart_and_inside() {
        let shared = SharedMemory::new(3, 3).unwrap();
        let first = std::ptr::from_ref(shared.flow(0)).addr();
        let second = std::ptr::from_ref(shared.flow(1)).addr();
        assert_eq!(second - first, 256);
        assert_eq!(first % 128, 0);
        let ring = std::ptr::from_ref(shared.ring(2)).addr();
        assert!(ring + size_of::<Ring>() <= shared.base.addr().get() + shared.length);
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
        assert_eq!(
            (shared.flow(1).ids(), shared.flow(1).read().units),
            ((7, 8), 3)
        );
        assert_eq!(shared.flow(1).create_usage(), usage);
        shared.clear();
        assert_eq!(shared.flow(1).stage(), Stage::Absent);
        assert_eq!(shared.flow(1).read().end_ns, 0);
    }

    #[test]
    #[should_panic(expected = "flow 2 of 2")]
    fn a_flow_outside_is_refused() {
        SharedMemory::new(2, 0).unwrap().flow(2);
    }
}
