use std::io;

use nix::errno::Errno;
use perf_event::Builder;
use perf_event::events::{Cache, CacheId, CacheOp, CacheResult, Hardware, Software};

use super::{Counter, Event, Sample, Scope, Source, Whose};

/// Counts through `perf_event_open`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Kernel;

impl Source for Kernel {
    type Counter = perf_event::Counter;

    fn open(&mut self, event: Event, scope: Scope, whose: Whose) -> Result<Self::Counter, Errno> {
        let mut builder = builder(event);
        builder.exclude_kernel(scope == Scope::UserOnly);
        if let Whose::Thread(tid) = whose {
            builder.observe_pid(tid);
        }
        builder.build().map_err(|error| errno_of(&error))
    }
}

impl Counter for perf_event::Counter {
    fn begin(&mut self) -> Result<(), Errno> {
        self.enable().map_err(|error| errno_of(&error))
    }

    fn end(&mut self) -> Result<(), Errno> {
        self.disable().map_err(|error| errno_of(&error))
    }

    fn sample(&mut self) -> Result<Sample, Errno> {
        let reading = self.read_count_and_time();
        let reading = reading.map_err(|error| errno_of(&error))?;
        Ok(Sample {
            count: reading.count,
            enabled_ns: reading.time_enabled,
            running_ns: reading.time_running,
        })
    }
}

/// The library reports `E2BIG` without its number.
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
        Event::BranchMisses => Builder::new(Hardware::BRANCH_MISSES),
    }
}

fn read_misses(which: CacheId) -> Cache {
    Cache {
        which,
        operation: CacheOp::READ,
        result: CacheResult::MISS,
    }
}
