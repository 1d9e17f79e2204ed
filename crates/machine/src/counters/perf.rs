//! The kernel as a source of events.

use std::hint::black_box;
use std::io;

use nix::errno::Errno;
use perf_event::Builder;
use perf_event::events::{Cache, CacheId, CacheOp, CacheResult, Hardware, Software};

use super::{Event, EventSource, Sample, Scope};

/// Counts through `perf_event_open`.
#[derive(Debug, Clone, Copy)]
pub struct Perf;

impl EventSource for Perf {
    fn count(&mut self, event: Event, scope: Scope) -> Result<Sample, Errno> {
        count(event, scope).map_err(|error| errno_of(&error))
    }
}

fn count(event: Event, scope: Scope) -> io::Result<Sample> {
    let mut counter = builder(event)
        .exclude_kernel(scope == Scope::UserOnly)
        .build()?;
    counter.enable()?;
    work();
    counter.disable()?;
    let reading = counter.read_count_and_time()?;
    Ok(Sample {
        count: reading.count,
        enabled_ns: reading.time_enabled,
        running_ns: reading.time_running,
    })
}

/// Some ten microseconds, enough for any counter that works to move.
fn work() {
    (0..10_000u64).for_each(|n| {
        black_box(n);
    });
}

/// The library reports `E2BIG` as an error of its own, without a number.
fn errno_of(error: &io::Error) -> Errno {
    error.raw_os_error().map_or(Errno::E2BIG, Errno::from_raw)
}

fn builder(event: Event) -> Builder<'static> {
    match event {
        Event::TaskClock => Builder::new(Software::TASK_CLOCK),
        Event::PageFaults => Builder::new(Software::PAGE_FAULTS),
        Event::ContextSwitches => Builder::new(Software::CONTEXT_SWITCHES),
        Event::Migrations => Builder::new(Software::CPU_MIGRATIONS),
        Event::Cycles => Builder::new(Hardware::CPU_CYCLES),
        Event::Instructions => Builder::new(Hardware::INSTRUCTIONS),
        Event::CacheReferences => Builder::new(Hardware::CACHE_REFERENCES),
        Event::CacheMisses => Builder::new(Hardware::CACHE_MISSES),
        Event::L1dMisses => Builder::new(read_misses(CacheId::L1D)),
        Event::DtlbMisses => Builder::new(read_misses(CacheId::DTLB)),
    }
}

fn read_misses(which: CacheId) -> Cache {
    Cache {
        which,
        operation: CacheOp::READ,
        result: CacheResult::MISS,
    }
}
