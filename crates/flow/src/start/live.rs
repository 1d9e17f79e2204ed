use super::{fiber, task};
use crate::any_body::Work;
use crate::body::Body;
use crate::flow_run;
use crate::{Model, Stacks};

pub(crate) fn live<B: Body>(work: Work<'_, B>, index: usize) {
    match work.variant.model {
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
