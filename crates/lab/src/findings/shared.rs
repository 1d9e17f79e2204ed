//! Which shared resource makes the difference between processes and threads (docs/method.md;
//! docs/sharing.md says what comes with each):
//! ```text
//!                          own file table          shared file table
//!   own address space      process           ──▶   process-shared-files
//!                             │                        │
//!                             ▼                        ▼
//!   shared address space   thread-private-files ─▶ thread
//! ```
//! A round of all four gives both effects ([`stats::Factorial`]), which add up to the whole
//! difference. Each is judged as a finding is, at half the level. Work that makes its own flows has
//! no `process-shared-files`: each effect is then one step of the lower way.

mod sentence;

use flow::Model;
use serde::{Deserialize, Serialize};
use stats::{Estimate, Factorial, LOOK_ALPHA, Verdict};

use super::RawSlot;
use super::paired::{judged, rule};
use crate::data::Case;
use crate::data::knob::between;

pub(super) use sentence::sentence;

/// What sharing does, of a case that ran all four models.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Shared {
    /// Sharing the address space: time with it over time without.
    pub address_space: Effect,
    /// Sharing the file table: time with it over time without.
    pub file_table: Effect,
    /// What follows.
    pub cause: Cause,
}

/// What sharing one resource does.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// Time with it shared over time without, whatever else is shared.
    pub estimate: Estimate,
    /// The verdict on it: *slower* where sharing costs.
    pub verdict: Verdict,
}

/// Which shared resource makes the difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The address space alone, as far as the data show.
    AddressSpace,
    /// The file table alone, as far as the data show.
    FileTable,
    /// Each of them.
    Both,
    /// Neither makes a difference.
    Neither,
    /// The rounds do not settle it.
    CannotTell,
}

impl Cause {
    /// The words for it.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::AddressSpace => "shared address space",
            Self::FileTable => "shared file table",
            Self::Both => "address space and file table",
            Self::Neither => "neither",
            Self::CannotTell => "cannot tell",
        }
    }

    /// The words for it in a sentence, with what is shared along with each.
    #[must_use]
    pub fn in_full(self) -> &'static str {
        match self {
            Self::AddressSpace => "shared address space (with the signal handlers)",
            Self::FileTable => "shared file table (with the working folder)",
            other => other.words(),
        }
    }

    fn of(address_space: Verdict, file_table: Verdict) -> Self {
        match (matters(address_space), matters(file_table)) {
            (Some(true), Some(true)) => Self::Both,
            (Some(true), _) => Self::AddressSpace,
            (_, Some(true)) => Self::FileTable,
            (Some(false), Some(false)) => Self::Neither,
            _ => Self::CannotTell,
        }
    }
}

fn matters(verdict: Verdict) -> Option<bool> {
    match verdict {
        Verdict::Faster { .. } | Verdict::Slower { .. } => Some(true),
        Verdict::Same { .. } => Some(false),
        Verdict::CannotTell { .. } => None,
    }
}

/// For cases with the four models (three of work that makes its own flows) and no other difference.
pub(super) fn shared(case: &Case, slots: &[RawSlot], floor: f64) -> Option<Shared> {
    let Some(places) = four(case) else {
        return of_three(case, slots, floor);
    };
    let columns = rounds(slots, places);
    let four = Factorial {
        neither: &columns[0],
        first: &columns[1],
        second: &columns[2],
        both: &columns[3],
    };
    let alpha = LOOK_ALPHA / 2.0;
    let effect = |estimate: Estimate| Effect {
        estimate,
        verdict: rule(floor, 2).judge(&estimate),
    };
    let file_table = effect(four.first_effect(alpha).ok()?);
    let address_space = effect(four.second_effect(alpha).ok()?);
    Some(Shared::of(address_space, file_table))
}

/// From `process` to `thread-private-files`, and on to `thread`.
fn of_three(case: &Case, slots: &[RawSlot], floor: f64) -> Option<Shared> {
    if !case.work.makes_own_flows() {
        return None;
    }
    let [_, own_files] = between();
    let [process, private, thread] = alike(case, [Model::Process, own_files, Model::Thread])?;
    let effect = |without: usize, with: usize| {
        let (estimate, verdict) = judged(slots, without, with, rule(floor, 2))?;
        Some(Effect { estimate, verdict })
    };
    Some(Shared::of(
        effect(process, private)?,
        effect(private, thread)?,
    ))
}

impl Shared {
    pub(super) fn of(address_space: Effect, file_table: Effect) -> Self {
        Self {
            address_space,
            file_table,
            cause: Cause::of(address_space.verdict, file_table.verdict),
        }
    }
}

/// Process, the two models between, thread: each once, else alike.
pub(super) fn four(case: &Case) -> Option<[usize; 4]> {
    let [own_space, own_files] = between();
    alike(case, [Model::Process, own_space, own_files, Model::Thread])
}

fn alike<const N: usize>(case: &Case, models: [Model; N]) -> Option<[usize; N]> {
    let place = |model: Model| {
        let mut places =
            (0..case.variants.len()).filter(|&at| case.variants[at].variant.model == model);
        places.next().filter(|_| places.next().is_none())
    };
    let mut places = [0; N];
    for (at, model) in models.into_iter().enumerate() {
        places[at] = place(model)?;
    }
    let alike = |at: usize| {
        let (first, other) = (&case.variants[places[0]], &case.variants[at]);
        let as_first = flow::Variant {
            model: first.variant.model,
            ..other.variant.clone()
        };
        as_first == first.variant && other.work == first.work
    };
    places.iter().all(|&at| alike(at)).then_some(places)
}

fn rounds(slots: &[RawSlot], places: [usize; 4]) -> [Vec<f64>; 4] {
    let mut by_round = std::collections::BTreeMap::<usize, [Option<f64>; 4]>::new();
    for slot in slots {
        if let Some(at) = places.iter().position(|&place| place == slot.variant) {
            by_round.entry(slot.round).or_default()[at] = slot.value_ns;
        }
    }
    let mut columns: [Vec<f64>; 4] = Default::default();
    for round in by_round.values() {
        if let [Some(a), Some(b), Some(c), Some(d)] = *round {
            columns
                .iter_mut()
                .zip([a, b, c, d])
                .for_each(|(column, value)| column.push(value));
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_follows_from_two_verdicts() {
        let same = Verdict::Same { within: 0.01 };
        let slower = Verdict::Slower { at_least: 0.5 };
        let faster = Verdict::Faster { at_least: 0.5 };
        let open = Verdict::CannotTell { more_rounds: None };
        for (space, files, cause) in [
            (slower, same, Cause::AddressSpace),
            (faster, open, Cause::AddressSpace),
            (same, slower, Cause::FileTable),
            (open, faster, Cause::FileTable),
            (slower, faster, Cause::Both),
            (same, same, Cause::Neither),
            (same, open, Cause::CannotTell),
            (open, open, Cause::CannotTell),
        ] {
            assert_eq!(Cause::of(space, files), cause);
        }
    }
}
