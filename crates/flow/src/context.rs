//! What the flows of a repetition share, and their body without its type: what stands around a flow
//! is compiled once for all bodies, and asks theirs by one indirect call a flow ([`AnyBody`]).
//! States, units and turns stay generic ([`InContext`]): no call of theirs is indirect.

use std::io;
use std::ops::Deref;
use std::path::Path;

use ::fiber::movable::Region;
use nix::unistd::{Pid, getpid};

use crate::Variant;
use crate::body::Part;
use crate::channel::{self, Entrance};
use crate::footprint::Board;
use crate::latency::Together;
use crate::notify::Notify;
use crate::recording::Recorded;
use crate::shared_memory::SharedMemory;
use crate::turn::{HandOver, Pipes};

pub(crate) struct Context<'a> {
    pub(crate) body: &'a dyn AnyBody,
    pub(crate) facts: Facts,
    pub(crate) variant: &'a Variant,
    pub(crate) cpus: &'a [u32],
    pub(crate) narrate: Option<&'a str>,
    pub(crate) recorded: Option<Recorded<'a>>,
    pub(crate) shared: &'a SharedMemory,
    pub(crate) notify: &'a Notify,
    pub(crate) entrance: &'a Entrance,
    pub(crate) board: Option<Result<&'a Board, &'a io::Error>>,
    pub(crate) latencies: Option<&'a Together>,
    pub(crate) pipes: &'a Pipes,
    /// Lets a child detect that it was orphaned at birth.
    pub(crate) parent: Pid,
}

/// Hands `run` what a carrier needs that stands for itself, with nobody at its gates.
pub(crate) fn by_itself(
    body: &dyn AnyBody,
    variant: &Variant,
    run: impl FnOnce(&Context<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let (entrance, _inlet) = channel::open(None, Path::new(""))?;
    run(&Context {
        body,
        facts: body.facts(),
        variant,
        cpus: &[],
        narrate: None,
        recorded: None,
        shared: &SharedMemory::new(1, 0)?,
        notify: &Notify::new()?,
        entrance: &entrance,
        board: None,
        latencies: None,
        pipes: &Pipes::default(),
        parent: getpid(),
    })
}

/// A body in the context of its flows.
pub(crate) struct InContext<'a, B> {
    pub(crate) body: &'a B,
    pub(crate) context: &'a Context<'a>,
}

impl<'a, B> InContext<'a, B> {
    pub(crate) fn new(body: &'a B, context: &'a Context<'a>) -> Self {
        Self { body, context }
    }
}

impl<B> Clone for InContext<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B> Copy for InContext<'_, B> {}

impl<'a, B> Deref for InContext<'a, B> {
    type Target = Context<'a>;

    fn deref(&self) -> &Context<'a> {
        self.context
    }
}

/// What is the same for all flows of a body: each field is that of [`Body`](crate::Body).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts {
    pub(crate) sends: bool,
    pub(crate) turns: bool,
    pub(crate) times: bool,
    pub(crate) shoots_down: bool,
    pub(crate) touches: bool,
    pub(crate) hires: bool,
    pub(crate) hand_over: HandOver,
    pub(crate) stack_bytes: usize,
}

pub(crate) trait AnyBody: Sync {
    fn facts(&self) -> Facts;

    fn unit_in_words(&self, unit: u64) -> String;

    fn doing_in_words(&self, part: Part) -> String;

    /// The whole life of a flow of the kernel, or of a carrier with its flows.
    fn live(&self, context: &Context<'_>, index: usize);

    /// The life of a carrier, as process `process` of those that share `region`.
    fn live_in(&self, context: &Context<'_>, region: &Region, process: usize);

    /// Makes all flows of a user-level model at the same time, and ends them.
    fn hold(&self, context: &Context<'_>) -> io::Result<()>;
}
