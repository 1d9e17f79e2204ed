use stats::{Estimate, Verdict};

use crate::data::number::{factor, factor_interval, ratio_interval};
use crate::data::words::percent;

/// An interval within this factor of 1 is an answer: whichever is faster, the difference is small.
const NARROW: f64 = 1.1;

/// `at most 6 % apart` where an undecided comparison's interval is narrow.
#[must_use]
pub(crate) fn at_most_apart((low, high): (f64, f64)) -> Option<String> {
    let most = high.max(1.0 / low);
    (most <= NARROW).then(|| apart(most))
}

pub(crate) fn apart(most: f64) -> String {
    let percent = (100.0 * (most - 1.0) - 1e-9).ceil().max(1.0);
    format!("at most {percent:.0} % apart")
}

pub(crate) const NOT_KNOWN: &str = "not known";

/// `3 rounds are too few`.
pub(crate) fn too_few(rounds: usize) -> String {
    match rounds {
        1 => "1 round is too few".to_owned(),
        _ => format!("{rounds} rounds are too few"),
    }
}

/// A comparison of a subject with a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compared {
    /// `7.8 % faster`, `same within 1 %`, `at most 6 % apart`, `not known`.
    pub word: String,
    /// `[3.1 … 20.5 %]` in the word's direction, `5.4 % faster … 0.7 % slower` without one.
    pub interval: String,
}

impl Compared {
    /// Both in one line.
    #[must_use]
    pub fn in_full(&self) -> String {
        let text = format!("{} {}", self.word, self.interval);
        text.trim_end().to_owned()
    }
}

/// What the estimate of a ratio of times and its verdict say.
#[must_use]
pub fn compared(estimate: Option<&Estimate>, verdict: &Verdict) -> Compared {
    let times = estimate.map_or(f64::NAN, |estimate| estimate.ratio);
    let ends = estimate.and_then(Estimate::interval);
    let signed = || ends.map(|(low, high)| ratio_interval(low, high));
    let (word, interval) = match *verdict {
        Verdict::Faster { .. } => {
            let speed = 1.0 / times;
            let interval = ends.map(|(low, high)| factor_interval(speed, 1.0 / high, 1.0 / low));
            (format!("{} faster", factor(speed)), interval)
        }
        Verdict::Slower { .. } => {
            let interval = ends.map(|(low, high)| factor_interval(times, low, high));
            (format!("{} slower", factor(times)), interval)
        }
        Verdict::Same { within } => (format!("same within {}", percent(within)), signed()),
        Verdict::CannotTell { .. } => {
            let word = ends.and_then(at_most_apart);
            (word.unwrap_or_else(|| NOT_KNOWN.to_owned()), signed())
        }
    };
    Compared {
        word,
        interval: interval.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::estimate;

    fn said(estimate: &Estimate, verdict: Verdict) -> [String; 2] {
        let said = compared(Some(estimate), &verdict);
        [said.word, said.interval]
    }

    #[test]
    fn a_word_and_its_interval_point_the_same_way() {
        let faster = said(&estimate(0.5, 0.4, 0.8), Verdict::Faster { at_least: 0.25 });
        assert_eq!(faster, ["2.00x faster", "[1.25x … 2.50x]"]);
        let slower = said(
            &estimate(4.31, 4.22, 4.4),
            Verdict::Slower { at_least: 3.22 },
        );
        assert_eq!(slower, ["4.31x slower", "[4.22x … 4.40x]"]);
    }

    #[test]
    fn without_a_direction_both_ends_are_signed_in_words() {
        let same = said(&estimate(1.0, 0.996, 1.003), Verdict::Same { within: 0.01 });
        assert_eq!(same, ["same within 1 %", "0.5 % faster … 0.3 % slower"]);
        let open = Verdict::CannotTell { more_rounds: None };
        let undecided = said(&estimate(0.98, 0.949, 1.007), open);
        assert_eq!(
            undecided,
            ["at most 6 % apart", "5.4 % faster … 0.7 % slower"]
        );
        assert_eq!(compared(None, &open).word, "not known");
    }

    /// "too close to call: 7.35x faster … 1.67x slower" was said of what nothing was known of.
    #[test]
    fn what_may_be_much_faster_or_slower_is_not_known() {
        let open = Verdict::CannotTell { more_rounds: None };
        let [word, _] = said(&estimate(0.5, 0.136, 1.67), open);
        assert_eq!(word, "not known");
        assert_eq!(
            at_most_apart((1.0 / 1.1, 1.0)),
            Some("at most 10 % apart".to_owned())
        );
        assert_eq!(at_most_apart((0.9, 1.0)), None);
    }
}
