//! From values to places, and the labels along the way: steps of 1, 2 or 5 of their unit, or
//! decades on a logarithmic axis; parameters in place, if labels keep apart.

use super::frame::text_width;
use crate::number::{plain, trimmed};

const APART: f64 = 10.0;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    pub(crate) at: f64,
    pub(crate) label: String,
    /// Its label fits only while text is not enlarged.
    pub(crate) small: bool,
}

impl Tick {
    pub(crate) fn new(at: f64, label: String) -> Self {
        Self {
            at,
            label,
            small: false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    log: bool,
}

impl Scale {
    /// `from` may exceed `to`. Logarithmic only if all values are above zero.
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

    pub(crate) fn said(&self, other: &Self) -> &'static str {
        match (self.log, other.log) {
            (true, true) => " (both axes logarithmic)",
            (true, false) => " (logarithmic)",
            (false, true) => " (upward axis logarithmic)",
            (false, false) => "",
        }
    }

    pub(crate) fn at(&self, value: f64) -> f64 {
        let value = if self.log { value.ln() } else { value };
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Ends and places, and 1 if logarithmic: a script gets from a place back to a value.
    pub(crate) fn data(&self) -> String {
        let Self {
            low,
            high,
            from,
            to,
            log,
        } = self;
        format!("{low:.4} {high:.4} {from} {to} {}", u8::from(*log))
    }

    fn holds(&self, at: f64) -> bool {
        let (low, high) = (self.from.min(self.to), self.from.max(self.to));
        (low - 0.5..=high + 0.5).contains(&at)
    }

    pub(super) fn ticks(&self, values: impl Iterator<Item = (f64, String)>) -> Vec<Tick> {
        let ticks = values.map(|(value, label)| Tick::new(self.at(value), label));
        ticks.filter(|tick| self.holds(tick.at)).collect()
    }

    pub(crate) fn round(&self, every: f64, unit: &Unit) -> Vec<Tick> {
        let decades = if self.log {
            self.decades(every)
        } else {
            Vec::new()
        };
        // Steps say more within a decade, on a logarithmic axis too.
        let told = decades.iter().filter(|value| self.holds(self.at(**value)));
        let by_decades = told.count() > 1;
        let values = if by_decades {
            decades
        } else {
            self.steps(every, unit)
        };
        let step = values.iter().zip(values.iter().skip(1)).map(|(a, b)| b - a);
        let step = step.fold(f64::INFINITY, f64::min);
        let largest = values.iter().copied().fold(0.0, f64::max);
        let label = |value: f64| {
            let (reference, step) = if by_decades {
                (value, value)
            } else {
                (largest, step)
            };
            unit.label(value, reference, step)
        };
        self.ticks(values.iter().map(|&value| (value, label(value))))
    }

    pub(crate) fn values(&self, values: impl Iterator<Item = f64>) -> Vec<Tick> {
        self.ticks(values.map(|value| (value, plain(value))))
    }

    fn steps(&self, every: f64, unit: &Unit) -> Vec<f64> {
        let (low, high) = match self.log {
            true => (self.low.exp(), self.high.exp()),
            false => (self.low, self.high),
        };
        let size = unit.suiting(high).0;
        let wanted = ((self.to - self.from).abs() / every).max(1.0);
        let rough = (high - low) / wanted / size;
        let decade = 10f64.powf(rough.log10().floor());
        let nice = [1.0, 2.0, 5.0]
            .into_iter()
            .find(|nice| nice * decade >= rough);
        let step = nice.unwrap_or(10.0) * decade * size;
        let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
        (first..=last).map(|n| n as f64 * step).collect()
    }

    /// With 3, or with 2 and 5, between them where there is room.
    fn decades(&self, every: f64) -> Vec<f64> {
        let (low, high) = (self.low / 10f64.ln(), self.high / 10f64.ln());
        let per_decade = (self.to - self.from).abs() / (high - low);
        let within: &[f64] = if per_decade > 3.5 * every {
            &[1.0, 2.0, 5.0]
        } else if per_decade > 2.2 * every {
            &[1.0, 3.0]
        } else {
            &[1.0]
        };
        let decades = low.floor() as i32..=high.ceil() as i32;
        decades
            .flat_map(|n| within.iter().map(move |nice| nice * 10f64.powi(n)))
            .collect()
    }
}

pub(crate) fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    })
}

pub(super) fn keep_apart(ticks: &[Tick]) -> bool {
    let mut pairs = ticks.iter().zip(ticks.iter().skip(1));
    let needed = |a: &Tick, b: &Tick| (text_width(&a.label) + text_width(&b.label)) / 2.0 + APART;
    pairs.all(|(a, b)| (b.at - a.at).abs() >= needed(a, b))
}

/// Drops ticks whose labels would touch the previous one; marks those that would at `large`.
pub(crate) fn thinned(ticks: Vec<Tick>, large: f64) -> Vec<Tick> {
    let mut kept: Vec<Tick> = Vec::with_capacity(ticks.len());
    let mut large_end = f64::NEG_INFINITY;
    for mut tick in ticks {
        let room = kept
            .last()
            .is_none_or(|last| keep_apart(&[last.clone(), tick.clone()]));
        if room {
            let half = large * text_width(&tick.label) / 2.0;
            tick.small = tick.at - half < large_end;
            if !tick.small {
                large_end = tick.at + half + APART;
            }
            kept.push(tick);
        }
    }
    kept
}

pub(crate) fn margin(ticks: &[Tick], large: f64) -> f64 {
    ticks
        .iter()
        .map(|tick| text_width(&tick.label))
        .fold(0.0, f64::max)
        * large
        + 10.0
}

#[derive(Debug)]
pub(crate) struct Unit(pub(crate) &'static [(f64, &'static str)]);

pub(crate) const TIME: Unit = Unit(&[(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")]);
pub(crate) const SECONDS: Unit = Unit(&[(1.0, "s")]);
pub(crate) const RATE: Unit = Unit(&[(1.0, ""), (1e3, "thousand"), (1e6, "million")]);
pub(crate) const PERCENT: Unit = Unit(&[(1.0, "%")]);
pub(crate) const BYTES: Unit = Unit(&[
    (1.0, "B"),
    (1024.0, "KiB"),
    (1_048_576.0, "MiB"),
    (1_073_741_824.0, "GiB"),
]);

impl Unit {
    fn suiting(&self, value: f64) -> (f64, &'static str) {
        let fits = |(size, _): &&(f64, &str)| value.abs() >= *size * 0.999;
        *self.0.iter().rev().find(fits).unwrap_or(&self.0[0])
    }

    fn label(&self, value: f64, reference: f64, step: f64) -> String {
        let (size, name) = self.suiting(reference);
        let decimals = -(step / size).log10().floor();
        let decimals = if decimals.is_finite() {
            decimals.clamp(0.0, 6.0)
        } else {
            0.0
        };
        format!("{} {name}", trimmed(value / size, decimals as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|tick| tick.label.as_str()).collect()
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
        let scale = Scale::new((6e5, 5e6), (0.0, 150.0), true);
        assert_eq!(labels(&scale.round(60.0, &TIME)), ["1 ms", "3 ms"]);
        let scale = Scale::new((8.1e6, 8.65e6), (0.0, 300.0), true);
        assert_eq!(
            labels(&scale.round(80.0, &TIME)),
            ["8.2 ms", "8.4 ms", "8.6 ms"]
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
    fn labels_that_touch_when_they_are_large_are_marked() {
        let ticks = (0..5).map(|n| Tick::new(40.0 * f64::from(n), "12".to_owned()));
        let thin = |large| {
            let kept = thinned(ticks.clone().collect(), large).into_iter();
            kept.map(|tick| tick.small).collect::<Vec<_>>()
        };
        assert_eq!(thin(1.0), [false; 5]);
        assert_eq!(thin(3.0), [false, true, false, true, false]);
    }

    #[test]
    fn a_span_of_nothing_is_still_a_scale() {
        let scale = Scale::new((5.0, 5.0), (0.0, 100.0), false);
        assert!((scale.at(5.0) - 50.0).abs() < 1e-9);
    }
}
