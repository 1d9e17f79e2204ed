use crate::body::Body;
use crate::flow_run::Context;
use crate::model::Stacks;
pub(crate) fn carry<B: Body>(_context: &Context<'_, B>, _index: usize, _stacks: Stacks) {
    unimplemented!()
}
