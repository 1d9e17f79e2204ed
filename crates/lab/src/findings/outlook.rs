//! At which look a case's comparisons probably have an answer: once its interval's half-width is smaller than the
//! largest of
//! ```text
//!   |c|              then the interval lies on one side of 1: a difference
//!   floor - |c|      then it lies within the floor: the same
//!   NARROW - |c|     then both ends are near 1: at most 10 % apart, which many can act on
//! ```
//! where c is the estimate in logs. The half-width follows from the noise of the rounds so far ([`stats::half_width`]);
//! the interval of now, of few rounds, is up to twice as wide. An interval that is narrow already has the first two
//! goals alone. Nothing here is a finding: it only orders rounds.

use stats::{Estimate, half_width};

/// Both ends of an interval within this fraction are an answer, though none is decided.
const NARROW: f64 = 0.1;

/// How much less the noise may be than few rounds make one believe.
const LUCKY: f64 = 0.5;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Outlook {
    pub(crate) is_decided: bool,
    /// The look that probably answers; `None` where no planned one does.
    pub(crate) look: Option<usize>,
    /// Whether none would with less noise either.
    pub(crate) is_far: bool,
}

impl Outlook {
    pub(crate) const DECIDED: Self = Self {
        is_decided: true,
        look: None,
        is_far: false,
    };

    pub(crate) const UNKNOWN: Self = Self {
        is_decided: false,
        look: None,
        is_far: false,
    };

    pub(crate) fn and(self, other: Self) -> Self {
        let look = match (self.is_decided, other.is_decided) {
            (true, _) => other.look,
            (_, true) => self.look,
            _ => self.look.zip(other.look).map(|(one, two)| one.max(two)),
        };
        Self {
            is_decided: self.is_decided && other.is_decided,
            look,
            is_far: self.is_far || other.is_far,
        }
    }

    pub(crate) fn of_open(
        estimate: &Estimate,
        noise: Option<f64>,
        floor: f64,
        looks: &[(usize, f64)],
    ) -> Self {
        let goal = goal(estimate, floor);
        let answers = |noise: f64| {
            let fits = |(rounds, alpha): &&(usize, f64)| half_width(noise, *rounds, *alpha) <= goal;
            looks.iter().find(fits).map(|(rounds, _)| *rounds)
        };
        Self {
            is_decided: false,
            look: noise.and_then(answers),
            is_far: noise.is_some_and(|noise| answers(LUCKY * noise).is_none()),
        }
    }
}

fn goal(estimate: &Estimate, floor: f64) -> f64 {
    let centre = estimate.ratio.ln().abs();
    let narrow = NARROW.ln_1p();
    let ends = estimate.interval();
    let is_narrow = ends.is_some_and(|(low, high)| -narrow <= low.ln() && high.ln() <= narrow);
    let near = if is_narrow { 0.0 } else { narrow - centre };
    centre.max(floor.ln_1p() - centre).max(near)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::estimate;

    const LOOKS: [(usize, f64); 4] = [(20, 0.009), (40, 0.009), (56, 0.009), (80, 0.009)];

    fn of(ratio: f64, ends: f64, noise: f64) -> Outlook {
        let estimate = estimate(ratio, ratio / ends, ratio * ends);
        Outlook::of_open(&estimate, Some(noise), 0.01, &LOOKS)
    }

    #[test]
    fn the_nearest_goal_counts() {
        assert_eq!(of(1.3, 1.5, 0.2).look, Some(20), "a difference");
        assert_eq!(of(1.01, 1.5, 0.2).look, Some(56), "both ends are near 1");
        assert_eq!(of(1.01, 1.02, 0.01).look, Some(20), "one that is small");
        let wide = of(1.01, 1.5, 0.8);
        assert_eq!((wide.look, wide.is_far), (None, true));
        let narrow = of(1.02, 1.05, 0.08);
        assert_eq!(
            (narrow.look, narrow.is_far),
            (None, false),
            "near {narrow:?}"
        );
    }

    #[test]
    fn of_several_the_last_counts() {
        let [near, far] = [of(1.3, 1.5, 0.2), of(1.01, 1.5, 0.2)];
        assert_eq!(near.and(far).look, Some(56));
        assert_eq!(Outlook::DECIDED.and(near), near);
        assert!(Outlook::DECIDED.and(Outlook::DECIDED).is_decided);
        assert_eq!(near.and(of(1.01, 1.5, 0.8)).look, None);
    }
}
