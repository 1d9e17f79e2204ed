//! A body without its type. What stands around a flow (the parent, the gates, the making of flows)
//! asks it through [`AnyBody`], with one indirect call a flow, and is compiled once for all bodies.
//! States, units and turns stay generic ([`Work`]): nothing of a timed part is indirect.

use std::io;
use std::ops::Deref;

use ::fiber::movable::Region;

use crate::body::{Body, Part};
use crate::flow_run::Context;
use crate::start;
use crate::turn::HandOver;

/// A body, and what its flows share.
pub(crate) struct Work<'a, B> {
    pub(crate) body: &'a B,
    pub(crate) context: &'a Context<'a>,
}

impl<B> Clone for Work<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B> Copy for Work<'_, B> {}

impl<'a, B> Deref for Work<'a, B> {
    type Target = Context<'a>;

    fn deref(&self) -> &Context<'a> {
        self.context
    }
}

/// What is the same for all flows of a body: each field is that of [`Body`].
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

    /// [`Body::describe`].
    fn unit_in_words(&self, unit: u64) -> String;

    /// [`Body::doing`].
    fn doing_in_words(&self, part: Part) -> String;

    /// The whole life of a flow of the kernel, or of a carrier with its flows.
    fn live(&self, context: &Context<'_>, index: usize);

    /// The life of a carrier, as process `process` of those that share `region`.
    fn live_in(&self, context: &Context<'_>, region: &Region, process: usize);

    /// Makes all flows of a user-level model at the same time, and ends them.
    fn hold(&self, context: &Context<'_>) -> io::Result<()>;
}

impl<B: Body> AnyBody for B {
    fn facts(&self) -> Facts {
        Facts {
            sends: B::SENDS,
            turns: B::TURNS,
            times: B::TIMES,
            shoots_down: B::SHOOTS_DOWN,
            touches: B::TOUCHES,
            hires: self.hires(),
            hand_over: self.hand_over(),
            stack_bytes: self.stack_bytes(),
        }
    }

    fn unit_in_words(&self, unit: u64) -> String {
        self.describe(unit)
    }

    fn doing_in_words(&self, part: Part) -> String {
        self.doing(part)
    }

    fn live(&self, context: &Context<'_>, index: usize) {
        start::live(
            Work {
                body: self,
                context,
            },
            index,
        );
    }

    fn live_in(&self, context: &Context<'_>, region: &Region, process: usize) {
        let work = Work {
            body: self,
            context,
        };
        start::fiber::carry_with(work, process, |_flows| region.join(process));
    }

    fn hold(&self, context: &Context<'_>) -> io::Result<()> {
        start::hold(Work {
            body: self,
            context,
        })
    }
}
