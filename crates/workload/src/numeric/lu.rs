//! The factors of a dense matrix: row by row in place, with partial pivoting. Self-check, in n^2
//! steps: for a vector x the product of the factors with x must be the permuted matrix times x.

use flow::Pieces;

use super::{Program, Wrong};
use crate::draw::{Checksum, Draw};

/// Allowed error of a component of the product, relative to the number of rows.
const ROUNDING: f64 = 1e-12;

#[derive(Debug)]
pub(super) struct Lu {
    rows: usize,
    matrix: Vec<f64>,
    factors: Vec<f64>,
    origin: Vec<usize>,
    vector: Vec<f64>,
    upper: Vec<f64>,
}

impl Lu {
    pub(super) fn new(rows: usize, seed: u64) -> Self {
        let mut draw = Draw::new(seed, 0);
        let mut numbers = |many| -> Vec<f64> { (0..many).map(|_| draw.unit()).collect() };
        let matrix = numbers(rows * rows);
        Self {
            rows,
            factors: matrix.clone(),
            matrix,
            origin: (0..rows).collect(),
            vector: numbers(rows),
            upper: vec![0.0; rows],
        }
    }

    fn factor(&mut self) {
        for column in 0..self.rows {
            self.pivot(column);
            let (above, below) = self.factors.split_at_mut((column + 1) * self.rows);
            let pivot = &above[column * self.rows + column..];
            let inverse = 1.0 / pivot[0];
            for row in below.chunks_exact_mut(self.rows) {
                let row = &mut row[column..];
                let factor = row[0] * inverse;
                row[0] = factor;
                for (target, source) in row[1..].iter_mut().zip(&pivot[1..]) {
                    *target -= factor * source;
                }
            }
        }
    }

    fn pivot(&mut self, column: usize) {
        let size = |row: usize| self.factors[row * self.rows + column].abs();
        let largest = (column..self.rows).max_by(|a, b| size(*a).total_cmp(&size(*b)));
        let largest = largest.unwrap_or(column);
        if largest != column {
            let (above, below) = self.factors.split_at_mut(largest * self.rows);
            let row = &mut above[column * self.rows..][..self.rows];
            row.swap_with_slice(&mut below[..self.rows]);
            self.origin.swap(column, largest);
        }
    }

    fn error(&mut self) -> f64 {
        let rows = self.factors.chunks_exact(self.rows).enumerate();
        for (i, row) in rows {
            self.upper[i] = dot(&row[i..], &self.vector[i..]);
        }
        let difference = |(i, row): (usize, &[f64])| {
            let product = self.upper[i] + dot(&row[..i], &self.upper[..i]);
            let wanted = &self.matrix[self.origin[i] * self.rows..][..self.rows];
            (product - dot(wanted, &self.vector)).abs()
        };
        let rows = self.factors.chunks_exact(self.rows).enumerate();
        rows.map(difference).fold(0.0, f64::max)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Program for Lu {
    fn pieces(&self, pieces: &mut Pieces) {
        pieces.slice(&self.matrix);
        pieces.slice(&self.factors);
        pieces.slice(&self.origin);
        pieces.slice(&self.vector);
        pieces.slice(&self.upper);
    }

    fn pass(&mut self) {
        self.factors.copy_from_slice(&self.matrix);
        for (row, origin) in self.origin.iter_mut().enumerate() {
            *origin = row;
        }
        self.factor();
    }

    fn end(&mut self) -> Result<u64, Wrong> {
        let error = self.error();
        Wrong::unless(error <= ROUNDING * self.rows as f64, || {
            format!("the factors of a matrix are off by {error:e}")
        })?;
        let diagonal = self.factors.iter().step_by(self.rows + 1);
        Ok(Checksum::of_numbers(diagonal))
    }

    fn flops(&self) -> Option<f64> {
        Some(2.0 * (self.rows as f64).powi(3) / 3.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_product_of_the_factors_is_the_matrix(rows in 1_usize..24, seed: u64) {
            let mut lu = Lu::new(rows, seed);
            lu.pass();
            for (i, j) in (0..rows * rows).map(|k| (k / rows, k % rows)) {
                let term = |k: usize| {
                    let left = if k == i { 1.0 } else { lu.factors[i * rows + k] };
                    left * lu.factors[k * rows + j]
                };
                let product: f64 = (0..=i.min(j)).map(term).sum();
                let wanted = lu.matrix[lu.origin[i] * rows + j];
                prop_assert!((product - wanted).abs() < 1e-9, "{product} {wanted}");
            }
            prop_assert!(lu.end().is_ok());
        }
    }

    #[test]
    fn a_wrong_factor_and_a_wrong_row_are_found() {
        let broken: [fn(&mut Lu); 2] = [|lu| lu.factors[17] += 1e-6, |lu| lu.origin.swap(3, 4)];
        for break_it in broken {
            let mut lu = Lu::new(50, 1);
            lu.pass();
            assert!(lu.end().is_ok());
            break_it(&mut lu);
            assert!(lu.end().unwrap_err().to_string().contains("factors"));
        }
    }
}
