//! How a fiber is made, and how it begins and ends. The closure is written at the top of the slot,
//! and below it a context that starts in [`start`], monomorphised for closure and result, which
//! moves the closure into its own frame and calls it; the result (or a panic, in slots with room to
//! unwind) takes its place. In a slot of 128 bytes every word counts: scheduler and slot are found
//! again at the end, from the kernel thread and the turn. `start` is `extern "C"`: a panic that
//! reaches it in a slot too small to unwind ends the program.

use std::any::Any;
use std::marker::PhantomData;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use crate::arch::{self, Entry, Turn};
use crate::control::{Control, Mark, NOBODY, Stage, area, discard, place};
use crate::core::Core;
use crate::current;
use crate::error::SpawnError;
use crate::fiber::Fiber;
use crate::join::JoinHandle;

pub(crate) type Thrown = Box<dyn Any + Send>;

/// Whose floating-point control state a fiber works with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Floats {
    /// One state for all fibers of the kernel thread: who changes it changes it for all.
    #[default]
    Common,
    /// Its own, saved and restored at every switch, at several times the price.
    Own,
}

/// What a fiber does, as a type that can be `#[inline(always)]`: no frame in a small slot.
pub trait Life {
    /// Its result.
    type Output;

    /// Runs to its end.
    fn live(self, fiber: &mut Fiber) -> Self::Output;
}

pub(crate) struct Closure<F, T>(F, PhantomData<fn() -> T>);

impl<F, T> Closure<F, T> {
    #[inline(always)]
    pub(crate) fn new(body: F) -> Self {
        Closure(body, PhantomData)
    }
}

impl<F: FnOnce(&mut Fiber) -> T, T> Life for Closure<F, T> {
    type Output = T;

    #[inline(always)]
    fn live(self, fiber: &mut Fiber) -> T {
        (self.0)(fiber)
    }
}

/// Closure or result. (A payload is kept only in slots of 16 KiB and more, and is no larger.)
const fn area_for<F, T>() -> usize {
    let (closure, result, thrown) = (area::<F>(), area::<T>(), area::<Thrown>());
    let larger = if closure > result { closure } else { result };
    if larger > thrown { larger } else { thrown }
}

/// At the end of the queue. The caller vouches for the closure's borrows.
#[inline]
pub(crate) fn spawn<L: Life>(
    core: &Rc<Core>,
    floats: Floats,
    body: L,
) -> Result<JoinHandle<L::Output>, SpawnError> {
    let entry: Entry = match core.catches() {
        true => start::<L, true>,
        false => start::<L, false>,
    };
    let (control, index) = prepare::<L, L::Output>(core, body, entry)?;
    if floats == Floats::Own {
        core.floats_are_asked();
    }
    control.own_floats.set(floats == Floats::Own);
    core.was_made();
    core.enqueue(control.context());
    Ok(JoinHandle::new(Rc::clone(core), index))
}

/// A slot with `body` at its top, and a context that begins in `entry`.
#[inline(always)]
pub(crate) fn prepare<B, R>(
    core: &Core,
    body: B,
    entry: Entry,
) -> Result<(&Control, u32), SpawnError> {
    let area = const { area_for::<B, R>() };
    let usable = core.slots.usable();
    if area + arch::FRAME_BYTES > usable {
        return Err(too_large(area, usable));
    }
    if core.is_dropped() {
        return Err(SpawnError::Dropped);
    }
    let (control, index) = core.take_slot()?;
    let top = core.slots.top(index);
    // SAFETY: the slot is ours and its area has room for the closure.
    unsafe { place::<B>(top).write(body) };
    let (below, there) = (
        top.wrapping_sub(area),
        core.top_at_turn(top).wrapping_sub(area),
    );
    // SAFETY: below the area the slot has room for the frame, and nothing is there.
    unsafe { arch::first_frame(&control.saved, entry, below, there) };
    begin(control, core.mark(index));
    control.set_discard(mem::needs_drop::<B>().then_some(discard::<B>));
    Ok((control, index))
}

#[cold]
#[inline(never)]
fn too_large(area: usize, usable: usize) -> SpawnError {
    SpawnError::TooLarge {
        area,
        frames: arch::FRAME_BYTES,
        usable,
    }
}

#[inline(always)]
fn begin(control: &Control, mark: &Mark) {
    mark.stage.set(Stage::Fresh);
    mark.permit.set(false);
    control.link.set(NOBODY);
    control.detached.set(false);
    control.own_floats.set(false);
}

/// Safety: only as the entry of a context made by [`spawn`] with the same types.
unsafe extern "C" fn start<L: Life, const CATCHES: bool>(turn: Turn) -> ! {
    current::publish(turn);
    let (core, index) = present();
    core.mark(index).stage.set(Stage::Started);
    let mut fiber = Fiber::begin(core, index, turn);
    // SAFETY: `spawn` wrote it there; the fiber's stage says that it has begun.
    let body = unsafe { place::<L>(core.slots.top(index)).read() };
    if !CATCHES {
        let result = body.live(&mut fiber);
        deliver(result, Stage::Done);
    }
    match catch_unwind(AssertUnwindSafe(move || body.live(&mut fiber))) {
        Ok(result) => deliver(result, Stage::Done),
        Err(thrown) => deliver(thrown, Stage::Panicked),
    }
}

#[inline(always)]
fn deliver<V>(value: V, stage: Stage) -> ! {
    let (core, index) = present();
    // SAFETY: the area has room for closure, result and payload, and the closure is gone.
    unsafe { place::<V>(core.slots.top(index)).write(value) };
    let control = core.control(index);
    core.mark(index).stage.set(stage);
    control.set_discard(mem::needs_drop::<V>().then_some(discard::<V>));
    core.end(control, index)
}

#[inline(always)]
fn present<'a>() -> (&'a Core, u32) {
    // SAFETY: a fiber runs.
    let core = unsafe { current::running() };
    (core, core.running_index())
}
