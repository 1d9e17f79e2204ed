//! What a movable fiber sees, and whoever made it. It begins in a plain function with one argument,
//! both in its slot, where its result lies too. A panic's message is kept there.

use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::arena::Arena;
use super::values::Movable;
use crate::core::Core;
use crate::current::{self, SchedulerDropped};
use crate::error::{JoinError, SpawnError, text_of};
use crate::fiber::{Fiber, FiberId};
use crate::join::JoinHandle;
use crate::scheduler::Scheduler;
use crate::start::{self, Floats, Life};

// SAFETY: numbers, by which every process of a region knows the fiber.
unsafe impl Movable for FiberId {}

/// Why a fiber stays where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The region has no such process.
    #[error("there is no process {to}: the region is for {processes} (the first is 0)")]
    NoProcess {
        /// What was asked for.
        to: usize,
        /// What the region was made for.
        processes: usize,
    },
    /// It has not joined the region.
    #[error("process {to} has not joined the region, or is gone")]
    Absent {
        /// What was asked for.
        to: usize,
    },
    /// Something holds it here.
    #[error("the fiber holds something of this process ({held} times): let go of each Stay first")]
    Held {
        /// How many times.
        held: u32,
    },
    /// It unwinds.
    #[error("a fiber that panics cannot move: its panic belongs to this process")]
    Unwinding,
}

/// The running movable fiber's own handle.
#[derive(Debug)]
pub struct MovableFiber<'f> {
    fiber: &'f mut Fiber,
    arena: Option<Arena<'f>>,
    held: Cell<u32>,
}

impl<'f> MovableFiber<'f> {
    /// Lets every other runnable fiber of this process run once.
    #[inline(always)]
    pub fn yield_now(&mut self) {
        self.fiber.yield_now();
    }

    /// As [`Fiber::suspend`]: until somebody in this process awakens it.
    pub fn suspend(&mut self) {
        self.fiber.suspend();
    }

    /// This fiber.
    #[must_use]
    pub fn id(&self) -> FiberId {
        self.fiber.id()
    }

    /// The process in which it runs.
    #[must_use]
    pub fn process(&self) -> usize {
        here(|core| core.member.as_ref().map_or(0, |member| member.process))
    }

    /// Whether process `process` has joined the region, and has not ended.
    #[must_use]
    pub fn lives(&self, process: usize) -> bool {
        here(|core| match &core.member {
            Some(member) => process < member.shared.processes() && member.lives(process),
            None => process == 0,
        })
    }

    /// Memory that moves with the fiber ([`Config::arena`](crate::Config::arena)), if any.
    #[must_use]
    pub fn arena(&self) -> Option<Arena<'f>> {
        self.arena
    }

    /// Goes on in process `to`, after those that wait there; at once if it is there.
    /// # Safety
    /// Nothing that belongs to the process it leaves is used afterwards, by this fiber or by a
    /// destructor of its locals: [what must not be
    /// held](crate::movable#what-must-not-be-held-over-a-move).
    #[inline]
    pub unsafe fn move_to(&mut self, to: usize) -> Result<(), MoveError> {
        self.may_move(to)?;
        self.fiber.move_to(to);
        Ok(())
    }

    #[inline(never)]
    fn may_move(&self, to: usize) -> Result<(), MoveError> {
        here(|core| {
            let member = core.member.as_ref();
            let processes = member.map_or(1, |member| member.shared.processes());
            match self.held.get() {
                _ if to >= processes => Err(MoveError::NoProcess { to, processes }),
                held if held > 0 => Err(MoveError::Held { held }),
                _ if std::thread::panicking() => Err(MoveError::Unwinding),
                _ if member.is_some_and(|member| !member.shared.has_joined(to)) => {
                    Err(MoveError::Absent { to })
                }
                _ => Ok(()),
            }
        })
    }

    /// Something of this process is in use: no move compiles while the answer lives.
    #[must_use]
    pub fn stay(&self) -> Stay<'_> {
        self.held.set(self.held.get() + 1);
        Stay { held: &self.held }
    }
}

/// Holds a movable fiber in its process. One that is forgotten holds it for good.
#[derive(Debug)]
pub struct Stay<'m> {
    held: &'m Cell<u32>,
}

impl Drop for Stay<'_> {
    fn drop(&mut self) {
        self.held.set(self.held.get() - 1);
    }
}

/// Never inlined: a fiber that moved must ask again.
#[inline(never)]
fn here<R>(ask: impl FnOnce(&Core) -> R) -> R {
    let core = current::core_for("the handle of a movable fiber");
    // SAFETY: it runs on this kernel thread, below us. In `ask` fibers move as the last thing.
    ask(unsafe { &*core })
}

/// The right to the result of a movable fiber, in the process that made it.
#[derive(Debug)]
pub struct MovableHandle<T>(Kind<T>);

#[derive(Debug)]
enum Kind<T> {
    Plain(JoinHandle<T>),
    Caught(JoinHandle<Result<T, Message>>),
}

impl<T> MovableHandle<T> {
    /// The fiber.
    #[must_use]
    pub fn id(&self) -> FiberId {
        match &self.0 {
            Kind::Plain(handle) => handle.id(),
            Kind::Caught(handle) => handle.id(),
        }
    }

    /// Has it ended and come home, or been lost?
    #[must_use]
    pub fn is_finished(&self) -> bool {
        match &self.0 {
            Kind::Plain(handle) => handle.is_finished(),
            Kind::Caught(handle) => handle.is_finished(),
        }
    }

    /// The fiber's result, wherever it ended; runs the scheduler until then. Errors: as
    /// [`JoinHandle::join`], a panic as a `String`; or its process died.
    pub fn join(self) -> Result<T, JoinError> {
        match self.0 {
            Kind::Plain(handle) => handle.join(),
            Kind::Caught(handle) => handle
                .join()?
                .map_err(|message| JoinError::Panicked(Box::new(message.to_string()))),
        }
    }
}

#[derive(Clone, Copy)]
struct Message {
    bytes: [u8; Message::MOST],
    len: u8,
}

impl Message {
    const MOST: usize = 111;

    fn of(thrown: &(dyn Any + Send)) -> Message {
        let text = text_of(thrown).unwrap_or("(no text)");
        let len = text.floor_char_boundary(Message::MOST);
        let mut bytes = [0; Message::MOST];
        bytes[..len].copy_from_slice(&text.as_bytes()[..len]);
        Message {
            bytes,
            len: len as u8,
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.bytes[..self.len.into()]))
    }
}

struct Begins<A, T> {
    argument: A,
    body: fn(&mut MovableFiber<'_>, A) -> T,
}

impl<A, T> Life for Begins<A, T> {
    type Output = T;

    #[inline(always)]
    fn live(self, fiber: &mut Fiber) -> T {
        let (base, bytes) = here(|core| core.slots.arena(core.running_index()));
        // SAFETY: the arena of the slot on which this runs, whose last fiber has ended.
        let arena = unsafe { Arena::begin(base, bytes) };
        let mut fiber = MovableFiber {
            fiber,
            arena,
            held: Cell::new(0),
        };
        (self.body)(&mut fiber, self.argument)
    }
}

struct Catches<A, T>(Begins<A, T>);

impl<A, T> Life for Catches<A, T> {
    type Output = Result<T, Message>;

    fn live(self, fiber: &mut Fiber) -> Result<T, Message> {
        let ended = catch_unwind(AssertUnwindSafe(|| self.0.live(fiber)));
        ended.map_err(|thrown| {
            if thrown.is::<SchedulerDropped>() {
                resume_unwind(thrown);
            }
            Message::of(&*thrown)
        })
    }
}

impl Scheduler {
    /// Makes a fiber that can move within its region. Errors: as [`Scheduler::spawn`].
    pub fn spawn_movable<A, T>(
        &self,
        argument: A,
        body: fn(&mut MovableFiber<'_>, A) -> T,
    ) -> Result<MovableHandle<T>, SpawnError>
    where
        A: Movable + 'static,
        T: Movable + 'static,
    {
        let begins = Begins { argument, body };
        let core = self.core();
        if core.catches() {
            let handle = start::spawn(core, Floats::Common, Catches(begins))?;
            return Ok(MovableHandle(Kind::Caught(handle)));
        }
        let handle = start::spawn(core, Floats::Common, begins)?;
        Ok(MovableHandle(Kind::Plain(handle)))
    }

    /// Runs fibers until the region is closed; false when every other process is gone.
    pub fn serve(&self) -> bool {
        self.core().serve()
    }

    /// Runs fibers, also those from other processes, until those made here are gone, or wait.
    pub fn run_until_home(&self) -> usize {
        self.core().run_and_wait(|| false);
        self.core().live()
    }

    /// Fibers made here that are in other processes.
    #[must_use]
    pub fn away(&self) -> usize {
        self.core().elsewhere()
    }

    /// Fibers that came from other processes so far, those that came home included.
    #[must_use]
    pub fn arrived(&self) -> u64 {
        self.core().arrived()
    }
}

impl Fiber {
    #[inline(always)]
    pub(crate) fn move_to(&mut self, to: usize) {
        let turn = here(|core| core.move_to(current::turn(), to));
        self.arrived_with(turn);
    }
}
