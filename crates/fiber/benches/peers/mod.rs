//! Who takes part: each peer makes N flows, has them yield in ring order, and ends them.

pub(crate) mod bare;
mod external;
mod java;
pub(crate) mod ours;
pub(crate) mod rust;
pub(crate) mod stopwatch;

use std::time::Instant;

/// What one run of a peer gave.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sample {
    pub(crate) yield_ns: f64,
    /// Create, run and join, a flow.
    pub(crate) life_ns: f64,
    /// Memory with all flows there, more than before.
    pub(crate) bytes: usize,
}

/// A run: so many flows, each yielding so many times between the stamps.
pub(crate) type Run = Box<dyn Fn(usize, usize) -> Sample>;

pub(crate) struct Peer {
    pub(crate) name: &'static str,
    pub(crate) run: Run,
    /// More flows than this it cannot hold, or not in this benchmark.
    pub(crate) most: usize,
    pub(crate) stops_by: &'static str,
}

impl Peer {
    pub(crate) fn new(name: &'static str, run: impl Fn(usize, usize) -> Sample + 'static) -> Peer {
        Peer {
            name,
            run: Box::new(run),
            most: usize::MAX,
            stops_by: "",
        }
    }

    pub(crate) fn up_to(self, most: usize, stops_by: &'static str) -> Peer {
        Peer {
            most,
            stops_by,
            ..self
        }
    }
}

/// All that are here, `fiber packed` first; and what is not, with the remedy.
pub(crate) fn all() -> (Vec<Peer>, Vec<String>) {
    let mut peers = ours::all();
    peers.push(Peer::new("bare switch, no API", bare::run));
    peers.extend(rust::all());
    let (external, missing) = external::all();
    peers.extend(external);
    (peers, missing)
}

/// Times a life of `flows` flows: `run` makes them, has them yield, ends them, and returns
/// the sum of what they returned and the memory in use when all were there.
pub(crate) fn sample(flows: usize, yields: usize, run: impl FnOnce() -> (u64, usize)) -> Sample {
    let memory_before = stopwatch::memory();
    stopwatch::reset();
    let began = Instant::now();
    let (sum, memory) = run();
    let life_ns = began.elapsed().as_nanos() as f64 / flows as f64;
    assert_eq!(sum, expected(flows, yields), "flows did not do their work");
    Sample {
        yield_ns: stopwatch::between_ns() / (flows * yields).max(1) as f64,
        life_ns,
        bytes: memory.saturating_sub(memory_before),
    }
}

/// Memory in use, if it matters here: reading it takes longer than a few flows.
pub(crate) fn memory(yields: usize) -> usize {
    if yields == 0 { 0 } else { stopwatch::memory() }
}

/// Passes 1 to each of `all` so often, by `pass`, which returns their sum: ns each.
pub(crate) fn values<G>(
    all: &mut [G],
    times: u64,
    pass: impl Fn(&mut G, u64) -> Option<u64>,
) -> f64 {
    let mut last = None;
    let mut lap = || all.iter_mut().for_each(|each| last = pass(each, 1));
    lap();
    let began = Instant::now();
    (0..times).for_each(|_| lap());
    let ns = began.elapsed().as_nanos() as f64 / times as f64 / all.len() as f64;
    assert_eq!(last, Some(times + 1), "a value was lost");
    ns
}

fn expected(flows: usize, yields: usize) -> u64 {
    let each = if yields == 0 {
        1
    } else {
        (0..=yields as u64).sum()
    };
    flows as u64 * each
}

/// What every flow does, around its own way to yield. Flow 0 takes the time.
#[macro_export]
macro_rules! flow {
    ($first:expr, $yields:expr, $yield:expr) => {{
        let mut sum = 0_u64;
        if $yields == 0 {
            sum = 1;
        } else {
            for left in (0..=$yields as u64).rev() {
                $yield;
                if $first {
                    $crate::peers::stopwatch::begin_once();
                }
                if $first && left == 0 {
                    $crate::peers::stopwatch::end();
                }
                sum += left;
            }
        }
        sum
    }};
}
