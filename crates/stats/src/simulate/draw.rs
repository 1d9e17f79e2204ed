use std::f64::consts::TAU;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A seeded source of random draws.
#[derive(Debug, Clone)]
pub struct Draw(ChaCha8Rng);

impl Draw {
    /// Stream `stream` of `seed`: streams of one seed are independent.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        Self(rng)
    }

    /// Uniform on (0, 1], in steps of 2^-53; never 0, so that its log is finite.
    pub fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) + 1) as f64 * (-53_f64).exp2()
    }

    /// True with probability `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        p > 0.0 && self.uniform() <= p
    }

    /// +1 or -1, each as likely.
    pub fn sign(&mut self) -> f64 {
        if self.chance(0.5) { 1.0 } else { -1.0 }
    }

    /// A whole number below `end`, each as likely.
    pub fn below(&mut self, end: usize) -> usize {
        ((self.uniform() * end as f64) as usize).min(end - 1)
    }

    /// Puts values into any order, each as likely.
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            values.swap(last, self.below(last + 1));
        }
    }

    /// As many of these values, each drawn from all of them.
    pub fn again<T: Copy>(&mut self, values: &[T]) -> Vec<T> {
        let one = |_| values[self.below(values.len())];
        (0..values.len()).map(one).collect()
    }

    /// Gaussian around 0 with standard deviation `sd` (Box and Muller, 1958).
    pub fn normal(&mut self, sd: f64) -> f64 {
        self.polar(sd, |u| -2.0 * u.ln())
    }

    /// Student's t, three degrees of freedom, with standard deviation `sd` (Bailey, 1994).
    pub fn t3(&mut self, sd: f64) -> f64 {
        self.polar(sd, |u| u.cbrt().powi(-2) - 1.0)
    }

    /// Exponential with the given mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * self.uniform().ln()
    }

    /// One coordinate of a point in a random direction, at a distance drawn by `radius2`.
    fn polar(&mut self, scale: f64, radius2: impl Fn(f64) -> f64) -> f64 {
        if scale == 0.0 {
            return 0.0;
        }
        scale * radius2(self.uniform()).sqrt() * (TAU * self.uniform()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn many(mut f: impl FnMut(&mut Draw) -> f64) -> Vec<f64> {
        let mut draw = Draw::new(1, 0);
        (0..100_000).map(|_| f(&mut draw)).collect()
    }

    fn share(values: &[f64], f: impl Fn(f64) -> bool) -> f64 {
        values.iter().filter(|v| f(**v)).count() as f64 / values.len() as f64
    }

    #[test]
    fn draws_have_their_distribution() {
        let beyond = share(&many(|d| d.normal(1.0)), |x| x.abs() > 1.96);
        assert!((beyond - 0.05).abs() < 0.003, "{beyond}");
        // The two-sided 5 % point of t with 3 degrees of freedom is 3.182.
        let beyond = share(&many(|d| d.t3(3_f64.sqrt())), |x| x.abs() > 3.182);
        assert!((beyond - 0.05).abs() < 0.003, "{beyond}");
        let above = share(&many(|d| d.exponential(2.0)), |x| x > 2.0);
        assert!((above - (-1_f64).exp()).abs() < 0.006, "{above}");
    }

    #[test]
    fn seed_and_stream_fix_the_draws() {
        let first = |seed, stream| Draw::new(seed, stream).uniform();
        assert_eq!(first(7, 1), first(7, 1));
        assert_ne!(first(7, 1), first(7, 2));
        assert_ne!(first(7, 1), first(8, 1));
    }
}
