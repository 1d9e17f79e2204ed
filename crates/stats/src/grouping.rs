//! By what values differ: how much of their spread a grouping explains. Values (log ratios of
//! machines) are sorted into groups (their kernels). The share is the part of the sum of squares
//! between the groups, held against [`SHUFFLES`] shuffled groupings: p is the share of them, the
//! real one included, that explain as much, for any distribution. Adjust p-values of several.
//!
//! Source: R. A. Fisher, "The Design of Experiments", 1935 (randomisation test); B. Phipson and G.
//! K. Smyth, "Permutation p-values should never be zero", 2010 (the real one is counted).

use crate::simulate::Draw;

/// Shuffled groupings, beside the real one.
pub const SHUFFLES: usize = 999;

/// What a grouping explains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grouping {
    /// Its share of the sum of squares, 0 to 1.
    pub share: f64,
    /// How likely a grouping of this kind explains as much by chance.
    pub p_value: f64,
}

/// What the groups explain of the values, if p is at most `most`; `groups` holds the group of each.
/// `None` also for fewer than two groups, as many as values, or values that are all alike.
pub fn grouping(values: &[f64], groups: &[usize], most: f64, seed: u64) -> Option<Grouping> {
    let count = groups.iter().max()? + 1;
    if values.len() != groups.len() || count < 2 || count >= values.len() {
        return None;
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let centred: Vec<f64> = values.iter().map(|value| value - mean).collect();
    let total: f64 = centred.iter().map(|value| value * value).sum();
    if total <= 0.0 || !total.is_finite() {
        return None;
    }
    let real = between(&centred, groups, count);
    let mut draw = Draw::new(seed, 0);
    let mut shuffled = groups.to_vec();
    // Sums in another order differ in their last digits.
    let as_much = real * (1.0 - 1e-9);
    let p_value = |reached: usize| (reached + 1) as f64 / (SHUFFLES + 1) as f64;
    let mut reached = 0;
    for _ in 0..SHUFFLES {
        if p_value(reached) > most {
            return None;
        }
        draw.shuffle(&mut shuffled);
        reached += usize::from(between(&centred, &shuffled, count) >= as_much);
    }
    Some(Grouping {
        share: (real / total).min(1.0),
        p_value: p_value(reached),
    })
    .filter(|found| found.p_value <= most)
}

/// The values' mean is 0.
fn between(centred: &[f64], groups: &[usize], count: usize) -> f64 {
    let mut sums = vec![(0.0, 0usize); count];
    for (value, group) in centred.iter().zip(groups) {
        sums[*group].0 += value;
        sums[*group].1 += 1;
    }
    let of = |(sum, members): &(f64, usize)| sum * sum / (*members).max(1) as f64;
    sums.iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_that_tell_all_and_groups_that_tell_nothing() {
        let values = [1.0, 1.1, 1.0, 1.1, 2.0, 2.1, 2.0, 2.1];
        let all = grouping(&values, &[0, 0, 0, 0, 1, 1, 1, 1], 1.0, 1).unwrap();
        // 2 of the 70 ways to choose four of eight explain as much.
        assert!(
            all.share > 0.98 && (0.01..0.06).contains(&all.p_value),
            "{all:?}"
        );
        let nothing = grouping(&values, &[0, 1, 1, 0, 0, 1, 1, 0], 1.0, 1).unwrap();
        assert_eq!(grouping(&values, &[0, 1, 1, 0, 0, 1, 1, 0], 0.9, 1), None);
        assert!(nothing.share < 1e-9 && nothing.p_value > 0.9, "{nothing:?}");
    }

    #[test]
    fn where_nothing_can_be_explained() {
        assert_eq!(grouping(&[1.0, 2.0], &[0, 0], 1.0, 1), None);
        assert_eq!(grouping(&[1.0, 2.0], &[0, 1], 1.0, 1), None);
        assert_eq!(grouping(&[1.0, 1.0, 1.0], &[0, 1, 1], 1.0, 1), None);
        assert_eq!(grouping(&[], &[], 1.0, 1), None);
    }

    /// The level holds for groups that mean nothing.
    #[test]
    fn chance_is_called_so() {
        let small = (0..400).filter(|&stream| {
            let mut draw = Draw::new(7, stream);
            let values: Vec<f64> = (0..9).map(|_| draw.t3(1.0)).collect();
            let found = grouping(&values, &[0, 0, 0, 1, 1, 1, 2, 2, 2], 1.0, stream).unwrap();
            found.p_value <= 0.05
        });
        assert!(
            small.count() <= 33,
            "5 % of 400 and three standard deviations"
        );
    }
}
