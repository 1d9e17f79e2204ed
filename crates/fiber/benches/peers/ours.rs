//! The crate itself, in the ways in which it can be used.

use std::cell::Cell;
use std::time::{Duration, Instant};

use fiber::movable::Way;
use fiber::{Config, Fiber, FiberId, Floats, Generator, JoinHandle, Scheduler};

use super::{Peer, Sample, memory, sample};
use crate::flow;

/// The work of a flow that keeps four words in memory.
macro_rules! flow_on_stack {
    ($first:expr, $yields:expr, $fiber:expr) => {{
        let mut words = [0_u64; 4];
        flow!($first, $yields, {
            $fiber.yield_now();
            for word in std::hint::black_box(&mut words) {
                *word += 1;
            }
        })
    }};
}

pub(crate) fn all() -> Vec<Peer> {
    let [copied, aliased] = [Way::Copied, Way::Aliased].map(|way| movable(way, 4 << 10));
    let [small, large] = [4 << 10, 16 << 10].map(Config::guarded);
    let densest = |peer: Peer| peer.up_to(1_000_000, "more are for the densest alone");
    let in_pages = |peer: Peer| peer.up_to(1_000_000, "memory, at 4 KiB a flow");
    vec![
        rings("fiber packed", packed(128)),
        on_stack("fiber packed, 4 words on stack, 192 B", packed(192)),
        rings("fiber movable", movable(Way::Isomalloc, 128)),
        rings("fiber movable, copied", copied).up_to(10_000, "4 KiB a flow"),
        rings("fiber movable, aliased", aliased).up_to(1_000, "microseconds a switch"),
        densest(rings("fiber packed, 192 B slots", packed(192))),
        densest(rings("fiber packed, 256 B slots", packed(256))),
        densest(Peer::new("fiber packed, 4 yield sites, state", sites)),
        densest(Peer::new("fiber packed, free function", functions)),
        densest(Peer::new("fiber packed, 1 KiB, own floats", own_floats)),
        in_pages(rings("fiber guarded, 16 KiB", large)),
        in_pages(rings("fiber guarded, 4 KiB", small)),
        in_pages(on_stack("fiber guarded, 4 words on stack, 4 KiB", small)),
    ]
}

/// Packed slots of `bytes`.
fn packed(bytes: usize) -> Config {
    // SAFETY: flows of this benchmark have a few words each, and were seen to fit.
    unsafe { Config::packed(bytes) }
}

/// Movable stacks of `bytes`.
fn movable(way: Way, bytes: usize) -> Config {
    // SAFETY: as in `packed`.
    unsafe { Config::kept(way, bytes) }
}

fn rings(name: &'static str, config: Config) -> Peer {
    Peer::new(name, move |flows, yields| {
        lives(config, flows, yields, |scheduler, first| {
            let handle = if first {
                scheduler.spawn(move |fiber| flow!(true, yields, fiber.yield_now()))
            } else {
                scheduler.spawn(move |fiber| flow!(false, yields, fiber.yield_now()))
            };
            handle.expect("a fiber")
        })
    })
}

/// As [`rings`], for flows that keep four words in memory, as most do that call anything.
fn on_stack(name: &'static str, config: Config) -> Peer {
    Peer::new(name, move |flows, yields| {
        lives(config, flows, yields, |scheduler, first| {
            let handle = if first {
                scheduler.spawn(move |fiber| flow_on_stack!(true, yields, fiber))
            } else {
                scheduler.spawn(move |fiber| flow_on_stack!(false, yields, fiber))
            };
            handle.expect("a fiber")
        })
    })
}

/// How flows are awakened in random order.
#[derive(Clone, Copy)]
pub(crate) struct Wakes {
    pub(crate) name: &'static str,
    /// Bytes of a packed slot.
    slot: usize,
    /// Does a flow keep four words on its stack?
    on_stack: bool,
    /// All by one call, or one by one?
    at_once: bool,
}

/// Flows that keep something on their stack, as most do, and such as keep all in registers.
pub(crate) const WAKES: [Wakes; 4] = {
    let one_by_one = Wakes {
        name: "4 words on stack, 448 B, one by one",
        slot: 448,
        on_stack: true,
        at_once: false,
    };
    let in_registers = Wakes {
        name: "in registers, 192 B, one by one",
        slot: 192,
        on_stack: false,
        at_once: false,
    };
    [
        one_by_one,
        Wakes {
            name: "4 words on stack, 448 B, awaken_all",
            at_once: true,
            ..one_by_one
        },
        in_registers,
        Wakes {
            name: "in registers, 192 B, awaken_all",
            at_once: true,
            ..in_registers
        },
    ]
};

thread_local! {
    static WOKEN: Cell<u64> = const { Cell::new(0) };
}

/// The work of a flow that is awakened so often, and what it does each time.
macro_rules! flow_of_wakes {
    ($wakes:expr, $fiber:expr, $work:block) => {
        for _ in 0..$wakes {
            $fiber.suspend();
            $work
            WOKEN.set(WOKEN.get() + 1);
        }
    };
}

/// Every fiber suspends and is awakened, in random order: ns to awaken one, and to run it until it
/// suspends again.
pub(crate) fn wake_ns(how: Wakes, flows: usize, rounds: u32) -> (f64, f64) {
    let config = packed(how.slot).capacity(flows);
    // SAFETY: the benchmark drops it, before its thread ends.
    let scheduler = unsafe { Scheduler::new(config) }.expect("a scheduler");
    WOKEN.set(0);
    let spawned = (0..flows).map(|_| {
        let handle = match how.on_stack {
            true => scheduler.spawn(move |fiber| {
                let mut words = [0_u64; 4];
                flow_of_wakes!(rounds + 1, fiber, {
                    for word in std::hint::black_box(&mut words) {
                        *word += 1;
                    }
                });
            }),
            false => scheduler.spawn(move |fiber| flow_of_wakes!(rounds + 1, fiber, {})),
        };
        handle.expect("a fiber")
    });
    let handles: Vec<JoinHandle<()>> = spawned.collect();
    let mut ids: Vec<FiberId> = handles.iter().map(JoinHandle::id).collect();
    shuffle(&mut ids);
    let one_round = || {
        let began = Instant::now();
        match how.at_once {
            true => assert_eq!(scheduler.awaken_all(&ids), flows),
            false => ids.iter().for_each(|id| assert!(scheduler.awaken(*id))),
        }
        let awakened = began.elapsed();
        scheduler.run();
        (awakened, began.elapsed() - awakened)
    };
    scheduler.run();
    let (mut awaken, mut run) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..rounds {
        let (awakened, ran) = one_round();
        awaken += awakened;
        run += ran;
    }
    one_round();
    assert_eq!(WOKEN.get(), flows as u64 * u64::from(rounds + 1));
    let each = |sum: Duration| sum.as_nanos() as f64 / f64::from(rounds) / flows as f64;
    (each(awaken), each(run))
}

/// Fisher and Yates, with the numbers of a xorshift generator.
pub(super) fn shuffle<T>(ids: &mut [T]) {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    for last in (1..ids.len()).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ids.swap(last, (state % (last as u64 + 1)) as usize);
    }
}

/// A number in and one out, so often from each generator in turn: ns each.
pub(crate) fn values_ns(generators: usize, times: u64) -> f64 {
    let config = Config::guarded(16 << 10).capacity(generators);
    // SAFETY: the benchmark drops it, before its thread ends.
    let scheduler = unsafe { Scheduler::new(config) }.expect("a scheduler");
    let made = (0..generators).map(|_| {
        let sums = scheduler.generator(|giver, mut next: u64| {
            let mut sum = 0_u64;
            loop {
                sum += next;
                next = giver.give(sum);
            }
        });
        sums.expect("a generator")
    });
    let mut all: Vec<Generator<u64, u64>> = made.collect();
    super::values(&mut all, times, |sums, number| sums.resume(number).gave())
}

fn functions(flows: usize, yields: usize) -> Sample {
    lives(packed(256), flows, yields, |scheduler, first| {
        let body = move |_: &mut Fiber| flow!(first, yields, fiber::yield_now());
        scheduler.spawn(body).expect("a fiber")
    })
}

fn own_floats(flows: usize, yields: usize) -> Sample {
    lives(packed(1_024), flows, yields, |scheduler, first| {
        let body = move |fiber: &mut Fiber| flow!(first, yields, fiber.yield_now());
        scheduler.spawn_with(Floats::Own, body).expect("a fiber")
    })
}

/// Four places to yield, and captured state that changes between them.
fn sites(flows: usize, yields: usize) -> Sample {
    lives(packed(256), flows, yields, |scheduler, first| {
        let mut state = [first as u64, 1, 2, 3];
        let body = move |fiber: &mut Fiber| {
            let mut turn = 0_u64;
            let sum = flow!(first, yields, {
                turn += 1;
                match turn % 4 {
                    0 => fiber.yield_now(),
                    1 => {
                        fiber.yield_now();
                        state[1] ^= turn;
                    }
                    2 => {
                        state[2] += turn;
                        fiber.yield_now();
                    }
                    _ => {
                        fiber.yield_now();
                        state[3] = state[2].wrapping_mul(3);
                    }
                }
            });
            std::hint::black_box(state[1] ^ state[2] ^ state[3]);
            sum
        };
        scheduler.spawn(body).expect("a fiber")
    })
}

fn lives(
    config: Config,
    flows: usize,
    yields: usize,
    spawn: impl Fn(&Scheduler, bool) -> JoinHandle<u64>,
) -> Sample {
    let mut handles = Vec::with_capacity(flows);
    sample(flows, yields, || {
        // SAFETY: the benchmark drops it, before its thread ends.
        let scheduler = unsafe { Scheduler::new(config.capacity(flows)) }.expect("a scheduler");
        handles.extend((0..flows).map(|who| spawn(&scheduler, who == 0)));
        assert_eq!(scheduler.run(), 0);
        // The memory of slots stays until the scheduler is dropped.
        let memory = memory(yields);
        (
            handles.drain(..).map(|h| h.join().expect("a result")).sum(),
            memory,
        )
    })
}

/// A scheduler all of whose slots had fibers before.
pub(crate) struct Used {
    pub(crate) name: &'static str,
    scheduler: Scheduler,
    handles: Vec<JoinHandle<u64>>,
}

/// Each kind with this number of slots.
pub(crate) fn used(flows: usize) -> Vec<Used> {
    let guarded = Config::guarded(16 << 10);
    let kinds = [
        ("fiber packed, slots used before", packed(192), usize::MAX),
        (
            "fiber guarded, 16 KiB, slots used before",
            guarded,
            1_000_000,
        ),
    ];
    let here = kinds.into_iter().filter(|(_, _, most)| flows <= *most);
    let made = here.map(|(name, config, _)| Used {
        name,
        // SAFETY: the benchmark drops it, before its thread ends.
        scheduler: unsafe { Scheduler::new(config.capacity(flows)) }.expect("a scheduler"),
        handles: Vec::with_capacity(flows),
    });
    made.map(|mut used| {
        used.life_ns(flows);
        used
    })
    .collect()
}

impl Used {
    /// Create, run and join.
    pub(crate) fn life_ns(&mut self, flows: usize) -> f64 {
        let began = Instant::now();
        for who in 0..flows as u64 {
            let handle = self.scheduler.spawn(move |_| who);
            self.handles.push(handle.expect("a fiber"));
        }
        self.scheduler.run();
        let ended = self.handles.drain(..);
        let sum: u64 = ended.map(|h| h.join().expect("a result")).sum();
        let ns = began.elapsed().as_nanos() as f64 / flows as f64;
        assert_eq!(sum, (0..flows as u64).sum());
        ns
    }
}
