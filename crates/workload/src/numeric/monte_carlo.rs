//! Pi by random points in a unit square. Self-check: the share in a quarter circle strays at most
//! six known deviations from its mean (farther by chance once in 500 million units).

use std::f64::consts::PI;

use flow::Pieces;

use super::{Program, Wrong};
use crate::draw::Draw;

pub(super) const POINTS: u64 = 1_000_000;

#[derive(Debug)]
pub(super) struct MonteCarlo {
    seed: u64,
    draw: Draw,
    points: u64,
    within: u64,
}

impl MonteCarlo {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            seed,
            draw: Draw::new(seed, 0),
            points: 0,
            within: 0,
        }
    }

    fn pi(&self) -> f64 {
        4.0 * self.within as f64 / self.points as f64
    }
}

impl Program for MonteCarlo {
    fn pieces(&self, pieces: &mut Pieces) {
        pieces.slice(std::slice::from_ref(self));
    }

    fn begin(&mut self) {
        *self = Self::new(self.seed);
    }

    fn pass(&mut self) {
        for _ in 0..POINTS {
            let (x, y) = (self.draw.unit(), self.draw.unit());
            self.within += u64::from(x * x + y * y <= 1.0);
        }
        self.points += POINTS;
    }

    fn end(&mut self) -> Result<u64, Wrong> {
        let (got, deviation) = (self.pi(), (PI * (4.0 - PI) / self.points as f64).sqrt());
        Wrong::unless((got - PI).abs() < 6.0 * deviation, || {
            format!("pi by {} points is {got}", self.points)
        })?;
        Ok(self.within)
    }

    fn flops(&self) -> Option<f64> {
        Some(4.0 * POINTS as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_seed_gives_a_known_number_of_points() {
        let mut program = MonteCarlo::new(1);
        program.begin();
        program.pass();
        assert_eq!(program.end(), Ok(WITHIN));
        assert!((program.pi() - PI).abs() < 0.005);
    }

    /// Points within the circle of the first million of seed 1, as another program counts them.
    const WITHIN: u64 = 784_879;

    #[test]
    fn a_share_that_is_off_is_found() {
        let mut program = MonteCarlo::new(1);
        program.pass();
        program.within += 3_000;
        assert!(program.end().unwrap_err().to_string().contains("pi by"));
    }
}
