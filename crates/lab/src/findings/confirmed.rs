//! Whether a gap closes where its cause is taken away, by rounds with a knob turned on both sides (docs/method.md,
//! "Whether a gap closes"). The share is taken of times and of their logarithms, and the smaller one counts; its
//! interval ([`stats::share_interval`]) is exact, and knobs of a row share its level.
//!
//! A cause is *confirmed* where at least [`MOST`] of the gap is certainly closed, *not confirmed* where certainly less
//! is, and else stays *observed*.

use serde::{Deserialize, Serialize};
use stats::share_interval;

use crate::data::number::{DOTS, time};
use crate::data::{ConfirmEntry, RawSlot, Try};

const MOST: f64 = 0.5;
const LEVEL: f64 = 0.05;

/// What became of the causes of a difference.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Confirmation {
    /// Each knob that was turned.
    pub tries: Vec<Tried>,
    /// Knobs that answer a cause and could not be turned, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// What a knob did to a gap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// The knob.
    pub knob: String,
    /// What the work did without.
    pub without: String,
    /// What was seen, in words.
    pub cause: String,
    /// Rounds with all four.
    pub rounds: usize,
    /// The gap, subject less reference, mean in ns.
    pub gap_ns: f64,
    /// The gap with the knob turned.
    pub left_ns: f64,
    /// The share of the gap that closes; `None` where there was no gap to close, or too few rounds.
    pub closed: Option<f64>,
    /// Its interval.
    pub interval: Option<(f64, f64)>,
    /// What that says of the cause.
    pub standing: Standing,
}

/// What is known of a cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Without it, at least half of the gap is gone.
    Confirmed,
    /// Without it, more than half of the gap is still there.
    NotConfirmed,
    /// It was seen; what it makes is open.
    Observed,
}

impl Standing {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::NotConfirmed => "not confirmed",
            Self::Observed => "observed",
        }
    }
}

pub(crate) fn confirmation(plan: &ConfirmEntry, slots: &[RawSlot]) -> Confirmation {
    let alpha = LEVEL / plan.tries.len().max(1) as f64;
    Confirmation {
        tries: plan
            .tries
            .iter()
            .map(|one| tried(one, slots, alpha))
            .collect(),
        left_out: plan.left_out.clone(),
    }
}

fn tried(one: &Try, slots: &[RawSlot], alpha: f64) -> Tried {
    let [reference, subject] = one.sides;
    let rounds = slots.iter().map(|slot| slot.round + 1).max().unwrap_or(0);
    let value = |round: usize, variant: usize| {
        let mut all = slots.iter();
        all.find(|slot| (slot.round, slot.variant) == (round, variant))?
            .value_ns
    };
    let rounds = (0..rounds).filter_map(|round| {
        let of = |variant| value(round, variant);
        Some([of(0)?, of(1)?, of(reference)?, of(subject)?])
    });
    let rounds: Vec<[f64; 4]> = rounds.collect();
    let times = Gaps::of(&rounds, |ns| ns);
    let ratios = Gaps::of(&rounds, f64::ln);
    let shares = [times.closed(alpha), ratios.closed(alpha)];
    let smaller = |of: fn((f64, f64, f64)) -> f64| {
        let [times, ratios] = shares.map(|share| share.map(of));
        Some(times?.min(ratios?))
    };
    let interval = smaller(|share| share.1).zip(smaller(|share| share.2));
    Tried {
        knob: one.knob.clone(),
        without: one.without.clone(),
        cause: one.cause.clone(),
        rounds: rounds.len(),
        gap_ns: mean(&times.gaps),
        left_ns: mean(&times.left),
        closed: smaller(|share| share.0),
        interval,
        standing: match interval {
            Some((low, _)) if low >= MOST => Standing::Confirmed,
            Some((_, high)) if high < MOST => Standing::NotConfirmed,
            _ => Standing::Observed,
        },
    }
}

struct Gaps {
    gaps: Vec<f64>,
    left: Vec<f64>,
}

impl Gaps {
    fn of(rounds: &[[f64; 4]], scale: fn(f64) -> f64) -> Self {
        let gap = |from: usize| {
            rounds
                .iter()
                .map(move |all| scale(all[from + 1]) - scale(all[from]))
        };
        Self {
            gaps: gap(0).collect(),
            left: gap(2).collect(),
        }
    }

    fn closed(&self, alpha: f64) -> Option<(f64, f64, f64)> {
        // The gap is above 0, whichever side is slower.
        let sign = mean(&self.gaps).signum();
        let wholes: Vec<f64> = self.gaps.iter().map(|gap| sign * gap).collect();
        let left = self.left.iter().zip(&self.gaps);
        let parts: Vec<f64> = left.map(|(left, gap)| sign * (gap - left)).collect();
        let (low, high) = share_interval(&parts, &wholes, alpha)?;
        Some((mean(&parts) / mean(&wholes), low, high))
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

impl Confirmation {
    /// A line for each knob, the confirmed first; one line where none was turned.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let order = [
            Standing::Confirmed,
            Standing::Observed,
            Standing::NotConfirmed,
        ];
        let of = |standing| {
            self.tries
                .iter()
                .filter(move |one| one.standing == standing)
        };
        let mut lines: Vec<String> = order.into_iter().flat_map(of).map(Tried::words).collect();
        let left_out = self.left_out.iter().map(|why| format!("not tried: {why}"));
        lines.extend(left_out);
        if lines.is_empty() {
            lines.push(
                "observed, not confirmed: no knob takes away what was seen (--profile looks for more; \
                 --confirm=KNOB turns one)"
                    .to_owned(),
            );
        }
        lines
    }
}

impl Tried {
    /// `confirmed: with one malloc arena the gap is 200 us, not 5.00 ms: 96 % [93 … 99 %] of it closes`.
    #[must_use]
    pub fn words(&self) -> String {
        let Self { knob, rounds, .. } = self;
        let word = self.standing.word();
        if self.interval.is_none() {
            return match rounds {
                0 => format!("{word}: with {knob} no round could be run"),
                _ => format!(
                    "{word}: in {rounds} rounds with {knob} the gap itself was not seen again"
                ),
            };
        }
        let sign = self.gap_ns.signum();
        let left_ns = sign * self.left_ns;
        let minus = if left_ns < 0.0 { "-" } else { "" };
        let more = match self.standing {
            Standing::Observed => "; more rounds may tell (--confirm=20)",
            _ => "",
        };
        format!(
            "{word}: with {knob} the gap is {minus}{}, not {}: {} of it closes{more}",
            time(left_ns.abs()),
            time(self.gap_ns.abs()),
            self.share_words(),
        )
    }

    /// `96 % [93 … 99 %]`; empty where it is not known.
    #[must_use]
    pub fn share_words(&self) -> String {
        let percent = |share: f64| (100.0 * share.min(1.0)).round() + 0.0;
        self.closed
            .zip(self.interval)
            .map_or(String::new(), |(closed, (low, high))| {
                let [closed, low, high] = [closed, low, high].map(percent);
                format!("{closed} % [{low}{DOTS}{high} %]")
            })
    }
}

#[cfg(test)]
mod tests;
