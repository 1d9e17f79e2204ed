//! The events that explain a difference between models.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An event that a counter can count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// Nanoseconds on a CPU.
    TaskClock,
    /// Page faults of both kinds.
    PageFaults,
    /// Context switches.
    ContextSwitches,
    /// Moves to another CPU.
    Migrations,
    /// CPU cycles.
    Cycles,
    /// Instructions retired.
    Instructions,
    /// Accesses to the last-level cache.
    CacheReferences,
    /// Misses of the last-level cache.
    CacheMisses,
    /// Reads that missed the first-level data cache.
    L1dMisses,
    /// Reads that missed the data TLB.
    DtlbMisses,
}

impl Event {
    /// All events: those the kernel counts, then those the processor counts.
    pub const ALL: [Event; 10] = [
        Event::TaskClock,
        Event::PageFaults,
        Event::ContextSwitches,
        Event::Migrations,
        Event::Cycles,
        Event::Instructions,
        Event::CacheReferences,
        Event::CacheMisses,
        Event::L1dMisses,
        Event::DtlbMisses,
    ];

    /// Whether the processor counts it, and not the kernel.
    pub fn is_hardware(self) -> bool {
        use Event::{CacheMisses, CacheReferences, Cycles, DtlbMisses, Instructions, L1dMisses};
        matches!(
            self,
            Cycles | Instructions | CacheReferences | CacheMisses | L1dMisses | DtlbMisses
        )
    }

    /// Whether it happens inside the kernel only, so that a count of user code
    /// alone would always be 0.
    pub(super) fn needs_kernel(self) -> bool {
        matches!(self, Event::ContextSwitches | Event::Migrations)
    }

    /// Whether no code can run without it.
    pub(super) fn always_happens(self) -> bool {
        matches!(self, Event::TaskClock | Event::Cycles | Event::Instructions)
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Event::TaskClock => "task clock",
            Event::PageFaults => "page faults",
            Event::ContextSwitches => "context switches",
            Event::Migrations => "migrations",
            Event::Cycles => "cycles",
            Event::Instructions => "instructions",
            Event::CacheReferences => "cache references",
            Event::CacheMisses => "cache misses",
            Event::L1dMisses => "L1 data misses",
            Event::DtlbMisses => "data TLB misses",
        })
    }
}
