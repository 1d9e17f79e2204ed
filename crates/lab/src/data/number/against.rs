//! How much faster or slower, in one direction and unit: the subject is compared *against* the
//! reference by the ratio of times, read as *faster* (below 1) or *slower* (above 1).
//!
//! * A small difference is a percentage, a large one a factor ([`is_small`]), for both ends too.
//! * A decided interval has the direction of its word: `7.8 % faster [3.1 … 20.5 %]`, `3.3x faster
//!   [1.6x … 4.1x]`; an undecided one both in words: `5.4 % faster … 0.7 % slower`.
//! * Ends are rounded outwards; one next to none reads `<0.1 %`, not `0.0`.

use super::{NONE, fixed, percent};

/// Smaller factors are written in percent.
const SMALL: f64 = 1.10;
const MANY: f64 = 2.0;
/// What stands between the ends of an interval.
pub const DOTS: &str = " … ";

/// How many times as long the slower one takes (1 or more): `1.31x`, `34x`; below 1.10x `1.4 %`.
#[must_use]
pub fn factor(factor: f64) -> String {
    match is_small(factor) {
        true => format!("{} %", percent_end(factor, f64::round)),
        false => factor_end(factor, f64::round),
    }
}

/// `1.34x as long`, `9.4 % longer`.
#[must_use]
pub fn longer(ratio: f64) -> String {
    match is_small(ratio) {
        true => format!("{} longer", factor(ratio)),
        false => format!("{} as long", factor(ratio)),
    }
}

/// The most that one takes, rounded up: `4.2 % longer`, `16x as long`.
pub(crate) fn at_most(factor: f64) -> String {
    match factor < MANY {
        true => format!("{} longer", percent((factor - 1.0).max(0.0))),
        false => format!("{} as long", factor_end(factor, f64::ceil)),
    }
}

/// Whether [`factor`] gives it in percent.
#[must_use]
pub fn is_small(factor: f64) -> bool {
    factor < SMALL
}

/// The interval of a factor in the style of the factor: `[1.27x … 1.35x]`, `[1.1 … 1.8 %]`.
#[must_use]
pub fn factor_interval(factor: f64, low: f64, high: f64) -> String {
    if low < 1.0 {
        // As a factor, above 1 is faster.
        return format!("[{}]", ratio_interval(1.0 / high, 1.0 / low));
    }
    match is_small(factor) {
        true => format!(
            "[{}{DOTS}{} %]",
            percent_end(low, f64::floor),
            percent_end(high, f64::ceil)
        ),
        false => format!("[{}]", factor_ends(low, high)),
    }
}

/// `1.88x … 1.97x`, for ratios of what is not a time.
#[must_use]
pub fn factor_ends(low: f64, high: f64) -> String {
    let first = match (1.0..1.01).contains(&low) {
        true => "<1 %".to_owned(),
        false => factor_end(low, f64::floor),
    };
    format!("{first}{DOTS}{}", factor_end(high, f64::ceil))
}

/// The words for a ratio below 1 and for one above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Directions {
    below: &'static str,
    above: &'static str,
}

impl Directions {
    /// Both ends of an interval in words, as [`ratio_interval`] has them for times.
    #[must_use]
    pub fn interval(self, low: f64, high: f64) -> String {
        let Self { below, above } = self;
        let [low, high] = [low, high].map(Away::of);
        let percent = is_small(low.factor.max(high.factor));
        let end = |away: Away, outwards| match (percent, outwards) {
            (true, true) => percent_end(away.factor, f64::ceil),
            (true, false) => percent_end(away.factor, f64::floor),
            (false, true) => factor_end(away.factor, f64::ceil),
            (false, false) => factor_end(away.factor, f64::floor),
        };
        let unit = if percent { " %" } else { "" };
        match (low.is_below, high.is_below) {
            (true, false) => format!(
                "{}{unit} {below}{DOTS}{}{unit} {above}",
                end(low, true),
                end(high, true)
            ),
            (true, true) => format!("{}{DOTS}{}{unit} {below}", end(high, false), end(low, true)),
            (false, _) => format!("{}{DOTS}{}{unit} {above}", end(low, false), end(high, true)),
        }
    }

    /// A ratio in words, as [`against`] has it for times.
    #[must_use]
    pub fn against(self, ratio: f64) -> String {
        let away = Away::of(ratio);
        let word = if away.is_below {
            self.below
        } else {
            self.above
        };
        format!("{} {word}", factor(away.factor))
    }
}

/// Of ratios of times.
pub const OF_TIMES: Directions = Directions {
    below: "faster",
    above: "slower",
};

/// Of ratios of amounts.
pub const OF_AMOUNTS: Directions = Directions {
    below: "less",
    above: "more",
};

/// An interval of a ratio of times in words: `5.4 % faster … 0.7 % slower`, `0.5 … 3.0 % slower`.
#[must_use]
pub fn ratio_interval(low: f64, high: f64) -> String {
    OF_TIMES.interval(low, high)
}

/// A ratio of times as people say it: `5.5 % faster`, `1.31x slower`.
#[must_use]
pub fn against(ratio: f64) -> String {
    OF_TIMES.against(ratio)
}

#[derive(Debug, Clone, Copy)]
struct Away {
    factor: f64,
    is_below: bool,
}

impl Away {
    fn of(ratio: f64) -> Self {
        Self {
            factor: ratio.max(1.0 / ratio),
            is_below: ratio < 1.0,
        }
    }
}

fn percent_end(factor: f64, round: fn(f64) -> f64) -> String {
    let text = fixed((factor - 1.0) * 100.0, 1, round);
    match text.as_str() {
        "0.0" | "-0.0" => "<0.1".to_owned(),
        _ => text,
    }
}

fn factor_end(factor: f64, round: fn(f64) -> f64) -> String {
    let text = fixed(factor, if factor < 10.0 { 2 } else { 0 }, round);
    match text == NONE {
        true => text,
        false => text + "x",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_differences_are_percentages_and_large_ones_factors() {
        assert_eq!(factor(1.31), "1.31x");
        assert_eq!(factor(34.2), "34x");
        assert_eq!(factor(1.014), "1.4 %");
        assert_eq!(factor(1.0), "<0.1 %");
        assert_eq!(against(0.5), "2.00x faster");
        assert_eq!(against(1.055), "5.5 % slower");
    }

    #[test]
    fn an_interval_has_the_unit_of_its_estimate() {
        assert_eq!(factor_interval(1.31, 1.27, 1.35), "[1.27x … 1.35x]");
        assert_eq!(factor_interval(1.078, 1.0311, 1.2049), "[3.1 … 20.5 %]");
        assert_eq!(factor_interval(1.046, 1.0003, 1.0755), "[<0.1 … 7.6 %]");
        assert_eq!(factor_interval(1.36, 1.004, 1.65), "[<1 % … 1.65x]");
        assert_eq!(factor_interval(461.0, 425.7, 509.1), "[425x … 510x]");
    }

    /// `[0.949 ... 1.007]` left it to the reader which of the two is faster at which end.
    #[test]
    fn undecided_ends_are_signed_in_words() {
        assert_eq!(ratio_interval(0.949, 1.007), "5.4 % faster … 0.7 % slower");
        assert_eq!(ratio_interval(1.005, 1.03), "0.5 … 3.0 % slower");
        assert_eq!(ratio_interval(0.96, 0.9999), "<0.1 … 4.2 % faster");
        assert_eq!(ratio_interval(0.4, 1.2), "2.50x faster … 1.20x slower");
        assert_eq!(ratio_interval(0.72, 1.18), "1.39x faster … 1.18x slower");
    }

    /// A rounded interval claimed more than the exact one.
    #[test]
    fn ends_are_rounded_outwards() {
        assert_eq!(factor_interval(1.31, 1.2799, 1.3401), "[1.27x … 1.35x]");
        assert_eq!(factor_interval(1.27, 1.27, 1.27), "[1.27x … 1.27x]");
        assert_eq!(
            ratio_interval(0.9961, 1.0039),
            "0.4 % faster … 0.4 % slower"
        );
    }
}
