//! Counting events of the flows between the two gates, from outside (docs/counting.md).
//! ```text
//!   ─ create ─┤ open, begin ├─ steady ─┤ read, close ├─ (memory) ─ tear-down ─
//! ```
//! * All flows of an event are counted in the same scope: in the kernel too, or, where the kernel
//!   forbids that to the first flow, in user code only.
//! * An event that fails for one flow fails for all, and is closed at once: the next may find room.
//! * Each count of counters that take turns is scaled before they are added up.

use measure::Measured;
use measure::clock::now_ns;
use measure::counters::{Counter, Event, Sample, Scope, Source, Whose};
use nix::errno::Errno;
use nix::sys::resource::{Resource, getrlimit};

use crate::record::counted::{Came, Counted, EventCount};

const EACH: usize = 64;
/// Upper bound: each takes some 10 us to open and close.
const MOST: usize = 8_192;

#[derive(Debug)]
pub(super) struct Counting<C> {
    flows: usize,
    events: Vec<(Event, Result<Opened<C>, Errno>)>,
    open_ns: u64,
}

#[derive(Debug)]
struct Opened<C> {
    scope: Scope,
    counters: Vec<C>,
}

impl<C: Counter> Counting<C> {
    pub(super) fn begin<S>(source: &mut S, events: &[Event], tids: &[i32]) -> Measured<Self>
    where
        S: Source<Counter = C>,
    {
        room(tids.len(), events.len(), &Descriptors::now()).map(|()| {
            let began = now_ns();
            let mut opened = |event| (event, open(source, event, tids));
            let mut events: Vec<_> = events.iter().copied().map(&mut opened).collect();
            events.iter_mut().for_each(|(_, opened)| start(opened));
            Self {
                flows: tids.len(),
                events,
                open_ns: now_ns() - began,
            }
        })
    }

    pub(super) fn read(self) -> Counted {
        let began = now_ns();
        let events = self.events.into_iter().map(|(event, opened)| EventCount {
            event,
            came: opened.and_then(read).unwrap_or_else(|errno| Came::Refused {
                errno: errno as i32,
            }),
        });
        Counted {
            flows: self.flows,
            events: events.collect(),
            open_ns: self.open_ns,
            read_ns: now_ns() - began,
        }
    }
}

fn open<S: Source>(
    source: &mut S,
    event: Event,
    tids: &[i32],
) -> Result<Opened<S::Counter>, Errno> {
    let mut all = |scope| {
        let counters = tids
            .iter()
            .map(|tid| source.open(event, scope, Whose::Thread(*tid)));
        let counters = counters.collect::<Result<_, _>>()?;
        Ok(Opened { scope, counters })
    };
    match all(Scope::Everywhere) {
        Err(Errno::EACCES | Errno::EPERM) if !event.needs_kernel() => all(Scope::UserOnly),
        everywhere => everywhere,
    }
}

fn start<C: Counter>(opened: &mut Result<Opened<C>, Errno>) {
    if let Ok(all) = opened
        && let Err(errno) = all.counters.iter_mut().try_for_each(Counter::begin)
    {
        *opened = Err(errno);
    }
}

fn read<C: Counter>(mut opened: Opened<C>) -> Result<Came, Errno> {
    let each = opened.counters.iter_mut().map(Counter::sample);
    let mut each = each.collect::<Result<Vec<Sample>, _>>()?;
    let sum = each.iter().copied().sum();
    let scaled: Option<f64> = each.iter().map(|one| one.scaled()).sum();
    let never_ran = each.iter().filter(|one| one.ran().is_none()).count();
    if each.len() > EACH {
        each.clear();
    }
    Ok(Came::Read {
        scope: opened.scope,
        sum,
        scaled: scaled.map(|events| events.round() as u64),
        never_ran,
        each,
    })
}

#[derive(Debug, Clone, Copy)]
struct Descriptors {
    limit: u64,
    open: u64,
}

impl Descriptors {
    fn now() -> Self {
        let limit = getrlimit(Resource::RLIMIT_NOFILE).map_or(u64::MAX, |(soft, _)| soft);
        let open = std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
        Self {
            limit,
            open: open as u64,
        }
    }
}

fn room(flows: usize, events: usize, descriptors: &Descriptors) -> Measured<()> {
    let counters = flows.saturating_mul(events);
    let Descriptors { limit, open } = *descriptors;
    let free = usize::try_from(limit.saturating_sub(open) / 2).unwrap_or(usize::MAX);
    let what = format!("{flows} flows x {events} events are {counters} counters");
    if counters > MOST {
        Measured::not_available(
            format!("{what}, more than the {MOST} that are opened at once"),
            "count fewer events, or use fewer flows",
        )
    } else if counters > free {
        let enough = open + 2 * counters as u64;
        Measured::not_available(
            format!(
                "{what}, and they may take {free} file descriptors: half of what is left of the \
                 limit of {limit}"
            ),
            format!("ulimit -n {enough}, or count fewer events"),
        )
    } else {
        Measured::Value(())
    }
}

#[cfg(test)]
mod tests;
