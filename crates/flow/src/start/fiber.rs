//! `fiber`, `fiber-packed`: user-level threads on one or more of the kernel's.
//!
//! # Theory
//!
//! Each carrier is a kernel thread with a scheduler of its own, and carries every P-th
//! flow. Its flows wait at a station by suspending, so that the scheduler's queue is empty
//! when all have come there, and its `run` returns: nothing is polled, and nothing of the
//! harness stands between two yields of a timed lap. Awakening them for the next part is
//! not timed.
//!
//! Fibers need closures that borrow nothing, but what flows share is borrowed from the
//! carrier's frame. So a fiber is given the address and a plain function that knows its
//! type.
//!
//! A flow that never hands over keeps its carrier for itself; the deadline of the slot
//! ends that, as it ends any flow that hangs.

use std::pin::pin;

use ::fiber::{Config, ConfigError, Fiber, FiberId, Scheduler, SpawnError, suspend};

use super::carried::{Carried, Station};
use crate::body::Body;
use crate::flow_run::{Context, Step, Trouble, at_gate, leave, prepare};
use crate::model::Stacks;
use crate::turn::{CHECKED_LAPS, Order, Turn, at_once};

/// The smallest guarded stack, and the page of which it is a multiple, in bytes.
const GUARDED_LEAST: usize = 16 << 10;
const PAGE: usize = 4 << 10;

/// Runs carrier `index` of the variant with the flows that are its own.
pub(crate) fn carry<B: Body>(context: &Context<'_, B>, index: usize, stacks: Stacks) {
    let ready = prepare(context, index);
    let stride = context.variant.carriers() as usize;
    let flows = (index..context.variant.flows as usize).step_by(stride);
    let carried = Carried::new(context, flows.len() as u64);
    let made = Fibers::new(&carried, stacks, flows);
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

/// All fibers of a carrier.
struct Fibers<'c, 'a, B: Body> {
    carried: &'c Carried<'a, B>,
    scheduler: Scheduler,
    ids: Vec<FiberId>,
}

impl<'c, 'a, B: Body> Fibers<'c, 'a, B> {
    /// Makes them, and lets each come to the first station.
    fn new(
        carried: &'c Carried<'a, B>,
        stacks: Stacks,
        flows: impl ExactSizeIterator<Item = usize>,
    ) -> Result<Self, Trouble> {
        let bytes = carried.context.body.stack_bytes();
        let config = config(stacks, bytes).capacity(flows.len());
        let mut fibers = Self {
            carried,
            scheduler: Scheduler::new(config).map_err(no_scheduler)?,
            ids: Vec::with_capacity(flows.len()),
        };
        for flow in flows {
            fibers.spawn(flow)?;
        }
        fibers.run();
        Ok(fibers)
    }

    fn spawn(&mut self, flow: usize) -> Result<(), Trouble> {
        let life: unsafe fn(*const (), usize, &mut Fiber) = life::<B>;
        let shared: *const () = std::ptr::from_ref(self.carried).cast();
        let body = move |fiber: &mut Fiber| {
            // SAFETY: the address is of a `Carried` of the type that `life` was made for;
            // it outlives `Fibers`, which ends every fiber before it is gone.
            unsafe { life(shared, flow, fiber) }
        };
        let handle = self.scheduler.spawn(body).map_err(no_fiber)?;
        self.ids.push(handle.id());
        Ok(())
    }

    /// Runs all until each has come to the station that is shut.
    fn run(&self) {
        self.scheduler.run();
    }

    /// Has all go on, up to `station`, at the next run.
    fn open_up_to(&self, station: Station) {
        self.carried.open_up_to(station);
        for &id in &self.ids {
            self.scheduler.awaken(id);
        }
    }
}

impl<B: Body> Drop for Fibers<'_, '_, B> {
    /// Lets every fiber come to its end, so that nothing of theirs stays.
    fn drop(&mut self) {
        self.open_up_to(Station::Gone);
        self.run();
    }
}

fn config(stacks: Stacks, bytes: usize) -> Config {
    match stacks {
        Stacks::Packed => Config::packed(bytes),
        Stacks::Guarded => Config::guarded(bytes.max(GUARDED_LEAST).next_multiple_of(PAGE)),
    }
}

fn no_scheduler(error: ConfigError) -> Trouble {
    match error {
        ConfigError::Memory { source, .. } => (Step::Stacks, source),
        _ => (
            Step::StackSize,
            std::io::Error::from_raw_os_error(libc::EINVAL),
        ),
    }
}

fn no_fiber(error: SpawnError) -> Trouble {
    match error {
        SpawnError::Guard { source, .. } => (Step::Stacks, source),
        _ => (
            Step::StackSize,
            std::io::Error::from_raw_os_error(libc::ENOSPC),
        ),
    }
}

/// The life of flow `index`.
///
/// # Safety
/// `carried` is the address of a `Carried<'_, B>` that outlives the fiber.
unsafe fn life<B: Body>(carried: *const (), index: usize, fiber: &mut Fiber) {
    // SAFETY: the caller vouches for the address and the type.
    let carried = unsafe { &*carried.cast::<Carried<'_, B>>() };
    let body = carried.context.body;
    let mut state = body.state();
    wait_at(carried, Station::Release);
    if B::TURNS {
        let mut turn = FiberTurn(fiber);
        let proof = at_once(pin!(body.turns(&mut state, index as u64, &mut turn)));
        carried.took_turns(proof);
    } else {
        carried.units(index, &mut state);
    }
    wait_at(carried, Station::Checks);
    if B::TURNS {
        checked_laps(carried, fiber);
    } else {
        body.settle(&mut state);
    }
    wait_at(carried, Station::End);
}

/// Arrives at a station and suspends until it opens.
fn wait_at<B: Body>(carried: &Carried<'_, B>, station: Station) {
    carried.arrive();
    while !carried.is_open(station) {
        suspend();
    }
}

#[inline(never)]
fn checked_laps<B: Body>(carried: &Carried<'_, B>, fiber: &mut Fiber) {
    let mut order = Order::default();
    for _ in 0..CHECKED_LAPS {
        order.take(carried.draw(), carried.flows);
        fiber.yield_now();
    }
    carried.saw(order);
}

/// A fiber hands over through its scheduler.
struct FiberTurn<'f>(&'f mut Fiber);

impl Turn for FiberTurn<'_> {
    const USER_LEVEL: bool = true;

    #[inline(always)]
    async fn next(&mut self) {
        self.0.yield_now();
    }
}
