//! Values through switches: a generator runs while somebody waits for its next value.
//!
//! It has a slot as a fiber has, and no place in the ring: who resumes it switches to it, and it
//! switches back. What both exchange lies in the frame of who resumes:
//! ```text
//!  Mail │ next │ caller │ what │ … │ input │ output │
//!         ▲ the turn that a switch hands over
//! ```
//! So a value is written and read once, and a yield of a fiber knows nothing of it. The published
//! turn stays that of the fiber that resumes: a generator acts as that fiber, and may yield,
//! suspend and join for it. It is unwound when it is dropped, or with its scheduler, or (while it
//! runs) with its fiber; so it needs a stack that can be.

use std::fmt;
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::mem::{self, MaybeUninit, offset_of};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;
use std::rc::Rc;

use crate::arch::{self, Context, Saved, Turn};
use crate::control::{Mark, Stage, place};
use crate::core::{Core, unheard};
use crate::current::{self, Entered};
use crate::error::SpawnError;
use crate::fatal;
use crate::start::{self, Thrown};

/// What a [`Generator`] answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<O, R> {
    /// It gave a value, and can be resumed.
    Gave(O),
    /// It ended.
    Ended(R),
}

impl<O, R> Step<O, R> {
    /// The value that it gave.
    pub fn gave(self) -> Option<O> {
        match self {
            Step::Gave(value) => Some(value),
            Step::Ended(_) => None,
        }
    }
}

/// A body on a stack of its own that passes values: each [`resume`](Generator::resume) hands one in
/// and gets one out. Made by [`Scheduler::generator`](crate::Scheduler::generator).
/// ```
/// use fiber::Step;
///
/// fiber::scope(fiber::Config::guarded(64 << 10), |scheduler| {
///     let mut sums = scheduler.generator(|giver, mut next: u64| {
///         let mut sum = 0;
///         while next != 0 {
///             sum += next;
///             next = giver.give(sum);
///         }
///         "a zero came"
///     })?;
///     assert_eq!(sums.resume(3), Step::Gave(3));
///     assert_eq!(sums.resume(4), Step::Gave(7));
///     assert_eq!(sums.resume(0), Step::Ended("a zero came"));
///
///     let squares = scheduler.generator(|giver, ()| (1..4_u64).for_each(|n| giver.give(n * n)))?;
///     assert_eq!(squares.collect::<Vec<_>>(), [1, 4, 9]);
///     Ok::<(), fiber::SpawnError>(())
/// })??;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// One that takes nothing and returns nothing is an iterator. Dropped before its end, it is unwound
/// from where it gave its last value.
///
/// It acts as the fiber that resumes it, outside any where none does: the free functions of this
/// crate work in it. In a fiber of another scheduler than its own it is outside.
///
/// It does not leave its kernel thread, and borrows nothing that could end first:
/// ```compile_fail,E0277
/// fiber::scope(fiber::Config::guarded(64 << 10), |scheduler| {
///     let mut ones = scheduler.generator(|giver, ()| giver.give(1)).unwrap();
///     std::thread::scope(|threads| { threads.spawn(move || ones.resume(())); });
/// }).unwrap();
/// ```
/// ```compile_fail,E0373
/// fiber::scope(fiber::Config::guarded(64 << 10), |scheduler| {
///     let text = String::from("of the thread's stack");
///     let _ = scheduler.generator(|giver, ()| giver.give(text.len()));
/// }).unwrap();
/// ```
pub struct Generator<I, O, R = ()> {
    core: Rc<Core>,
    /// In the scheduler's tables; null when it has ended.
    context: Context,
    mark: *const Mark,
    passes: PhantomData<fn(I) -> (O, R)>,
}

/// By which a generator's body gives values.
pub struct Giver<I, O> {
    own: Context,
    /// Of who resumed last, and waits.
    post: *mut Post,
    passes: PhantomData<fn(O) -> I>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    GoOn,
    Unwind,
    Gave,
    Ended,
    Threw,
}

#[repr(C)]
struct Post {
    /// First, as in a cell: the generator, and when that leaves its stack, who resumed it.
    next: Context,
    caller: MaybeUninit<Saved>,
    what: What,
}

impl Post {
    #[inline(always)]
    fn to(next: Context, what: What) -> Post {
        Post {
            next,
            caller: MaybeUninit::uninit(),
            what,
        }
    }
}

#[repr(C)]
struct Mail<I, O> {
    post: Post,
    input: MaybeUninit<I>,
    output: MaybeUninit<O>,
}

impl<I, O> Mail<I, O> {
    fn input(mail: *mut Self) -> *mut I {
        mail.wrapping_byte_add(offset_of!(Self, input)).cast()
    }

    fn output(mail: *mut Self) -> *mut O {
        mail.wrapping_byte_add(offset_of!(Self, output)).cast()
    }
}

/// The caller vouches for nothing: what `body` captures lives for ever.
pub(crate) fn make<F, I, O, R>(core: &Rc<Core>, body: F) -> Result<Generator<I, O, R>, SpawnError>
where
    F: FnOnce(&mut Giver<I, O>, I) -> R + 'static,
{
    if !core.catches() || core.member.is_some() {
        return Err(SpawnError::NoGenerator);
    }
    let (control, index) = start::prepare::<F, R>(core, body, begin::<F, I, O, R>)?;
    Ok(Generator {
        context: control.context(),
        mark: core.mark(index),
        core: Rc::clone(core),
        passes: PhantomData,
    })
}

impl<I, O, R> Generator<I, O, R> {
    /// Goes on until it gives or ends. Panics if its body does, or it or its scheduler has ended.
    #[inline]
    pub fn resume(&mut self, input: I) -> Step<O, R> {
        if self.is_over() {
            refuse(&self.core);
        }
        let running = current::core();
        let is_alone = running.is_null();
        if is_alone {
            current::enter_alone(&self.core);
        } else if !ptr::eq(running, &raw const *self.core) {
            return self.exchange_elsewhere(input);
        }
        self.exchange(input, is_alone)
    }

    /// Whether it cannot be resumed: it has ended, or its scheduler was dropped.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.context.is_null() || self.core.is_dropped()
    }

    #[cold]
    fn exchange_elsewhere(&mut self, input: I) -> Step<O, R> {
        let core = Rc::clone(&self.core);
        let _entered = Entered::outside(&core);
        self.exchange(input, false)
    }

    #[inline(always)]
    fn exchange(&mut self, input: I, is_alone: bool) -> Step<O, R> {
        // SAFETY: the scheduler's tables live as long as its core, and it has not ended.
        let mark = unsafe { &*self.mark };
        mark.stage.set(Stage::Resumed);
        let mut mail = Mail {
            post: Post::to(self.context, What::GoOn),
            input: MaybeUninit::new(input),
            output: MaybeUninit::<O>::uninit(),
        };
        let mail = &raw mut mail;
        // SAFETY: the mail is in this frame, which waits until somebody goes on with `caller`.
        let caller = unsafe { &raw const (*mail).post.caller }.cast();
        // SAFETY: the context of a generator that is fresh or gave a value waits for such a turn;
        // this is its only handle.
        unsafe { arch::switch_to(caller, self.context, mail.cast()) };
        if is_alone {
            current::leave_alone();
        }
        // SAFETY: the generator has written it and gone back.
        let what = unsafe { (*mail).post.what };
        if what == What::Gave {
            mark.stage.set(Stage::Paused);
            // SAFETY: it wrote the value before it said so.
            return Step::Gave(unsafe { Mail::output(mail).read() });
        }
        Step::Ended(self.end(what))
    }

    fn end(&mut self, what: What) -> R {
        let core = &self.core;
        let index = core.index_of(mem::replace(&mut self.context, ptr::null()));
        core.check_now(index);
        let top = core.slots.top(index);
        let result = match what {
            // SAFETY: it said that what it threw lies there; read once, for the slot is freed.
            What::Threw => Err(unsafe { place::<Thrown>(top).read() }),
            // SAFETY: else its result does; likewise.
            _ => Ok(unsafe { place::<R>(top).read() }),
        };
        core.free_generator(index);
        result.unwrap_or_else(|thrown| resume_unwind(thrown))
    }
}

#[cold]
#[inline(never)]
fn refuse(core: &Core) -> ! {
    match core.is_dropped() {
        true => panic!("a generator was resumed whose scheduler was dropped"),
        false => panic!("a generator was resumed that has ended"),
    }
}

impl<I, O, R> Drop for Generator<I, O, R> {
    fn drop(&mut self) {
        if self.context.is_null() {
            return;
        }
        let core = &self.core;
        let index = core.index_of(self.context);
        match core.mark(index).stage.get() {
            Stage::Fresh => core.discard(index),
            Stage::Paused if ptr::eq(current::core(), &raw const **core) => {
                core.unwind_generator(index);
            }
            Stage::Paused => {
                let _entered = Entered::outside(core);
                core.unwind_generator(index);
            }
            // Its scheduler was dropped, and has done it.
            _ => return,
        }
        core.free_generator(index);
    }
}

impl<O> Iterator for Generator<(), O> {
    type Item = O;

    #[inline]
    fn next(&mut self) -> Option<O> {
        match self.is_over() {
            true => None,
            false => self.resume(()).gave(),
        }
    }
}

impl<O> FusedIterator for Generator<(), O> {}

impl<I, O, R> fmt::Debug for Generator<I, O, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Generator")
            .field("is_over", &self.is_over())
            .finish_non_exhaustive()
    }
}

impl<I, O> Giver<I, O> {
    /// Hands `value` to who resumed the generator, and stops until it is resumed again: with what.
    #[inline(always)]
    pub fn give(&mut self, value: O) -> I {
        let mail = self.post.cast::<Mail<I, O>>();
        // SAFETY: who resumed waits in its frame, with the post.
        if unsafe { (*self.post).what } == What::Unwind {
            gives_while_unwound();
        }
        // SAFETY: as it is no unwinding, the post is that of a mail of these types.
        unsafe { Mail::output(mail).write(value) };
        let waits = go_back(self.post, What::Gave);
        // SAFETY: `own` is this generator's context; who waits, does so for its own post.
        self.post = unsafe { arch::switch_to(self.own, waits, self.post.cast()) }.cast();
        // SAFETY: the turn of who resumes is its post.
        if unsafe { (*self.post).what } == What::Unwind {
            current::unwind();
        }
        // SAFETY: it resumed with a mail of these types, and an input, which is read once.
        unsafe { Mail::<I, O>::input(self.post.cast()).read() }
    }
}

impl<I, O> fmt::Debug for Giver<I, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Giver").finish_non_exhaustive()
    }
}

#[cold]
#[inline(never)]
fn gives_while_unwound() -> ! {
    fatal::end(format_args!(
        "a generator gave a value while it was unwound because it was dropped, or its scheduler"
    ));
}

#[inline(always)]
fn go_back(post: *mut Post, what: What) -> Context {
    // SAFETY: who resumed waits in its frame, with the post, and nobody else knows of it.
    let waits = unsafe { &mut *post };
    waits.what = what;
    (&raw const waits.caller).cast()
}

/// Of a generator that begins: its scheduler has been entered.
fn top_of(own: Context) -> *mut u8 {
    // SAFETY: who resumed it is within its scheduler, and waits.
    let core = unsafe { &*current::core() };
    core.slots.top(core.index_of(own))
}

/// Safety: only as the entry of a context made by [`make`] with the same types.
unsafe extern "C" fn begin<F, I, O, R>(turn: Turn) -> !
where
    F: FnOnce(&mut Giver<I, O>, I) -> R,
{
    let mail = turn.cast::<Mail<I, O>>();
    // SAFETY: the first turn is the mail of who resumes, which waits.
    let own = unsafe { (*turn.cast::<Post>()).next };
    let top = top_of(own);
    // SAFETY: `make` wrote it there; the stage says that it has begun.
    let body = unsafe { place::<F>(top).read() };
    let mut giver = Giver {
        own,
        post: turn.cast(),
        passes: PhantomData,
    };
    // SAFETY: it came with an input, which is read once.
    let input = unsafe { Mail::input(mail).read() };
    let lived = catch_unwind(AssertUnwindSafe(|| body(&mut giver, input)));
    // SAFETY: who resumed last waits in its frame, with the post.
    let what = match unsafe { (*giver.post).what } {
        What::Unwind => {
            unheard(|| drop(lived));
            What::Ended
        }
        _ => leave_for_handle(lived, top),
    };
    let waits = go_back(giver.post, what);
    // SAFETY: as above.
    unsafe { (*giver.post).next = waits };
    // SAFETY: who waits goes on, and nothing on this stack is needed any more.
    unsafe { arch::leave(giver.post.cast()) }
}

fn leave_for_handle<R>(lived: Result<R, Thrown>, top: *mut u8) -> What {
    match lived {
        Ok(result) => {
            // SAFETY: the area has room for closure, result and payload, and the closure is gone.
            unsafe { place::<R>(top).write(result) };
            What::Ended
        }
        Err(thrown) => {
            // SAFETY: the same.
            unsafe { place::<Thrown>(top).write(thrown) };
            What::Threw
        }
    }
}

impl Core {
    fn free_generator(&self, index: u32) {
        let control = self.control(index);
        control.set_discard(None);
        self.free(control, index);
    }

    /// From where it gave its last value.
    pub(crate) fn unwind_generator(&self, index: u32) {
        self.mark(index).stage.set(Stage::Resumed);
        let context = self.control(index).context();
        let mut post = Post::to(context, What::Unwind);
        let post = &raw mut post;
        // SAFETY: the post is in this frame, which waits until somebody goes on with `caller`.
        let caller = unsafe { &raw const (*post).caller }.cast();
        // SAFETY: a generator that gave a value waits for a turn that is a post.
        unsafe { arch::switch_to(caller, context, post.cast()) };
        self.check_now(index);
        self.control(index).set_discard(None);
    }
}
