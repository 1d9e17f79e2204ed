use std::hint::black_box;

use measure::counters::{Counter, Kernel, Source, Whose};
use nix::errno::Errno;

use super::{Event, EventSource, Sample, Scope};

/// Counts through `perf_event_open`.
#[derive(Debug, Clone, Copy)]
pub struct Perf;

impl EventSource for Perf {
    fn count(&mut self, event: Event, scope: Scope) -> Result<Sample, Errno> {
        let mut counter = Kernel.open(event, scope, Whose::Own)?;
        counter.begin()?;
        work();
        counter.end()?;
        counter.sample()
    }
}

fn work() {
    (0..10_000u64).for_each(|n| {
        black_box(n);
    });
}
