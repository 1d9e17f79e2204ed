//! The units of a workload, dealt out before or taken one by one (a task farm). Dealt out, flow f
//! has the units f, f + flows, ...; by static division units that follow each other, so where later
//! units take longer, so does the last flow. Taken, the next unit is a number that all flows count
//! up: an atomic one for threads of a single rank; else one in the memory of rank 0, by
//! `MPI_Fetch_and_op`. Proofs are added up after the steady phase.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use flow::{Body, Outlet, Proof};

use super::Exchange;
use crate::team::Member;

#[derive(Debug)]
pub(super) enum HandOut {
    Dealt,
    Static,
    Taken(Counter),
}

#[derive(Debug, Default)]
pub(super) struct Counter(AtomicU64);

impl Counter {
    fn reset(&self, member: &Member<'_>) {
        match (member.thread, member.team.ranks) {
            (0, 1) => self.0.store(0, Ordering::Relaxed),
            (0, _) => member.team.world().counter(),
            _ => {}
        }
    }

    fn next(&self, member: &Member<'_>) -> u64 {
        match member.team.ranks {
            1 => self.0.fetch_add(1, Ordering::Relaxed),
            _ => member.team.world().next(),
        }
    }
}

impl HandOut {
    /// For all ranks; a gate comes before the first unit is taken.
    pub(super) fn reset(&self, member: &Member<'_>) {
        if let Self::Taken(counter) = self {
            counter.reset(member);
        }
    }

    pub(super) fn each(&self, all: u64, member: &Member<'_>, mut each: impl FnMut(u64)) {
        match self {
            Self::Dealt => {
                let own = (member.flow().into()..all).step_by(member.team.flows() as usize);
                own.for_each(each);
            }
            Self::Static => share(all, member).for_each(each),
            Self::Taken(counter) => {
                let next = || member.communicate(|| counter.next(member));
                let mut unit = next();
                while unit < all {
                    each(unit);
                    unit = next();
                }
            }
        }
    }
}

pub(super) fn share(all: u64, member: &Member<'_>) -> Range<u64> {
    let (flow, flows) = (member.flow(), member.team.flows());
    let first = |flow: u32| all * u64::from(flow) / u64::from(flows);
    first(flow)..first(flow + 1)
}

#[derive(Debug)]
pub(super) struct Units<'a, B> {
    pub(super) body: &'a B,
    pub(super) hand_out: HandOut,
}

impl<B: Body> Exchange for Units<'_, B> {
    type State = B::State;

    fn units(&self) -> u64 {
        self.body.units()
    }

    fn state(&self, member: &Member<'_>) -> B::State {
        self.hand_out.reset(member);
        self.body.state(member.flow() as usize)
    }

    fn run(&self, state: &mut B::State, member: &Member<'_>) -> Proof {
        let mut sum = Proof::default();
        self.hand_out.each(self.body.units(), member, |unit| {
            let mut outlet = Outlet::nowhere();
            sum += member.compute(|| self.body.unit(state, unit, &mut outlet));
            if let Some(error) = outlet.failure() {
                panic!("{}: {error}", self.body.describe(unit));
            }
        });
        sum
    }

    fn settle(&self, state: &mut B::State, proof: Proof) -> Proof {
        self.body.settle(state);
        proof
    }
}
