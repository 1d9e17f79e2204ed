//! From values to places, and the labels along the way.
//!
//! # Theory
//!
//! Ratios stand on an axis of their logarithms to base 2, so that "2x faster" is as far
//! from one as "2x slower". Their ticks are taken from a ladder: steps of 0.1 %, 0.2 %,
//! 0.5 %, ... on both sides of one, and then powers of two. The finest rung is used whose
//! labels keep apart. Times and parameters have the usual 1-2-5 steps, or decades where
//! the axis is logarithmic.

use super::text_width;
use crate::number::{plain, trimmed};

/// Space between two labels.
const APART: f64 = 10.0;

/// A place on an axis with its label.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    pub(crate) at: f64,
    pub(crate) label: String,
}

/// How values become places.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    log: bool,
}

impl Scale {
    /// Values from `low` to `high` on lengths from `from` to `to` (which may be the smaller).
    /// Logarithmic only where all values are above zero.
    pub(crate) fn new((low, high): (f64, f64), (from, to): (f64, f64), log: bool) -> Self {
        let log = log && low > 0.0;
        let (low, high) = if log {
            (low.ln(), high.ln())
        } else {
            (low, high)
        };
        let (low, high) = if high - low > f64::EPSILON * high.abs() {
            (low, high)
        } else {
            (low - 0.5, low + 0.5)
        };
        Self {
            low,
            high,
            from,
            to,
            log,
        }
    }

    /// The place of a value.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let value = if self.log { value.ln() } else { value };
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    fn holds(&self, at: f64) -> bool {
        let (low, high) = (self.from.min(self.to), self.from.max(self.to));
        (low - 0.5..=high + 0.5).contains(&at)
    }

    /// Ticks at the given values that lie on the axis.
    fn ticks(&self, values: impl Iterator<Item = (f64, String)>) -> Vec<Tick> {
        let ticks = values.map(|(value, label)| Tick {
            at: self.at(value),
            label,
        });
        ticks.filter(|tick| self.holds(tick.at)).collect()
    }

    /// Round values, about one for each `every` of length, labelled by `unit`.
    pub(crate) fn round(&self, every: f64, unit: &Unit) -> Vec<Tick> {
        let values = if self.log {
            self.decades(every)
        } else {
            self.steps(every, unit)
        };
        let step = values.iter().zip(values.iter().skip(1)).map(|(a, b)| b - a);
        let step = step.fold(f64::INFINITY, f64::min);
        let largest = values.iter().copied().fold(0.0, f64::max);
        let label = |value: f64| {
            let reference = if self.log { value } else { largest };
            unit.label(value, reference, if self.log { value } else { step })
        };
        self.ticks(values.iter().map(|&value| (value, label(value))))
    }

    /// Values with the labels of parameters, where they stand.
    pub(crate) fn values(&self, values: impl Iterator<Item = f64>) -> Vec<Tick> {
        self.ticks(values.map(|value| (value, plain(value))))
    }

    /// Multiples of 1, 2 or 5 of the unit's size, which need not be a power of ten.
    fn steps(&self, every: f64, unit: &Unit) -> Vec<f64> {
        let size = unit.suiting(self.high).0;
        let wanted = ((self.to - self.from).abs() / every).max(1.0);
        let rough = (self.high - self.low) / wanted / size;
        let decade = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|nice| nice * decade);
        let step = step
            .into_iter()
            .find(|step| *step >= rough)
            .unwrap_or(10.0 * decade)
            * size;
        let (first, last) = (
            (self.low / step).ceil() as i64,
            (self.high / step).floor() as i64,
        );
        (first..=last).map(|n| n as f64 * step).collect()
    }

    /// Powers of ten; with 2 and 5 between them where there is room for these.
    fn decades(&self, every: f64) -> Vec<f64> {
        let (low, high) = (self.low / 10f64.ln(), self.high / 10f64.ln());
        let per_decade = (self.to - self.from).abs() / (high - low);
        let within: &[f64] = if per_decade > 3.5 * every {
            &[1.0, 2.0, 5.0]
        } else {
            &[1.0]
        };
        let decades = low.floor() as i32..=high.ceil() as i32;
        decades
            .flat_map(|n| within.iter().map(move |nice| nice * 10f64.powi(n)))
            .collect()
    }
}

/// A scale of ratios, one within it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ratios(Scale);

impl Ratios {
    /// For ratios between `low` and `high`, on lengths from `from` to `to`.
    pub(crate) fn new((low, high): (f64, f64), lengths: (f64, f64)) -> Self {
        let (low, high) = (low.min(1.0 / 1.01), high.max(1.01));
        let room = (high / low).powf(0.06);
        Self(Scale::new((low / room, high * room), lengths, true))
    }

    /// The place of a ratio.
    pub(crate) fn at(&self, ratio: f64) -> f64 {
        self.0.at(ratio)
    }

    /// Ticks whose labels keep apart: magnitudes on both sides of one.
    pub(crate) fn ticks(&self) -> Vec<Tick> {
        let rungs = rungs().map(|magnitudes| self.rung(&magnitudes));
        rungs
            .into_iter()
            .find(|ticks| keep_apart(ticks))
            .unwrap_or_default()
    }

    fn rung(&self, magnitudes: &[f64]) -> Vec<Tick> {
        let faster = magnitudes.iter().rev().map(|m| (1.0 / m, magnitude(*m)));
        let slower = magnitudes.iter().map(|m| (*m, magnitude(*m)));
        self.0
            .ticks(faster.chain([(1.0, "1".to_owned())]).chain(slower))
    }
}

/// Magnitudes of each rung of the ladder, the finest first.
fn rungs() -> [Vec<f64>; 13] {
    let steps = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5];
    let powers = [1, 2, 4, 8];
    std::array::from_fn(|rung| match steps.get(rung) {
        Some(step) => (1..=20).map(|k| 1.0 + step * f64::from(k)).collect(),
        None => (1..=16)
            .map(|k| 2f64.powi(k * powers[rung - steps.len()]))
            .collect(),
    })
}

/// `2x`, `1.5x`, `0.5 %`.
fn magnitude(m: f64) -> String {
    if m < 1.0999 {
        format!("{} %", trimmed((m - 1.0) * 100.0, 1))
    } else {
        format!("{}x", trimmed(m, 2))
    }
}

/// Whether labels that are centred on their places touch.
fn keep_apart(ticks: &[Tick]) -> bool {
    let pairs = ticks.iter().zip(ticks.iter().skip(1));
    pairs.clone().all(|(a, b)| {
        (b.at - a.at).abs() >= (text_width(&a.label) + text_width(&b.label)) / 2.0 + APART
    })
}

/// The ticks without those whose labels would touch the one before.
pub(crate) fn thinned(ticks: Vec<Tick>) -> Vec<Tick> {
    let mut kept: Vec<Tick> = Vec::with_capacity(ticks.len());
    for tick in ticks {
        let room = kept
            .last()
            .is_none_or(|last| keep_apart(&[last.clone(), tick.clone()]));
        if room {
            kept.push(tick);
        }
    }
    kept
}

/// Units of an axis: sizes and names, ascending.
#[derive(Debug)]
pub(crate) struct Unit(pub(crate) &'static [(f64, &'static str)]);

/// Times in ns.
pub(crate) const TIME: Unit = Unit(&[(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")]);
/// Times in seconds.
pub(crate) const SECONDS: Unit = Unit(&[(1.0, "s")]);
/// Sizes in bytes.
pub(crate) const BYTES: Unit = Unit(&[
    (1.0, "B"),
    (1024.0, "KiB"),
    (1_048_576.0, "MiB"),
    (1_073_741_824.0, "GiB"),
]);

impl Unit {
    /// The largest unit in which a value is no fraction.
    fn suiting(&self, value: f64) -> (f64, &'static str) {
        let fits = |(size, _): &&(f64, &str)| value.abs() >= *size * 0.999;
        *self.0.iter().rev().find(fits).unwrap_or(&self.0[0])
    }

    /// A value in the unit that suits `reference`, as exact as `step` needs.
    fn label(&self, value: f64, reference: f64, step: f64) -> String {
        let (size, name) = self.suiting(reference);
        let decimals = (-(step / size).log10().floor()).clamp(0.0, 6.0);
        let decimals = if decimals.is_finite() {
            decimals as usize
        } else {
            0
        };
        format!("{} {name}", trimmed(value / size, decimals))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|tick| tick.label.as_str()).collect()
    }

    #[test]
    fn twice_as_fast_is_as_far_as_twice_as_slow() {
        let ratios = Ratios::new((0.25, 4.0), (0.0, 400.0));
        let (faster, one, slower) = (ratios.at(0.5), ratios.at(1.0), ratios.at(2.0));
        assert!((one - faster - (slower - one)).abs() < 1e-9);
        assert!((one - 200.0).abs() < 1e-9);
    }

    #[test]
    fn ticks_of_ratios_suit_their_span() {
        let labels_of = |low, high| {
            let ticks = Ratios::new((low, high), (0.0, 400.0)).ticks();
            assert!(keep_apart(&ticks));
            labels(&ticks).join(" ")
        };
        assert_eq!(labels_of(0.99, 1.01), "1 % 0.5 % 1 0.5 % 1 %");
        assert_eq!(labels_of(0.25, 4.0), "4x 2x 1 2x 4x");
        assert!(
            labels_of(0.001, 1.0).starts_with("1,024x"),
            "{}",
            labels_of(0.001, 1.0)
        );
    }

    #[test]
    fn round_values_have_no_more_decimals_than_their_steps() {
        let scale = Scale::new((200.0e6, 214.0e6), (0.0, 300.0), false);
        assert_eq!(
            labels(&scale.round(80.0, &TIME)),
            ["200 ms", "205 ms", "210 ms"]
        );
        let scale = Scale::new((1e5, 1e8), (0.0, 300.0), true);
        assert_eq!(
            labels(&scale.round(60.0, &TIME)),
            ["100 µs", "1 ms", "10 ms", "100 ms"]
        );
    }

    #[test]
    fn sizes_have_steps_of_their_own_units() {
        let scale = Scale::new((0.0, 3.5 * 1_048_576.0), (0.0, 400.0), false);
        assert_eq!(
            labels(&scale.round(90.0, &BYTES)),
            ["0 MiB", "1 MiB", "2 MiB", "3 MiB"]
        );
    }

    #[test]
    fn a_span_of_nothing_is_still_a_scale() {
        let scale = Scale::new((5.0, 5.0), (0.0, 100.0), false);
        assert!((scale.at(5.0) - 50.0).abs() < 1e-9);
    }
}
