//! What flows of all ranks do together in a repetition.

use flow::Proof;

use crate::team::Member;

pub(crate) trait Exchange: Sync {
    type State;

    fn units(&self) -> u64;

    fn state(&self, member: &Member<'_>) -> Self::State;

    fn run(&self, state: &mut Self::State, member: &Member<'_>) -> Proof;

    /// In no phase; panics where something does not hold.
    fn settle(&self, _state: &mut Self::State, proof: Proof) -> Proof {
        proof
    }
}
