//! `fiber`, `fiber-packed`, `migratable`: user-level threads on one or more of the kernel's.
//!
//! Each carrier is a kernel thread with a scheduler, and carries every P-th flow. Flows suspend at
//! a station: when all are there the scheduler's `run` returns, so nothing is polled and nothing of
//! the harness stands between two yields of a timed lap. Flows borrow from the carrier's frame:
//! `Fibers` ends them before it goes.
//!
//! **Small slots.** Of a million flows memory is measured. So a flow's life is one loop with one
//! place to suspend in the first frame of its fiber, and the timed part has one small frame below:
//! a turn touches that frame or, if registers hold all, the control block.
//!
//! Where units come from a queue, a flow yields after each of them; dealt units are done in one go.
//! A flow that never hands over keeps its carrier until the slot's deadline.

use std::io;
use std::pin::pin;

use ::fiber::{Config, ConfigError, Fiber, FiberId, Lent, Life, Scheduler, SpawnError};

use super::carried::{Carried, Station};
use crate::body::Body;
use crate::context::InContext;
use crate::flow_run::{Step, Trouble, at_gate, leave, prepare};
use crate::model::{Stacks, Way};
use crate::turn::{CHECKED_LAPS, Turn, at_once};

/// Minimum and granularity of guarded stacks, in bytes.
const GUARDED_LEAST: u64 = 16 << 10;
const PAGE: u64 = sys::PAGE as u64;

pub(super) fn carry<B: Body>(work: InContext<'_, B>, index: usize, stacks: Stacks) {
    carry_with(work, index, |fibers| {
        let config = config(stacks, work.body.stack_bytes()).capacity(fibers);
        // SAFETY: `carry_with` keeps it in `Fibers`, a local of its own.
        unsafe { Scheduler::new(config) }
    });
}

pub(super) fn carry_with<B: Body>(
    work: InContext<'_, B>,
    index: usize,
    scheduler: impl FnOnce(usize) -> Result<Scheduler, ConfigError>,
) {
    let context = work.context;
    let ready = prepare(context, index);
    let stride = context.variant.carriers() as usize;
    let flows = (index..context.variant.flows as usize).step_by(stride);
    let carried = Carried::new(work, flows.len() as u64);
    let made = Fibers::new(&carried, scheduler(flows.len()), flows);
    at_gate(context, index);
    let worked = ready.and_then(|outlet| {
        let fibers = made?;
        fibers.open_up_to(Station::Checks);
        let tally = carried.timed(outlet, || fibers.run())?;
        fibers.open_up_to(Station::End);
        fibers.run();
        Ok((carried.checked(tally), fibers))
    });
    let (tally, fibers) = match worked {
        Ok((tally, fibers)) => (Ok(tally), Some(fibers)),
        Err(trouble) => (Err(trouble), None),
    };
    leave(context, index, tally);
    drop(fibers);
}

pub(super) fn hold<B: Body>(work: InContext<'_, B>, stacks: Stacks) -> io::Result<()> {
    let carried = Carried::new(work, work.variant.flows.into());
    let flows = 0..work.variant.flows as usize;
    let config = config(stacks, work.body.stack_bytes());
    // SAFETY: it goes with `Fibers`, at the end of this function.
    let scheduler = unsafe { Scheduler::new(config.capacity(flows.len())) };
    let made = Fibers::new(&carried, scheduler, flows);
    made.map(drop).map_err(|(_, error)| error)
}

/// Of one fiber (with its place in our list), and of the scheduler besides.
pub(super) fn address_bytes(stacks: Stacks, stack: u64) -> (u64, u64) {
    let stack = usize::try_from(stack).unwrap_or(usize::MAX);
    let config = config(stacks, stack);
    let each = config
        .bytes_per_fiber()
        .saturating_add(size_of::<FiberId>());
    (each as u64, config.bytes_besides() as u64)
}

pub(super) fn rounded_bytes(stacks: Stacks, stack: u64, flows: u64) -> u64 {
    let [stack, flows] = [stack, flows].map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    config(stacks, stack).bytes_rounded(flows) as u64
}

struct Fibers<'c, 'a, B: Body> {
    carried: &'c Carried<'a, B>,
    scheduler: Scheduler,
    ids: Vec<FiberId>,
}

impl<'c, 'a, B: Body> Fibers<'c, 'a, B> {
    /// Each runs to the first station.
    fn new(
        carried: &'c Carried<'a, B>,
        scheduler: Result<Scheduler, ConfigError>,
        flows: impl ExactSizeIterator<Item = usize>,
    ) -> Result<Self, Trouble> {
        let mut ids = Vec::new();
        ids.try_reserve_exact(flows.len()).map_err(no_memory)?;
        let mut fibers = Self {
            carried,
            scheduler: scheduler.map_err(no_scheduler)?,
            ids,
        };
        for flow in flows {
            fibers.spawn(flow)?;
        }
        fibers.run();
        Ok(fibers)
    }

    fn spawn(&mut self, flow: usize) -> Result<(), Trouble> {
        let body = Flow {
            carried: self.carried,
            index: flow,
        };
        // SAFETY: `carried` outlives `self`, which ends all fibers; the body returns nothing.
        let handle = unsafe { self.scheduler.spawn_life(body) }.map_err(no_fiber)?;
        self.ids.push(handle.id());
        Ok(())
    }

    fn run(&self) {
        self.scheduler.run();
    }

    fn open_up_to(&self, station: Station) {
        self.carried.open_up_to(station);
        self.scheduler.awaken_all(&self.ids);
    }
}

impl<B: Body> Drop for Fibers<'_, '_, B> {
    /// Every fiber must end: they borrow from this frame.
    fn drop(&mut self) {
        self.open_up_to(Station::Gone);
        self.run();
    }
}

pub(super) fn config(stacks: Stacks, bytes: usize) -> Config {
    match stacks {
        // SAFETY: a body says it needs `bytes`, or a study gives no fewer, for all frames; `Fibers`
        // has every flow end.
        Stacks::Packed => unsafe { Config::packed(bytes) },
        // SAFETY: the same.
        Stacks::Movable(Way::Isomalloc) => unsafe { Config::movable(bytes) },
        // SAFETY: as above; these have a guard, and a flow lends nothing on its stack.
        Stacks::Movable(way) => unsafe { Config::kept(way, guarded_bytes(bytes as u64) as usize) },
        Stacks::Guarded => Config::guarded(guarded_bytes(bytes as u64) as usize),
    }
}

/// Bytes of a guarded stack where this many are asked for: whole pages, 16 KiB at the least.
#[must_use]
pub fn guarded_bytes(asked: u64) -> u64 {
    let bytes = asked.max(GUARDED_LEAST);
    bytes
        .checked_next_multiple_of(PAGE)
        .unwrap_or(u64::MAX / PAGE * PAGE)
}

fn no_scheduler(error: ConfigError) -> Trouble {
    match error {
        ConfigError::Memory { source, .. } => (Step::Stacks, source),
        ConfigError::NoSharedMemory(source) => (Step::SharedMemory, source),
        _ => (Step::StackSize, io::Error::from_raw_os_error(libc::EINVAL)),
    }
}

fn no_memory(_error: std::collections::TryReserveError) -> Trouble {
    (Step::Stacks, io::Error::from_raw_os_error(libc::ENOMEM))
}

fn no_fiber(error: SpawnError) -> Trouble {
    match error {
        SpawnError::Guard { source, .. } => (Step::Guards, source),
        _ => (
            Step::SmallStacks,
            io::Error::from_raw_os_error(libc::EINVAL),
        ),
    }
}

struct Flow<'c, 'a, B: Body> {
    carried: &'c Carried<'a, B>,
    index: usize,
}

impl<B: Body> Life for Flow<'_, '_, B> {
    type Output = ();

    #[inline(always)]
    fn live(self, fiber: &mut Fiber) {
        let carried = self.carried;
        let mut state = carried.work.body.state(self.index);
        let mut station = Station::Release;
        while station < Station::Gone {
            carried.arrive();
            while !carried.is_open(station) {
                fiber.suspend();
            }
            match station {
                Station::Release => work(carried, self.index, &mut state, fiber),
                Station::Checks if B::TURNS => checked_laps(carried, fiber),
                Station::Checks => carried.work.settle(&mut state),
                Station::End | Station::Gone => {}
            }
            station = station.next();
        }
    }
}

/// The timed part, in a small frame of its own: all of the stack that a turn touches.
#[inline(never)]
fn work<B: Body>(carried: &Carried<'_, B>, index: usize, state: &mut B::State, fiber: &mut Fiber) {
    if B::TURNS {
        let mut turn = FiberTurn(fiber.lend());
        let turns = carried.work.body.turns(state, index as u64, &mut turn);
        carried.took_turns(at_once(pin!(turns)));
    } else if carried.is_queue() {
        while carried.unit_of_queue(state) {
            fiber.yield_now();
        }
    } else {
        carried.units(index, state);
    }
}

#[inline(never)]
fn checked_laps<B: Body>(carried: &Carried<'_, B>, fiber: &mut Fiber) {
    let mut fiber = fiber.lend();
    let mut last = carried.draw();
    fiber.yield_now();
    for _ in 1..CHECKED_LAPS {
        last = carried.draw_after(last);
        fiber.yield_now();
    }
}

struct FiberTurn<'f>(Lent<'f>);

impl Turn for FiberTurn<'_> {
    const USER_LEVEL: bool = true;

    #[inline(always)]
    async fn next(&mut self) {
        self.0.yield_now();
    }
}
