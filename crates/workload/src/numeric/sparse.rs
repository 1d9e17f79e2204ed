//! A sparse matrix, by rows, times a vector. Every row has as many entries, spread over the columns
//! up to its own. Self-check: the product's components sum to the columns' sums times the vector.

use flow::Pieces;

use super::{Program, Wrong};
use crate::draw::{Checksum, Draw};

/// Allowed difference of the two sums, per entry.
const ROUNDING: f64 = 1e-12;

#[derive(Debug)]
pub(super) struct Sparse {
    in_row: usize,
    values: Vec<f64>,
    columns: Vec<u32>,
    vector: Vec<f64>,
    product: Vec<f64>,
    wanted: f64,
}

impl Sparse {
    pub(super) fn new(rows: usize, entries: usize, seed: u64) -> Self {
        let mut draw = Draw::new(seed, 0);
        let in_row = entries / rows;
        let vector: Vec<f64> = (0..rows).map(|_| draw.unit()).collect();
        let place = |row: usize, entry: usize| (entry * (row / in_row).max(1)) as u32;
        let columns: Vec<u32> = (0..rows)
            .flat_map(|row| (0..in_row).map(move |entry| place(row, entry)))
            .collect();
        let values: Vec<f64> = columns.iter().map(|_| draw.unit()).collect();
        let mut sums = vec![0.0; rows];
        for (value, column) in values.iter().zip(&columns) {
            sums[*column as usize] += value;
        }
        let wanted = sums.iter().zip(&vector).map(|(sum, x)| sum * x).sum();
        Self {
            in_row,
            values,
            columns,
            product: vec![0.0; rows],
            vector,
            wanted,
        }
    }
}

impl Program for Sparse {
    fn pieces(&self, pieces: &mut Pieces) {
        pieces.slice(&self.values);
        pieces.slice(&self.columns);
        pieces.slice(&self.vector);
        pieces.slice(&self.product);
    }

    fn pass(&mut self) {
        let rows = self.values.chunks_exact(self.in_row);
        let rows = rows.zip(self.columns.chunks_exact(self.in_row));
        for (component, (values, columns)) in self.product.iter_mut().zip(rows) {
            let entries = values.iter().zip(columns);
            *component = entries
                .map(|(value, at)| value * self.vector[*at as usize])
                .sum();
        }
    }

    fn end(&mut self) -> Result<u64, Wrong> {
        let (got, wanted) = (self.product.iter().sum::<f64>(), self.wanted);
        let close = (got - wanted).abs() <= ROUNDING * self.values.len() as f64;
        Wrong::unless(close, || {
            format!("a sparse product sums up to {got}, by columns to {wanted}")
        })?;
        Ok(Checksum::of_numbers(&self.product))
    }

    fn flops(&self) -> Option<f64> {
        Some(2.0 * self.values.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_product_is_that_of_the_dense_matrix(rows in 1_usize..60, fill in 1_usize..6, seed: u64) {
            let in_row = fill.min(rows);
            let mut sparse = Sparse::new(rows, rows * in_row, seed);
            sparse.pass();
            let mut dense = vec![0.0; rows * rows];
            for entry in 0..sparse.values.len() {
                dense[entry / in_row * rows + sparse.columns[entry] as usize] += sparse.values[entry];
            }
            for (row, got) in dense.chunks_exact(rows).zip(&sparse.product) {
                let wanted: f64 = row.iter().zip(&sparse.vector).map(|(a, x)| a * x).sum();
                prop_assert!((got - wanted).abs() < 1e-12);
            }
            prop_assert!(sparse.end().is_ok());
        }
    }

    #[test]
    fn a_wrong_component_is_found() {
        let mut sparse = Sparse::new(1_000, 5_000, 1);
        sparse.pass();
        sparse.product[99] += 1e-6;
        assert!(sparse.end().unwrap_err().to_string().contains("by columns"));
    }
}
