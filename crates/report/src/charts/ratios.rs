//! The axis of ratios, at their logarithms. Ticks are from a ladder of 0.1 %, 0.2 %, 0.5 %, ... on
//! both sides of one, then powers of two: the finest step whose labels keep apart.

use super::axis::{Scale, Tick, keep_apart};
use crate::number::trimmed;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ratios(Scale);

impl Ratios {
    pub(crate) fn new((low, high): (f64, f64), lengths: (f64, f64)) -> Self {
        let (low, high) = (low.min(1.0 / 1.01), high.max(1.01));
        let room = (high / low).powf(0.06);
        Self(Scale::new((low / room, high * room), lengths, true))
    }

    pub(crate) fn at(&self, ratio: f64) -> f64 {
        self.0.at(ratio)
    }

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
        let equal = match magnitudes.first() {
            Some(m) if is_percent(*m) => "0 %",
            _ => "1x",
        };
        self.0
            .ticks(faster.chain([(1.0, equal.to_owned())]).chain(slower))
    }
}

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

fn is_percent(m: f64) -> bool {
    m < 1.0999
}

fn magnitude(m: f64) -> String {
    if is_percent(m) {
        format!("{} %", trimmed((m - 1.0) * 100.0, 1))
    } else {
        format!("{}x", trimmed(m, 2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let labels: Vec<_> = ticks.iter().map(|tick| tick.label.as_str()).collect();
            labels.join(" ")
        };
        assert_eq!(labels_of(0.99, 1.01), "1 % 0.5 % 0 % 0.5 % 1 %");
        assert_eq!(labels_of(0.25, 4.0), "4x 2x 1x 2x 4x");
        assert!(
            labels_of(0.001, 1.0).starts_with("1,024x"),
            "{}",
            labels_of(0.001, 1.0)
        );
    }
}
