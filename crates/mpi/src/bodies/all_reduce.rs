//! A sum of what all flows have, which all of them get in a buffer of their own. Threads of a rank
//! each add up their stretch; with several ranks, the first thread of each calls `MPI_Allreduce` on
//! the sums. All numbers are whole and small: sums are exact in any order.

use std::sync::RwLock;

use flow::Proof;

use super::exchange::{Exchange, Shared, part, seen, written};
use crate::team::{Member, Team};

#[derive(Debug)]
pub(super) struct AllReduce {
    numbers: usize,
    rounds: u64,
    own: Vec<Shared<f64>>,
    stretches: Vec<Shared<f64>>,
    sums: Shared<f64>,
}

impl AllReduce {
    pub(super) fn new(bytes: u64, rounds: u64, team: &Team) -> Self {
        let numbers = bytes as usize / 8;
        let each = |_| RwLock::new(vec![0.0; numbers]);
        let stretch = |thread| RwLock::new(vec![0.0; part(numbers, team.threads, thread).len()]);
        Self {
            numbers,
            rounds,
            own: (0..team.threads).map(each).collect(),
            stretches: (0..team.threads).map(stretch).collect(),
            sums: RwLock::new(vec![0.0; numbers]),
        }
    }

    fn add_up(&self, member: &Member<'_>) {
        let range = part(self.numbers, member.team.threads, member.thread);
        let mut sums = written(&self.stretches[member.thread as usize]);
        sums.fill(0.0);
        for own in &self.own {
            let own = seen(own);
            for (sum, value) in sums.iter_mut().zip(&own[range.clone()]) {
                *sum += value;
            }
        }
    }

    fn join(&self, into: &mut [f64]) {
        let mut rest = into;
        for stretch in &self.stretches {
            let stretch = seen(stretch);
            let (first, after) = rest.split_at_mut(stretch.len());
            first.copy_from_slice(&stretch);
            rest = after;
        }
    }

    fn each_round(
        &self,
        result: &mut [f64],
        member: &Member<'_>,
        mut sum: impl FnMut(&mut [f64], f64),
    ) -> u64 {
        let mut checksum = 0_u64;
        for round in 0..self.rounds {
            let value = f64::from(member.flow()) + (round % 1_000) as f64;
            sum(result, value);
            let ends = [result.first(), result.last()];
            let ends = ends.map(|end| end.copied().unwrap_or(f64::NAN).to_bits());
            checksum = checksum.wrapping_add(ends[0]).wrapping_add(ends[1]);
        }
        checksum
    }

    fn shared(&self, result: &mut [f64], value: f64, member: &Member<'_>) {
        let Member { team, thread, .. } = *member;
        member.communicate(|| written(&self.own[thread as usize]).fill(value));
        team.meet();
        member.communicate(|| self.add_up(member));
        team.meet();
        if team.ranks == 1 {
            return member.communicate(|| self.join(result));
        }
        if thread == 0 {
            member.communicate(|| {
                let mut sums = written(&self.sums);
                self.join(&mut sums);
                team.world().sum(&mut sums);
            });
        }
        team.meet();
        member.communicate(|| result.copy_from_slice(&seen(&self.sums)));
    }
}

impl Exchange for AllReduce {
    type State = Vec<f64>;

    fn units(&self) -> u64 {
        self.rounds
    }

    fn state(&self, _member: &Member<'_>) -> Vec<f64> {
        vec![0.0; self.numbers]
    }

    fn run(&self, result: &mut Vec<f64>, member: &Member<'_>) -> Proof {
        let checksum = match member.team.threads {
            // A look at the clock in each round would take a tenth of a small sum.
            1 => member.communicate(|| {
                let mut world = member.team.world();
                self.each_round(result, member, |result, value| {
                    result.fill(value);
                    world.sum(result);
                })
            }),
            _ => self.each_round(result, member, |result, value| {
                self.shared(result, value, member);
            }),
        };
        Proof {
            count: self.rounds,
            checksum,
        }
    }

    fn settle(&self, result: &mut Vec<f64>, proof: Proof) -> Proof {
        let first = result.first().copied();
        let alike = result
            .iter()
            .all(|value| Some(value.to_bits()) == first.map(f64::to_bits));
        assert!(alike, "sums of the same numbers differ");
        proof
    }
}
