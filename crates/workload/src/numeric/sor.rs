//! Successive over-relaxation: each inner point of a grid moves towards, and a quarter beyond, the
//! mean of its four neighbours, in place. Self-check: a sweep with a factor between 0 and 2 lowers
//! the energy (summed squared differences of neighbours) of a grid not at rest.

use flow::Pieces;

use super::{Program, Wrong};
use crate::draw::{Checksum, Draw};

const OMEGA: f64 = 1.25;

#[derive(Debug)]
pub(super) struct Sor {
    side: usize,
    first: Vec<f64>,
    grid: Vec<f64>,
    energy: f64,
}

impl Sor {
    pub(super) fn new(side: usize, seed: u64) -> Self {
        let mut draw = Draw::new(seed, 0);
        let first: Vec<f64> = (0..side * side).map(|_| draw.unit()).collect();
        Self {
            side,
            grid: first.clone(),
            energy: energy(&first, side),
            first,
        }
    }

    fn border(&self, grid: &[f64]) -> u64 {
        let last = self.side - 1;
        let rows = grid.chunks_exact(self.side).enumerate();
        Checksum::of_numbers(rows.flat_map(|(row, points)| {
            let step = if row == 0 || row == last { 1 } else { last };
            points.iter().step_by(step)
        }))
    }
}

fn energy(grid: &[f64], side: usize) -> f64 {
    let square = |a: f64, b: f64| (a - b) * (a - b);
    let rows = || grid.chunks_exact(side);
    let inner = rows().skip(1).take(side - 2);
    let across = inner.flat_map(|row| row.windows(2).map(|two| square(two[0], two[1])));
    let down = rows().zip(rows().skip(1)).flat_map(|(row, next)| {
        let pairs = row.iter().zip(next).skip(1).take(side - 2);
        pairs.map(|(a, b)| square(*a, *b))
    });
    across.sum::<f64>() + down.sum::<f64>()
}

fn sweep(grid: &mut [f64], side: usize) {
    for row in 1..side - 1 {
        let (above, rest) = grid.split_at_mut(row * side);
        let (points, below) = rest.split_at_mut(side);
        let above = &above[(row - 1) * side..][..side];
        let below = &below[..side];
        let mut left = points[0];
        for column in 1..side - 1 {
            let sides = left + points[column + 1];
            let neighbours = above[column] + below[column] + sides;
            left = OMEGA / 4.0 * neighbours + (1.0 - OMEGA) * points[column];
            points[column] = left;
        }
    }
}

impl Program for Sor {
    fn pieces(&self, pieces: &mut Pieces) {
        pieces.slice(&self.first);
        pieces.slice(&self.grid);
    }

    fn begin(&mut self) {
        self.grid.copy_from_slice(&self.first);
    }

    fn pass(&mut self) {
        sweep(&mut self.grid, self.side);
    }

    fn end(&mut self) -> Result<u64, Wrong> {
        let (now, then) = (energy(&self.grid, self.side), self.energy);
        Wrong::unless(now < then, || {
            format!("a relaxed grid has an energy of {now}, at first it had {then}")
        })?;
        let same = self.border(&self.grid) == self.border(&self.first);
        Wrong::unless(same, || {
            "the border of a relaxed grid was changed".to_owned()
        })?;
        Ok(Checksum::of_numbers(&[now]))
    }

    fn flops(&self) -> Option<f64> {
        let inner = (self.side - 1) as f64;
        Some(6.0 * inner * inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What breaks, and a word of what is said of it.
    type Fault = (fn(&mut Sor), &'static str);

    /// A sweep point by point, by the definition.
    fn naive(grid: &[f64], side: usize) -> Vec<f64> {
        let mut grid = grid.to_vec();
        for at in 0..side * side {
            let (row, column) = (at / side, at % side);
            if [row, column]
                .iter()
                .all(|place| (1..side - 1).contains(place))
            {
                let neighbours = [at - side, at + side, at - 1, at + 1];
                let mean = neighbours.map(|other| grid[other]).iter().sum::<f64>() / 4.0;
                grid[at] += OMEGA * (mean - grid[at]);
            }
        }
        grid
    }

    proptest! {
        #[test]
        fn a_sweep_is_the_one_of_the_definition_and_lowers_the_energy(side in 3_usize..30, seed: u64) {
            let mut sor = Sor::new(side, seed);
            sor.pass();
            for (got, wanted) in sor.grid.iter().zip(naive(&sor.first, side)) {
                prop_assert!((got - wanted).abs() < 1e-12);
            }
            prop_assert!(sor.end().is_ok());
        }
    }

    #[test]
    fn a_grid_at_rest_stays_as_it_is() {
        let side = 20;
        let mut grid: Vec<f64> = (0..side * side).map(|at| (at % side) as f64).collect();
        sweep(&mut grid, side);
        for (at, point) in grid.iter().enumerate() {
            assert!((point - (at % side) as f64).abs() < 1e-12);
        }
    }

    #[test]
    fn a_changed_border_and_a_raised_energy_are_found() {
        let broken: [Fault; 2] = [
            (|sor| sor.grid[5] += 1e-12, "border"),
            (|sor| sor.grid[10_200] += 100.0, "energy"),
        ];
        for (break_it, word) in broken {
            let mut sor = Sor::new(150, 1);
            sor.begin();
            sor.pass();
            break_it(&mut sor);
            assert!(sor.end().unwrap_err().to_string().contains(word));
        }
    }
}
