//! The mean of paired differences, by an exact test of their signs.
//!
//! Two variants run once in each round, in an order drawn by lot. If they are the same, each
//! round's difference is as likely as its negative, so all 2^n ways to flip the signs of n
//! differences were as likely as what was seen (R. A. Fisher, *The Design of Experiments*, 1935).
//! The p-value is the share of flips whose mean is at least as far from 0. Ties and zeros, frequent
//! in counts of samples, need no care.
//!
//! A flip takes twice the sum of a subset from the sum of all. So the flips as large as what was
//! seen are the subsets whose sum is not above 0, and means of subsets bound the interval: of the
//! 2^n - 1 means, the k-th smallest and the k-th largest bound one of level 1 - 2 k / 2^n (J.
//! Hartigan, "Using subsample values as typical values", 1969). The mean, not a median: means of
//! parts add up to the mean of the whole.

/// Most differences: with more, subsets are too many to be counted.
pub const MOST_FLIPS: usize = 20;

/// The means of all subsets of some differences, in no order.
#[derive(Debug, Clone)]
pub struct SignFlips {
    mean: f64,
    subsets: Vec<f64>,
    p_value: f64,
}

impl SignFlips {
    /// Of at most [`MOST_FLIPS`] differences, and at least one; else `None`.
    #[must_use]
    pub fn of(differences: &[f64]) -> Option<Self> {
        let rounds = differences.len();
        if rounds == 0 || rounds > MOST_FLIPS || differences.iter().any(|d| !d.is_finite()) {
            return None;
        }
        let mut subsets = Vec::with_capacity(1 << rounds);
        // What rounding leaves of a sum of 0.
        let least = 1e-12 * differences.iter().map(|d| d.abs()).sum::<f64>();
        let (mut below, mut above) = (0_u64, 0_u64);
        let mut sum = 0.0;
        for step in 0_u64..1 << rounds {
            if step > 0 {
                // Gray's code: one difference comes or goes.
                let place = step.trailing_zeros() as usize;
                let members = step ^ step >> 1;
                match members >> place & 1 {
                    1 => sum += differences[place],
                    _ => sum -= differences[place],
                }
                subsets.push(sum / f64::from(members.count_ones()));
            }
            below += u64::from(sum <= least);
            above += u64::from(sum >= -least);
        }
        let share = below.min(above) as f64 / (1_u64 << rounds) as f64;
        Some(Self {
            mean: differences.iter().sum::<f64>() / rounds as f64,
            subsets,
            p_value: (2.0 * share).min(1.0),
        })
    }

    /// The mean of the differences.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The share of flips that are at least as far from 0.
    #[must_use]
    pub fn p_value(&self) -> f64 {
        self.p_value
    }

    /// The interval that misses the truth in at most this share of cases; `None` for too few.
    #[must_use]
    pub fn interval(&mut self, alpha: f64) -> Option<(f64, f64)> {
        let flips = (self.subsets.len() + 1) as f64;
        let cut = (alpha / 2.0 * flips).floor() as usize;
        let low = cut.checked_sub(1)?;
        let high = self.subsets.len().checked_sub(cut)?;
        let mut nth = |place| *self.subsets.select_nth_unstable_by(place, f64::total_cmp).1;
        Some((nth(low), nth(high)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_one_sign_is_the_rarest_of_flips() {
        let mut flips = SignFlips::of(&[1.0, 2.0, 3.0, 4.0]).unwrap();
        assert_eq!((flips.mean(), flips.p_value()), (2.5, 2.0 / 16.0));
        assert_eq!(flips.interval(2.0 / 16.0), Some((1.0, 4.0)));
        assert_eq!(flips.interval(0.05), None, "four are too few");
    }

    #[test]
    fn nothing_is_no_difference() {
        let flips = SignFlips::of(&[0.0; 6]).unwrap();
        assert_eq!((flips.mean(), flips.p_value()), (0.0, 1.0));
        assert!(SignFlips::of(&[]).is_none());
        assert!(SignFlips::of(&[0.0; MOST_FLIPS + 1]).is_none());
        assert!(SignFlips::of(&[f64::NAN]).is_none());
    }

    /// The share by the definition: each flip of signs, summed.
    #[test]
    fn the_share_is_that_of_all_flips() {
        let differences = [0.5, -1.0, 2.0, 0.0, 3.0, -0.25, 1.5];
        let seen: f64 = differences.iter().sum();
        let flipped = |signs: u32| -> f64 {
            let one = |(place, d): (usize, &f64)| if signs >> place & 1 == 1 { -d } else { *d };
            differences.iter().enumerate().map(one).sum()
        };
        let far = (0..1 << differences.len()).filter(|&signs| flipped(signs) >= seen - 1e-9);
        let share = 2.0 * far.count() as f64 / f64::from(1 << differences.len());
        assert_eq!(SignFlips::of(&differences).unwrap().p_value(), share);
    }

    /// A test rejects exactly where its interval leaves 0 out.
    #[test]
    fn the_interval_is_that_of_the_test() {
        let differences = [0.9, 1.1, 0.2, -0.3, 0.8, 1.4, 0.6, 0.5];
        let mut flips = SignFlips::of(&differences).unwrap();
        for alpha in [0.01, 0.02, 0.03, 0.05, 0.1, 0.2] {
            let apart = flips
                .interval(alpha)
                .is_some_and(|(low, high)| low > 0.0 || high < 0.0);
            assert_eq!(apart, flips.p_value() <= alpha, "{alpha}");
        }
    }
}
