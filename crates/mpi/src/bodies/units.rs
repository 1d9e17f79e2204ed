//! The units of a workload, dealt out before, taken one by one (a task farm), or stolen. Dealt out, flow f
//! has the units f, f + flows, ...; by static division units that follow each other, so where later
//! units take longer, so does the last flow. Taken, the next unit is a number that all flows count
//! up. Stolen, each flow has the units of static division and such a number for them; a flow that has run out takes one by
//! one from the next flow that has some, by counting its number up. Numbers are atomic ones for threads of a single rank;
//! else in the memory of the owner's rank, by `MPI_Fetch_and_op`. (Half of a range by `MPI_Compare_and_swap` would take
//! fewer operations: Open MPI 4.1.4 crashes in it where a rank changes its own memory.) Proofs are added up after the
//! steady phase.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use flow::{Body, Outlet, Proof};

use super::exchange::Exchange;
use crate::team::Member;

#[derive(Debug)]
pub(super) enum HandOut {
    Dealt,
    Static,
    Taken(Counters),
    Stolen(Counters),
}

/// One for each flow; those of threads of a single rank.
#[derive(Debug)]
pub(super) struct Counters(Vec<AtomicU64>);

impl Counters {
    pub(super) fn new(threads: u32) -> Self {
        Self((0..threads).map(|_| AtomicU64::new(0)).collect())
    }

    fn reset(&self, member: &Member<'_>) {
        let Member { team, thread, .. } = *member;
        match (thread, team.ranks) {
            (_, 1) => self.0[thread as usize].store(0, Ordering::Relaxed),
            (0, _) => team.world().expose(team.threads),
            _ => {}
        }
    }

    fn next(&self, of: u32, member: &Member<'_>) -> u64 {
        let team = member.team;
        member.communicate(|| match team.ranks {
            1 => self.0[of as usize].fetch_add(1, Ordering::Relaxed),
            _ => team.world().next(of / team.threads, of % team.threads),
        })
    }

    /// Units of a flow, as long as its number is within them.
    fn each(&self, of: u32, units: Range<u64>, member: &Member<'_>, each: &mut impl FnMut(u64)) {
        let next = || Some(units.start + self.next(of, member)).filter(|unit| *unit < units.end);
        std::iter::from_fn(next).for_each(each);
    }
}

impl HandOut {
    /// For all ranks; a gate comes before the first unit is taken.
    pub(super) fn reset(&self, member: &Member<'_>) {
        match self {
            Self::Dealt | Self::Static => {}
            Self::Taken(counters) | Self::Stolen(counters) => counters.reset(member),
        }
    }

    pub(super) fn each(&self, all: u64, member: &Member<'_>, mut each: impl FnMut(u64)) {
        match self {
            Self::Dealt => {
                let own = (member.flow().into()..all).step_by(member.team.flows() as usize);
                own.for_each(each);
            }
            Self::Static => share(all, member).for_each(each),
            Self::Taken(counters) => counters.each(0, 0..all, member, &mut each),
            Self::Stolen(counters) => {
                let (own, flows) = (member.flow(), member.team.flows());
                for of in (0..flows).map(|further| (own + further) % flows) {
                    counters.each(of, share_of(all, of, flows), member, &mut each);
                }
            }
        }
    }
}

pub(super) fn share(all: u64, member: &Member<'_>) -> Range<u64> {
    share_of(all, member.flow(), member.team.flows())
}

pub(super) fn share_of(all: u64, flow: u32, flows: u32) -> Range<u64> {
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
