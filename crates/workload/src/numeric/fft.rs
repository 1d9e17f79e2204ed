//! The Fourier transform: radix 2, in place, forward and back, with a table of the roots of unity.
//! Self-check: after any number of passes the numbers are those of the beginning, but for rounding.

use std::f64::consts::TAU;

use flow::Pieces;

use super::{Program, Wrong};
use crate::draw::{Checksum, Draw};

type Complex = [f64; 2];

/// Rounding of one pass, root mean square.
const ROUNDING: f64 = 1e-14;

#[derive(Debug)]
pub(super) struct Fft {
    first: Vec<Complex>,
    numbers: Vec<Complex>,
    roots: Vec<Complex>,
    passes: u64,
    spectrum: f64,
}

impl Fft {
    /// `length` is a power of two, at least 2.
    pub(super) fn new(length: usize, seed: u64) -> Self {
        let mut draw = Draw::new(seed, 0);
        let first: Vec<Complex> = (0..length).map(|_| [draw.unit(), draw.unit()]).collect();
        let root = |k| {
            let (sin, cos) = (-TAU * k as f64 / length as f64).sin_cos();
            [cos, sin]
        };
        Self {
            numbers: first.clone(),
            first,
            roots: (0..length / 2).map(root).collect(),
            passes: 0,
            spectrum: 0.0,
        }
    }

    fn transform(&mut self, sign: f64) {
        reorder(&mut self.numbers);
        let length = self.numbers.len();
        let mut span = 1;
        while span < length {
            let step = length / (2 * span);
            for block in self.numbers.chunks_exact_mut(2 * span) {
                let (low, high) = block.split_at_mut(span);
                let roots = self.roots.iter().step_by(step);
                for ((low, high), root) in low.iter_mut().zip(high).zip(roots) {
                    let [re, im] = [root[0], sign * root[1]];
                    let turned = [high[0] * re - high[1] * im, high[0] * im + high[1] * re];
                    *high = [low[0] - turned[0], low[1] - turned[1]];
                    *low = [low[0] + turned[0], low[1] + turned[1]];
                }
            }
            span *= 2;
        }
    }
}

fn reorder(numbers: &mut [Complex]) {
    let bits = numbers.len().trailing_zeros();
    for place in 0..numbers.len() {
        let other = place.reverse_bits() >> (usize::BITS - bits);
        if place < other {
            numbers.swap(place, other);
        }
    }
}

impl Program for Fft {
    fn pieces(&self, pieces: &mut Pieces) {
        pieces.slice(&self.first);
        pieces.slice(&self.numbers);
        pieces.slice(&self.roots);
    }

    fn begin(&mut self) {
        self.numbers.copy_from_slice(&self.first);
        self.passes = 0;
    }

    fn pass(&mut self) {
        self.transform(1.0);
        self.spectrum = self.numbers[1][0];
        self.transform(-1.0);
        let scale = 1.0 / self.numbers.len() as f64;
        for number in &mut self.numbers {
            *number = [number[0] * scale, number[1] * scale];
        }
        self.passes += 1;
    }

    fn end(&mut self) -> Result<u64, Wrong> {
        let pairs = self.numbers.iter().zip(&self.first);
        let squares =
            pairs.map(|(now, then)| (now[0] - then[0]).powi(2) + (now[1] - then[1]).powi(2));
        let error = (squares.sum::<f64>() / self.numbers.len() as f64).sqrt();
        Wrong::unless(error <= ROUNDING * self.passes as f64, || {
            format!("the inverse of a transform is off by {error:e}")
        })?;
        Ok(Checksum::of_numbers(&[self.spectrum, self.numbers[0][0]]))
    }

    /// As SciMark counts: one direction.
    fn flops(&self) -> Option<f64> {
        let length = self.numbers.len() as f64;
        Some((5.0 * length - 2.0) * length.log2() + 2.0 * (length + 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The transform by its definition.
    fn naive(numbers: &[Complex]) -> Vec<Complex> {
        let length = numbers.len();
        let term = |k: usize, (j, number): (usize, &Complex)| {
            let (sin, cos) = (-TAU * (k * j % length) as f64 / length as f64).sin_cos();
            [
                number[0] * cos - number[1] * sin,
                number[0] * sin + number[1] * cos,
            ]
        };
        let sum = |k| {
            let terms = numbers.iter().enumerate().map(|pair| term(k, pair));
            terms.fold([0.0, 0.0], |a, b| [a[0] + b[0], a[1] + b[1]])
        };
        (0..length).map(sum).collect()
    }

    proptest! {
        #[test]
        fn the_transform_is_the_one_of_the_definition(bits in 1_u32..9, seed: u64) {
            let mut fft = Fft::new(1 << bits, seed);
            let expected = naive(&fft.first);
            fft.transform(1.0);
            for (got, wanted) in fft.numbers.iter().zip(&expected) {
                prop_assert!((got[0] - wanted[0]).abs() < 1e-9, "{got:?} {wanted:?}");
                prop_assert!((got[1] - wanted[1]).abs() < 1e-9, "{got:?} {wanted:?}");
            }
        }
    }

    #[test]
    fn operations_are_those_of_scimark_and_not_twice_as_many() {
        assert_eq!(Fft::new(1 << 10, 1).flops(), Some(53_230.0));
    }

    #[test]
    fn a_wrong_number_is_found() {
        let mut fft = Fft::new(1024, 1);
        fft.begin();
        fft.pass();
        assert!(fft.end().is_ok());
        fft.numbers[77][1] += 1e-9;
        let error = fft.end().unwrap_err().to_string();
        assert!(error.contains("transform is off"), "{error}");
    }
}
