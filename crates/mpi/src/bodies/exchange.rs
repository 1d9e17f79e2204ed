//! What flows of all ranks do together in a repetition, and what the threads of a rank share.

use std::ops::Range;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

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

/// What threads of a rank share: a panic in one of them ends the rank, so nothing is half written.
pub(super) type Shared<T> = RwLock<Vec<T>>;

pub(super) fn written<T>(shared: &Shared<T>) -> RwLockWriteGuard<'_, Vec<T>> {
    shared.write().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn seen<T>(shared: &Shared<T>) -> RwLockReadGuard<'_, Vec<T>> {
    shared.read().unwrap_or_else(PoisonError::into_inner)
}

/// Of some things that follow each other, those of a place among several.
pub(super) fn part(all: usize, places: u32, place: u32) -> Range<usize> {
    let first = |place: u32| all * place as usize / places as usize;
    first(place)..first(place + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_all_once_and_none_is_empty_where_there_are_enough() {
        for (all, places) in [(1, 4), (4, 4), (10, 3), (64, 8), (1_000, 7)] {
            let parts: Vec<_> = (0..places).map(|place| part(all, places, place)).collect();
            let every = parts.iter().cloned().flatten();
            assert_eq!(every.collect::<Vec<_>>(), (0..all).collect::<Vec<_>>());
            assert!(all < places as usize || parts.iter().all(|part| !part.is_empty()));
        }
    }
}
