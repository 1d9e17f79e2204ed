//! A finding on a quantity in one sentence: "memory: threads 20 % less than processes
//! [19 … 21 %]".

use measure::Measured;

use super::{Basis, Contrast, Kind, Unit, Word};
use crate::data::number::{DOTS, against, factor, factor_interval, ratio_interval};
use crate::data::words::{percent, plural};

/// From here on an amount is said as a factor, below in percent.
const TWICE: f64 = 2.0;

pub(super) fn sentence(
    kind: Kind,
    subject: &str,
    reference: &str,
    contrast: &Measured<Contrast>,
    verdict: Word,
    floor: f64,
) -> String {
    let (what, subject, reference) = (kind.spoken(), plural(subject), plural(reference));
    let contrast = match contrast {
        Measured::Value(contrast) => contrast,
        Measured::NotAvailable { reason, .. } => {
            return format!("{what}: {subject} and {reference} are not compared: {reason}");
        }
    };
    match verdict {
        Word::Same => format!(
            "{what}: {subject} and {reference} the same{}",
            within(kind.unit(), contrast, floor)
        ),
        Word::CannotTell | Word::NotCompared => format!(
            "{what}: {subject} and {reference} {}{}",
            match contrast.interval() {
                Some(ends) if crate::findings::compared::is_close(ends) => "too close to call",
                _ => "undecided",
            },
            seen(kind.unit(), contrast)
        ),
        decided => format!(
            "{what}: {subject} {} than {reference}{}",
            by(kind.unit(), contrast, decided),
            ends(kind.unit(), contrast)
        ),
    }
}

fn within(unit: Unit, contrast: &Contrast, floor: f64) -> String {
    match (contrast.basis, contrast.interval()) {
        (Basis::Ratio, Some((low, high))) => {
            format!(" within {} ({})", percent(floor), signed(unit, low, high))
        }
        (Basis::Difference, Some((low, high))) if low != high => {
            format!(" within {}", unit.show(low.abs().max(high.abs())))
        }
        _ => String::new(),
    }
}

/// Both ends with their sign in words.
fn signed(unit: Unit, low: f64, high: f64) -> String {
    said_of(unit, ratio_interval(low, high))
}

/// Of times faster and slower, of amounts less and more.
fn said_of(unit: Unit, words: String) -> String {
    match unit {
        Unit::Ns => words,
        _ => words.replace("faster", "less").replace("slower", "more"),
    }
}

fn too_few(rounds: usize) -> String {
    match rounds {
        1 => "1 round is too few".to_owned(),
        _ => format!("{rounds} rounds are too few"),
    }
}

fn seen(unit: Unit, contrast: &Contrast) -> String {
    match (contrast.basis, contrast.interval()) {
        (Basis::Ratio, Some((low, high))) => format!(": {}", signed(unit, low, high)),
        (Basis::Difference, Some((low, high))) => {
            format!(": {} less … {} more", unit.show(0.0 - low), unit.show(high))
        }
        (Basis::Ratio, None) => format!(
            ": {} as far as seen, {} for an interval",
            said_of(unit, against(contrast.estimate)),
            too_few(contrast.rounds)
        ),
        (Basis::Difference, None) => format!(": {}", too_few(contrast.rounds)),
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
            format!(" [{}{DOTS}{}]", unit.show(a), unit.show(b))
        }
        Basis::Ratio if unit != Unit::Ns && (1.0 / TWICE..1.0).contains(&ratio) => {
            shares(1.0 - high, 1.0 - low)
        }
        Basis::Ratio if unit != Unit::Ns && (1.0..TWICE).contains(&ratio) => {
            shares(low - 1.0, high - 1.0)
        }
        Basis::Ratio if ratio < 1.0 => {
            format!(" {}", factor_interval(1.0 / ratio, 1.0 / high, 1.0 / low))
        }
        Basis::Ratio => format!(" {}", factor_interval(ratio, low, high)),
    }
}

/// Rounded outwards: a rounded interval must not claim more than the exact one.
fn shares(low: f64, high: f64) -> String {
    let to = |end: f64, round: fn(f64) -> f64| {
        // Rounded to a billionth first, so that 0.2 stays 0.2 though it is stored as less.
        format!("{:.1}", round((end * 1e12).round() / 1e9) / 10.0 + 0.0)
    };
    format!(" [{}{DOTS}{} %]", to(low, f64::floor), to(high, f64::ceil))
}

fn share(fraction: f64) -> String {
    crate::data::number::percent(fraction)
}
