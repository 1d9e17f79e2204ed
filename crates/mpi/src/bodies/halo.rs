//! A square grid of which each flow has some rows, and in each step needs those beside them:
//! Jacobi's method for heat on a plate, in which a point becomes the mean of its four neighbours
//! and the border stays. Each flow has a strip of rows, those of a rank together. After each step
//! it puts its first and last row where its neighbours find them:
//! ```text
//!   rank 0   thread 0   rows … last ─┐  shared memory: the neighbour reads the row
//!            thread 1   first ◀──────┘
//!                       rows … last ─┐  message: MPI_Sendrecv, by the first thread of each rank
//!   rank 1   thread 0   first ◀──────┘
//! ```
//! Rows alternate between two sets: threads meet once a step, in a rank with a neighbour again
//! after the messages. The only thread of a rank sends its rows from where they are. The bits of
//! all points, the same whatever the split, are the proof.

use std::ops::Range;
use std::sync::{RwLock, RwLockReadGuard};

use flow::Proof;

use super::exchange::{Exchange, Shared, part, seen, written};
use crate::team::{Member, Team};

#[derive(Debug)]
struct Edges {
    first: Shared<f64>,
    last: Shared<f64>,
}

#[derive(Debug)]
pub(super) struct Halo {
    side: usize,
    steps: u64,
    edges: [Vec<Edges>; 2],
    from_ranks: Edges,
}

pub(super) struct Strip {
    rows: Range<usize>,
    now: Vec<f64>,
    next: Vec<f64>,
}

impl Halo {
    pub(super) fn new(side: u64, steps: u64, team: &Team) -> Self {
        let side = side as usize;
        let row = || RwLock::new(vec![0.0; side]);
        let edges = || Edges {
            first: row(),
            last: row(),
        };
        let set = || (0..team.threads).map(|_| edges()).collect();
        Self {
            side,
            steps,
            edges: [set(), set()],
            from_ranks: edges(),
        }
    }

    fn ends<'s>(&self, strip: &'s Strip) -> (&'s [f64], &'s [f64]) {
        let last = strip.now.len() - self.side;
        (&strip.now[..self.side], &strip.now[last..])
    }

    fn put_out(&self, strip: &Strip, set: usize, thread: u32) {
        let edges = &self.edges[set][thread as usize];
        let (first, last) = self.ends(strip);
        written(&edges.first).copy_from_slice(first);
        written(&edges.last).copy_from_slice(last);
    }

    fn between_ranks(&self, strip: &Strip, set: usize, team: &Team) {
        if team.threads == 1 {
            return self.exchange(self.ends(strip), team);
        }
        let edges = &self.edges[set];
        if let [Some(top), Some(bottom)] = [edges.first(), edges.last()] {
            self.exchange((&seen(&top.first), &seen(&bottom.last)), team);
        }
    }

    /// Down, then up.
    fn exchange(&self, (first, last): (&[f64], &[f64]), team: &Team) {
        let mut world = team.world();
        let above = team.rank.checked_sub(1);
        let below = Some(team.rank + 1).filter(|rank| *rank < team.ranks);
        let from = &self.from_ranks;
        world.exchange(last, below, &mut written(&from.first), above);
        world.exchange(first, above, &mut written(&from.last), below);
    }

    fn neighbours(&self, set: usize, member: &Member<'_>) -> [RwLockReadGuard<'_, Vec<f64>>; 2] {
        let own = member.thread as usize;
        let edges = &self.edges[set];
        let above = own
            .checked_sub(1)
            .map_or(&self.from_ranks.first, |above| &edges[above].last);
        let below = edges
            .get(own + 1)
            .map_or(&self.from_ranks.last, |below| &below.first);
        [seen(above), seen(below)]
    }

    fn step(&self, strip: &mut Strip, above: &[f64], below: &[f64]) {
        let side = self.side;
        let rows = strip.rows.len();
        for row in 0..rows {
            let at = row * side;
            let of_grid = strip.rows.start + row;
            if of_grid == 0 || of_grid + 1 == side {
                strip.next[at..at + side].copy_from_slice(&strip.now[at..at + side]);
                continue;
            }
            let up = if row == 0 {
                above
            } else {
                &strip.now[at - side..at]
            };
            let down = match row + 1 == rows {
                true => below,
                false => &strip.now[at + side..at + 2 * side],
            };
            mean(
                &strip.now[at..at + side],
                up,
                down,
                &mut strip.next[at..at + side],
            );
        }
        std::mem::swap(&mut strip.now, &mut strip.next);
    }
}

/// The ends of a row stay. Not inlined, it is known that rows do not overlap, and two points are computed at once.
#[inline(never)]
fn mean(row: &[f64], up: &[f64], down: &[f64], into: &mut [f64]) {
    let side = row.len();
    let (up, down) = (&up[..side], &down[..side]);
    let into = &mut into[..side];
    into[0] = row[0];
    into[side - 1] = row[side - 1];
    for at in 1..side - 1 {
        into[at] = 0.25 * ((up[at] + down[at]) + (row[at - 1] + row[at + 1]));
    }
}

impl Exchange for Halo {
    type State = Strip;

    fn units(&self) -> u64 {
        self.steps
    }

    fn state(&self, member: &Member<'_>) -> Strip {
        let rows = part(self.side, member.team.flows(), member.flow());
        let heat = |row: usize, column: usize| ((row * 7 + column * 13) % 101) as f64;
        let points = rows
            .clone()
            .flat_map(|row| (0..self.side).map(move |column| heat(row, column)));
        let now: Vec<f64> = points.collect();
        Strip {
            rows,
            next: now.clone(),
            now,
        }
    }

    fn run(&self, strip: &mut Strip, member: &Member<'_>) -> Proof {
        let Member { team, thread, .. } = *member;
        for step in 0..self.steps {
            let set = (step % 2) as usize;
            if team.threads > 1 {
                member.communicate(|| self.put_out(strip, set, thread));
                team.meet();
            }
            if team.ranks > 1 {
                if thread == 0 {
                    member.communicate(|| self.between_ranks(strip, set, team));
                }
                team.meet();
            }
            let [above, below] = self.neighbours(set, member);
            member.compute(|| self.step(strip, &above, &below));
        }
        Proof {
            count: if member.flow() == 0 { self.steps } else { 0 },
            checksum: 0,
        }
    }

    fn settle(&self, strip: &mut Strip, proof: Proof) -> Proof {
        let points = strip.now.iter().zip(strip.rows.start * self.side..);
        let mixed = points.map(|(point, at)| mixed(point.to_bits() ^ at as u64));
        Proof {
            checksum: mixed.fold(0, u64::wrapping_add),
            ..proof
        }
    }
}

fn mixed(bits: u64) -> u64 {
    let bits = (bits ^ (bits >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits ^ (bits >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_becomes_the_mean_of_its_neighbours_and_the_border_stays() {
        let mut into = [0.0; 4];
        mean(
            &[1.0, 2.0, 3.0, 4.0],
            &[0.0, 8.0, 0.0, 0.0],
            &[0.0, 4.0, 4.0, 0.0],
            &mut into,
        );
        assert_eq!(into, [1.0, 4.0, 2.5, 4.0]);
    }
}
