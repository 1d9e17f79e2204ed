//! A finding on a quantity in one sentence: "memory: threads 20 % less than processes [19 … 21 %]".

use measure::Measured;

use super::{Basis, Contrast, Kind, QuantityFinding, Unit, Word};
use crate::data::number::{DOTS, Directions, OF_AMOUNTS, OF_TIMES, factor, factor_interval};
use crate::data::words::{percent, plural};
use crate::findings::compared::{Compared, NOT_KNOWN, at_most_apart, too_few};

/// Smaller factors are written in percent.
const TWICE: f64 = 2.0;

pub(super) fn sentence(kind: Kind, finding: &QuantityFinding, floor: f64) -> String {
    format!("{}: {}", kind.spoken(), finding.in_words(floor).in_full())
}

impl QuantityFinding {
    /// What it says, and the interval behind it; ratios within `floor` are the same.
    #[must_use]
    pub fn in_words(&self, floor: f64) -> Compared {
        let [subject, reference] = [&self.subject, &self.reference].map(|label| plural(label));
        let contrast = match &self.contrast {
            Measured::Value(contrast) => contrast,
            Measured::NotAvailable { reason, .. } => {
                return Compared {
                    word: format!("{subject} and {reference} are not compared: {reason}"),
                    interval: String::new(),
                };
            }
        };
        let (word, interval) = match self.verdict {
            Word::Same => {
                let (within, ends) = within(self.unit, contrast, floor);
                (format!("{subject} and {reference} the same{within}"), ends)
            }
            Word::CannotTell | Word::NotCompared => {
                let apart = match contrast.basis {
                    Basis::Ratio => contrast.interval().and_then(at_most_apart),
                    Basis::Difference => None,
                };
                let seen = seen(self.unit, contrast);
                match apart {
                    Some(apart) => (
                        format!("{subject} and {reference} {apart}"),
                        format!("({seen})"),
                    ),
                    None => (format!("{NOT_KNOWN}: {subject} against {reference}:"), seen),
                }
            }
            decided => {
                let by = by(self.unit, contrast, decided);
                let word = format!("{subject} {by} than {reference}");
                (word, ends(self.unit, contrast))
            }
        };
        Compared { word, interval }
    }
}

fn within(unit: Unit, contrast: &Contrast, floor: f64) -> (String, String) {
    match (contrast.basis, contrast.interval()) {
        (Basis::Ratio, Some((low, high))) => (
            format!(" within {}", percent(floor)),
            format!("({})", words(unit).interval(low, high)),
        ),
        (Basis::Difference, Some((low, high))) if low != high => {
            let most = unit.show(low.abs().max(high.abs()));
            (format!(" within {most}"), String::new())
        }
        _ => Default::default(),
    }
}

fn words(unit: Unit) -> Directions {
    match unit {
        Unit::Ns => OF_TIMES,
        _ => OF_AMOUNTS,
    }
}

fn seen(unit: Unit, contrast: &Contrast) -> String {
    match (contrast.basis, contrast.interval()) {
        (Basis::Ratio, Some((low, high))) => words(unit).interval(low, high),
        (Basis::Difference, Some((low, high))) => {
            format!("{} less … {} more", unit.show(0.0 - low), unit.show(high))
        }
        (Basis::Ratio, None) => format!(
            "{} as far as seen, {} for an interval",
            words(unit).against(contrast.estimate),
            too_few(contrast.rounds)
        ),
        (Basis::Difference, None) => too_few(contrast.rounds),
    }
}

/// How much, as a word: `20 % less`, `2.8x more`, `12 more`, `1.4 % faster`.
fn by(unit: Unit, contrast: &Contrast, word: Word) -> String {
    let name = word.name();
    match contrast.basis {
        Basis::Difference => format!("{} {name}", unit.show(contrast.estimate.abs())),
        Basis::Ratio => match (word, contrast.estimate) {
            (Word::Less, ratio) if ratio > 1.0 / TWICE => format!("{} less", share(1.0 - ratio)),
            (Word::More, ratio) if ratio < TWICE => format!("{} more", share(ratio - 1.0)),
            (Word::Less | Word::Faster, ratio) => format!("{} {name}", factor(1.0 / ratio)),
            (_, ratio) => format!("{} {name}", factor(ratio)),
        },
    }
}

fn ends(unit: Unit, contrast: &Contrast) -> String {
    let Some((low, high)) = contrast.interval() else {
        return String::new();
    };
    let ratio = contrast.estimate;
    match contrast.basis {
        Basis::Difference => {
            let (a, b) = (low.abs().min(high.abs()), low.abs().max(high.abs()));
            format!("[{}{DOTS}{}]", unit.show(a), unit.show(b))
        }
        Basis::Ratio if unit != Unit::Ns && (1.0 / TWICE..1.0).contains(&ratio) => {
            shares(1.0 - high, 1.0 - low)
        }
        Basis::Ratio if unit != Unit::Ns && (1.0..TWICE).contains(&ratio) => {
            shares(low - 1.0, high - 1.0)
        }
        Basis::Ratio if ratio < 1.0 => factor_interval(1.0 / ratio, 1.0 / high, 1.0 / low),
        Basis::Ratio => factor_interval(ratio, low, high),
    }
}

/// Rounded outwards, never to a narrower claim.
fn shares(low: f64, high: f64) -> String {
    let to = |end: f64, round: fn(f64) -> f64| {
        // Rounded to a billionth first: 0.2 may be stored as less.
        format!("{:.1}", round((end * 1e12).round() / 1e9) / 10.0 + 0.0)
    };
    format!("[{}{DOTS}{} %]", to(low, f64::floor), to(high, f64::ceil))
}

fn share(fraction: f64) -> String {
    crate::data::number::percent(fraction)
}
