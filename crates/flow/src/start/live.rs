use std::io;

use ::fiber::movable::Region;

use super::{fiber, task};
use crate::body::{Body, Part};
use crate::context::{AnyBody, Context, Facts, InContext};
use crate::{Model, Stacks, flow_run};

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
        let work = InContext::new(self, context);
        match context.variant.model {
            Model::Fiber { stacks, .. } => fiber::carry(work, index, stacks),
            Model::Migratable { way, .. } => fiber::carry(work, index, Stacks::Movable(way)),
            Model::Task => task::carry(work, index),
            Model::Process
            | Model::ProcessSharedFiles
            | Model::ThreadPrivateFiles
            | Model::Thread
            | Model::Mix { .. } => flow_run::run(work, index),
        }
    }

    fn live_in(&self, context: &Context<'_>, region: &Region, process: usize) {
        let work = InContext::new(self, context);
        fiber::carry_with(work, process, |_flows| region.join(process));
    }

    fn hold(&self, context: &Context<'_>) -> io::Result<()> {
        let work = InContext::new(self, context);
        match context.variant.model.stacks() {
            Some(stacks) => fiber::hold(work, stacks),
            None => task::hold(work),
        }
    }
}
