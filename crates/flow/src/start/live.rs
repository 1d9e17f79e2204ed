use super::{fiber, task};
use crate::body::Body;
use crate::flow_run::{self, Context};
use crate::{Model, Stacks};

pub(super) fn live<B: Body>(context: &Context<'_, B>, index: usize) {
    match context.variant.model {
        Model::Fiber { stacks, .. } => fiber::carry(context, index, stacks),
        Model::Migratable { way, .. } => fiber::carry(context, index, Stacks::Movable(way)),
        Model::Task => task::carry(context, index),
        Model::Process
        | Model::ProcessSharedFiles
        | Model::ThreadPrivateFiles
        | Model::Thread
        | Model::Mix { .. } => flow_run::run(context, index),
    }
}
