//! Which events can be counted here, and why others cannot. Each is opened, run, and judged:
//! - It cannot be opened: the error number says why, see [`explain`].
//! - It opened but never ran: something else holds the hardware counter.
//! - It ran, but an event that cannot have failed to happen stands at 0: some virtual machines
//!   offer counters that do not move.
//!
//! Where the kernel allows counting in user code only, that is a narrower but true answer for
//! cycles. A context switch happens inside the kernel: not available.

mod errno;

use std::hint::black_box;

use measure::Measured;
use measure::counters::{Counter as _, Kernel, Source as _, Whose};
use nix::errno::Errno;
use serde::{Deserialize, Serialize};

pub use errno::{Permission, explain, explain_number};
pub use measure::counters::{Event, Sample, Scope};

/// What can be counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// What the kernel permits this process.
    pub permission: Permission,
    /// Every event of [`Event::ALL`], in that order.
    pub events: Vec<Counter>,
}

/// What became of one event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counter {
    /// The event.
    pub event: Event,
    /// Where it can be counted.
    pub scope: Measured<Scope>,
}

/// Something that counts an event over a little work of the calling thread: [`perf`], or a script in
/// a test. Errors: of opening or reading.
pub type EventSource<'s> = dyn FnMut(Event, Scope) -> Result<Sample, Errno> + 's;

/// Counts through `perf_event_open`.
pub fn perf(event: Event, scope: Scope) -> Result<Sample, Errno> {
    let mut counter = Kernel.open(event, scope, Whose::Own)?;
    counter.begin()?;
    (0..10_000u64).for_each(|n| {
        black_box(n);
    });
    counter.end()?;
    counter.sample()
}

impl Counters {
    /// Tries every event.
    pub fn probe(source: &mut EventSource<'_>, permission: Permission) -> Self {
        let mut counter = |event| Counter {
            event,
            scope: probe(source, event, &permission),
        };
        Self {
            events: Event::ALL.into_iter().map(&mut counter).collect(),
            permission,
        }
    }

    /// Where `event` can be counted.
    pub fn scope(&self, event: Event) -> Option<Scope> {
        let counter = self.events.iter().find(|counter| counter.event == event)?;
        counter.scope.value().copied()
    }

    /// Whether any event of the processor itself can be counted.
    pub fn has_hardware(&self) -> bool {
        Event::ALL
            .into_iter()
            .any(|event| event.is_hardware() && self.scope(event).is_some())
    }
}

fn probe(source: &mut EventSource<'_>, event: Event, permission: &Permission) -> Measured<Scope> {
    let everywhere = source(event, Scope::Everywhere);
    let forbidden = matches!(everywhere, Err(Errno::EACCES | Errno::EPERM));
    if forbidden && !event.needs_kernel() {
        let user_only = source(event, Scope::UserOnly);
        return judge(event, Scope::UserOnly, user_only, permission);
    }
    judge(event, Scope::Everywhere, everywhere, permission)
}

fn judge(
    event: Event,
    scope: Scope,
    sample: Result<Sample, Errno>,
    permission: &Permission,
) -> Measured<Scope> {
    match sample {
        Err(errno) => explain(errno, event, permission),
        Ok(sample) => trusted(event, sample).map(|_| scope),
    }
}

const END_OTHERS: &str = "end other profilers; sudo sysctl kernel.nmi_watchdog=0";

/// The missing value of a count in which some flows' counters never ran.
pub fn some_never_ran<T>(some: usize, all: usize) -> Measured<T> {
    Measured::not_available(
        format!(
            "the counters of {some} of {all} flows never ran, and those of the others are no \
             count of all"
        ),
        format!("count fewer events at once; {END_OTHERS}"),
    )
}

/// A reading, unless it is impossible.
pub fn trusted(event: Event, sample: Sample) -> Measured<Sample> {
    match sample {
        Sample { running_ns: 0, .. } => Measured::not_available(
            "the counter was granted but never ran: others hold the counters of this processor",
            END_OTHERS,
        ),
        Sample { count: 0, .. } if event.always_happens() => Measured::not_available(
            "the counter runs but stays at 0: this virtual machine does not pass it on",
            "run on the hardware itself, or enable the virtual PMU of the guest",
        ),
        _ => Measured::Value(sample),
    }
}

#[cfg(test)]
mod tests;
