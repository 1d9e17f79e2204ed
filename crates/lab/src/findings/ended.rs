//! Launches that did not end as they should: they belong to the verdict, which is of the others. A slot of a command
//! holds several launches and ends with one that fails, so failures are counted in launches: those of good slots, and
//! of a failed slot up to the one that failed.

use flow::Answer;
use serde::{Deserialize, Serialize};

use super::phrases::joined;
use crate::data::RawSlot;
use crate::data::words::{percent, plural};

/// Launches of a command, over all its slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launches {
    /// That were begun, warm-ups among them.
    pub begun: u64,
    /// That failed or were killed.
    pub failed: u64,
}

impl Launches {
    /// Of these slots; `None` where one of them does not say how many it had begun.
    pub(super) fn of(slots: &[&RawSlot]) -> Option<Self> {
        let begun = slots.iter().map(|slot| match &slot.outcome.answer {
            Answer::Done(record) => Some((record.warmups.len() + record.reps.len()) as u64),
            Answer::Failed { begun, .. } => begun.map(u64::from),
        });
        let failed = slots
            .iter()
            .filter(|slot| slot.outcome.answer.done().is_none());
        Some(Self {
            begun: begun.sum::<Option<u64>>()?,
            failed: failed.count() as u64,
        })
    }
}

/// `of the launches that ended; 15 % of the launches of new did not end (4 of 27)`; `None` where all ended.
pub(super) fn failed(sides: [(&str, Option<Launches>); 2]) -> Option<String> {
    let some = sides.into_iter().filter_map(|(label, launches)| {
        let Launches { begun, failed } = launches.filter(|launches| launches.failed > 0)?;
        let share = percent(failed as f64 / begun as f64);
        Some(format!(
            "{share} of the launches of {} did not end ({failed} of {begun})",
            plural(label)
        ))
    });
    joined(some, ", ").map(|some| format!("of the launches that ended; {some}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program that fails once in twenty "failed 6 of 27 times": those were slots of five launches.
    #[test]
    fn the_share_is_that_of_launches() {
        let new = Launches {
            begun: 120,
            failed: 6,
        };
        let old = Launches { failed: 0, ..new };
        assert_eq!(
            failed([("old", Some(old)), ("new", Some(new))]).unwrap(),
            "of the launches that ended; 5 % of the launches of new did not end (6 of 120)"
        );
        assert_eq!(failed([("old", Some(old)), ("new", None)]), None);
    }
}
