//! The mean of paired differences, by an exact test of their signs. If two variants are the same, all 2^n ways to flip
//! the signs of n differences were as likely as what was seen (R. A. Fisher, *The Design of Experiments*, 1935). The
//! p-value is the share of flips whose mean is at least as far from 0. Ties and zeros, frequent in counts of samples,
//! need no care.
//!
//! A flip takes twice the sum of a subset from the sum of all. So the flips as large as what was seen are the subsets
//! whose sum is not above 0, and means of subsets bound the interval: of the 2^n - 1 means, the k-th smallest and the
//! k-th largest bound one of level 1 - 2 k / 2^n (J. Hartigan, "Using subsample values as typical values", 1969). Means
//! of parts add up to that of the whole.

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
        // Of the empty subset, whose sum is 0.
        let (mut below, mut above) = (1_u64, 1_u64);
        let mut sum = 0.0;
        each_subset(rounds, |place, sign, members| {
            sum += sign * differences[place];
            subsets.push(sum / f64::from(members));
            below += u64::from(sum <= least);
            above += u64::from(sum >= -least);
        });
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
        let (low, high) = ends(self.subsets.len(), alpha)?;
        let mut nth = |place| *self.subsets.select_nth_unstable_by(place, f64::total_cmp).1;
        Some((nth(low), nth(high)))
    }
}

/// The interval of the share that the mean of `parts` has of the mean of `wholes`; it misses the truth in at most
/// `alpha` of cases. `None` where the rounds are too few, or the wholes too uncertain, for two ends.
///
/// At the true share `s` the differences `part - s whole` are as likely as their negatives: shares of subsets bound it
/// as means of subsets bound a mean. A subset whose wholes are not above 0 together stands at both ends.
#[must_use]
pub fn share_interval(parts: &[f64], wholes: &[f64], alpha: f64) -> Option<(f64, f64)> {
    let rounds = parts.len();
    let mut all = parts.iter().chain(wholes);
    if rounds == 0
        || rounds != wholes.len()
        || rounds > MOST_FLIPS
        || all.any(|one| !one.is_finite())
    {
        return None;
    }
    let least = 1e-12 * wholes.iter().map(|whole| whole.abs()).sum::<f64>();
    let (mut lows, mut highs) = (Vec::new(), Vec::new());
    let (mut part, mut whole) = (0.0, 0.0);
    each_subset(rounds, |place, sign, _| {
        part += sign * parts[place];
        whole += sign * wholes[place];
        let share = (whole > least).then(|| part / whole);
        lows.push(share.unwrap_or(f64::NEG_INFINITY));
        highs.push(share.unwrap_or(f64::INFINITY));
    });
    let (low, high) = ends(lows.len(), alpha)?;
    let low = *lows.select_nth_unstable_by(low, f64::total_cmp).1;
    let high = *highs.select_nth_unstable_by(high, f64::total_cmp).1;
    (low.is_finite() && high.is_finite()).then_some((low, high))
}

/// Of each subset but the empty one, in the order of Gray's code: the place of what comes or goes, 1 or -1 by which of
/// both it does, and how many are in then.
fn each_subset(rounds: usize, mut see: impl FnMut(usize, f64, u32)) {
    for step in 1_u64..1 << rounds {
        let place = step.trailing_zeros() as usize;
        let members = step ^ step >> 1;
        let sign = if members >> place & 1 == 1 { 1.0 } else { -1.0 };
        see(place, sign, members.count_ones());
    }
}

/// Places of both ends among ordered subsets, by their number; `None` where they are too few.
fn ends(subsets: usize, alpha: f64) -> Option<(usize, usize)> {
    let cut = (alpha / 2.0 * (subsets + 1) as f64).floor() as usize;
    cut.checked_sub(1).zip(subsets.checked_sub(cut))
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

    #[test]
    fn a_share_lies_between_those_of_rounds() {
        let wholes = [10.0, 12.0, 9.0, 11.0, 10.0, 10.0, 13.0, 8.0];
        let half: Vec<f64> = wholes.iter().map(|whole| whole / 2.0).collect();
        assert_eq!(share_interval(&half, &wholes, 0.05), Some((0.5, 0.5)));
        let parts = [5.0, 7.0, 4.0, 6.0, 5.5, 4.5, 6.0, 4.0];
        let (low, high) = share_interval(&parts, &wholes, 0.05).unwrap();
        assert!(
            0.4 < low && low < 0.5 && 0.5 < high && high < 0.6,
            "{low} {high}"
        );
        assert_eq!(
            share_interval(&parts[..4], &wholes[..4], 0.05),
            None,
            "too few"
        );
        assert_eq!(share_interval(&parts, &wholes[..4], 0.05), None);
    }

    /// Of what is no gap a part has no share.
    #[test]
    fn a_whole_that_may_be_nothing_has_no_shares() {
        let wholes = [1.0, -1.0, 2.0, -2.0, 0.5, -0.4, 1.0, -0.9];
        assert_eq!(share_interval(&[1.0; 8], &wholes, 0.05), None);
    }

    /// With 10 rounds a 95 % interval misses in no more than 1 of 20 cases: here 400 with a share of 0.8.
    #[test]
    fn the_interval_of_a_share_misses_as_seldom_as_it_says() {
        let mut draw = crate::simulate::Draw::new(7, 0);
        let misses = (0..400).filter(|_| {
            let rounds: Vec<(f64, f64)> = (0..10)
                .map(|_| {
                    let whole = 10.0 + draw.normal(3.0);
                    (0.8 * whole + draw.normal(2.0), whole)
                })
                .collect();
            let (parts, wholes): (Vec<f64>, Vec<f64>) = rounds.into_iter().unzip();
            let (low, high) = share_interval(&parts, &wholes, 0.05).unwrap();
            0.8 < low || high < 0.8
        });
        let misses = misses.count();
        assert!(misses <= 32, "{misses} of 400");
    }
}
