//! Findings and settings in words: the same in the terminal and on the page.

mod circumstances;
mod launched;
mod other_ratios;

pub(crate) use circumstances::{
    circumstances, cut_short, cut_short_together, noise_of, not_counted,
};
pub(crate) use launched::{launched, point_value, run_again, run_study_again, work_apart, work_of};
pub(crate) use other_ratios::other_ratios;

use lab::{CaseResult, Cause, Finding, Metric};
use stats::{Estimate, Verdict};

use crate::number::{factor, factor_interval, percent, ratio_interval};

/// What a text is about; colour may underline it and never carries it alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Tone {
    #[default]
    Plain,
    Strong,
    Quiet,
    Faster,
    Slower,
    Doubt,
}

impl Tone {
    /// The class that colours it on the page.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Doubt => "doubt",
            Self::Plain | Self::Strong | Self::Quiet => "same",
        }
    }
}

/// A comparison as a cell shows it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Comparison {
    /// `1.31x faster`.
    pub(crate) word: String,
    /// `[1.27 ... 1.35]`, in the direction of the word; where the word has none, the
    /// interval of the ratio of times, `[0.996 ... 1.004]`. Empty where there is none.
    pub(crate) interval: String,
    pub(crate) tone: Tone,
}

/// Whether a case compares nothing.
pub(crate) fn is_alone(case: &CaseResult) -> bool {
    case.variants.len() < 2
}

/// What stands where the first variant of a case would be compared: it is the reference, unless
/// there is nothing that it is one of.
pub(crate) fn of_first(case: &CaseResult) -> &'static str {
    match is_alone(case) {
        true => "alone",
        false => "reference",
    }
}

/// What the estimate and its verdict say.
pub(crate) fn comparison(estimate: Option<&Estimate>, verdict: &Verdict) -> Comparison {
    let times = estimate.map_or(f64::NAN, |estimate| estimate.ratio);
    let ends = estimate.and_then(Estimate::interval);
    let as_is = || ends.map(|(low, high)| ratio_interval(low, high));
    let (word, interval, tone) = match *verdict {
        Verdict::Faster { .. } => {
            let speed = 1.0 / times;
            let interval = ends.map(|(low, high)| factor_interval(speed, 1.0 / high, 1.0 / low));
            (format!("{} faster", factor(speed)), interval, Tone::Faster)
        }
        Verdict::Slower { .. } => {
            let interval = ends.map(|(low, high)| factor_interval(times, low, high));
            (format!("{} slower", factor(times)), interval, Tone::Slower)
        }
        Verdict::Same { within } => (
            format!("same within {}", short_percent(within)),
            as_is(),
            Tone::Plain,
        ),
        Verdict::CannotTell { .. } => {
            let word = estimate.map_or("not compared", |_| "cannot tell");
            (word.to_owned(), as_is(), Tone::Doubt)
        }
    };
    Comparison {
        word,
        interval: interval.unwrap_or_default(),
        tone,
    }
}

/// A floor as people say it: `1 %`, not `1.0 %`.
fn short_percent(fraction: f64) -> String {
    percent(fraction).replace(".0 %", " %")
}

/// The finding about a variant, by its label.
pub(crate) fn finding_of<'a>(case: &'a CaseResult, label: &str) -> Option<&'a Finding> {
    case.findings
        .iter()
        .find(|finding| finding.subject == label)
}

/// What is shared together, and cannot be told apart by the models in between.
pub(crate) const BUNDLES: &str = "the address space, with which signal handlers are shared, or \
    the file table, with which the working folder is";

/// Which shared resource makes the difference in a case, in words.
pub(crate) fn cause(case: &CaseResult) -> (Tone, &'static str) {
    if !lab::is_compared(case) {
        return (Tone::Doubt, "not compared");
    }
    match case.shared.map(|shared| shared.cause) {
        Some(Cause::AddressSpace) => (Tone::Strong, "address space"),
        Some(Cause::FileTable) => (Tone::Strong, "file table"),
        Some(Cause::Both) => (Tone::Strong, "both"),
        Some(Cause::Neither) => (Tone::Plain, "neither"),
        Some(Cause::CannotTell) | None => (Tone::Doubt, "cannot tell"),
    }
}

pub(crate) use crate::number::many;

/// A parameter with its unit, which is left out where it is the same word: `grain (numbers)`,
/// `flows`.
pub(crate) fn with_unit(parameter: &str, unit: &str) -> String {
    match parameter == unit {
        true => parameter.to_owned(),
        false => format!("{parameter} ({unit})"),
    }
}

/// The word for a metric.
pub(crate) fn metric(metric: Metric) -> &'static str {
    match metric {
        Metric::Total => "total",
        Metric::Steady => "steady",
        Metric::Create => "create",
        Metric::Switch => "switch",
        Metric::Request => "time per request",
        Metric::P99 => "p99 latency",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(ratio: f64, low: f64, high: f64) -> Estimate {
        Estimate {
            rounds: 20,
            ratio,
            low: Some(low),
            high: Some(high),
            alpha: 0.016,
        }
    }

    #[test]
    fn a_word_and_its_interval_point_the_same_way() {
        let faster = estimate(0.5, 0.4, 0.8);
        let said = comparison(Some(&faster), &Verdict::Faster { at_least: 0.25 });
        assert_eq!(
            (said.word.as_str(), said.interval.as_str()),
            ("2.00x faster", "[1.25 ... 2.50]")
        );
        let slower = estimate(4.31, 4.22, 4.4);
        let said = comparison(Some(&slower), &Verdict::Slower { at_least: 3.22 });
        assert_eq!(
            (said.word.as_str(), said.interval.as_str()),
            ("4.31x slower", "[4.22 ... 4.40]")
        );
    }

    #[test]
    fn without_a_direction_the_interval_is_that_of_the_times() {
        let near = estimate(1.0, 0.996, 1.003);
        let said = comparison(Some(&near), &Verdict::Same { within: 0.01 });
        assert_eq!(said.word, "same within 1 %");
        assert_eq!(said.interval, "[0.996 ... 1.003]");
        let said = comparison(None, &Verdict::CannotTell { more_rounds: None });
        assert_eq!(
            (said.word.as_str(), said.interval.as_str()),
            ("not compared", "")
        );
    }
}
