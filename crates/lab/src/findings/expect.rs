//! Expectations: bounds on what a run finds, for checks that a machine makes.
//!
//! # Theory
//!
//! ```text
//! switch/fiber@1000 <= 2ns                   a time, at a value of a sweep
//! primes/trial/thread <= 40ms                a time, in a case
//! primes/thread vs process <= 1.05           a ratio of two variants of a case
//! primes/thread memory <= 5MiB               another quantity
//! primes/thread vs process memory <= 0.9     the ratio of another quantity
//! primes/thread faults <= 300                a count
//! ```
//!
//! An expectation is judged as findings are: by an interval and not by a number. It *holds*
//! where the whole interval keeps to the bound, it *fails* where the whole interval is
//! beyond it, and otherwise it *cannot be decided*. The interval of a ratio is that of the
//! finding (or made from the rounds of both variants in the same way); that of a typical
//! value comes from the sign test over slots.
//!
//! Names are looked up in what was run. With a slip of the keys the names that look most
//! like it are suggested, each in the form that looks the most like it: for `primes/thrad`
//! `primes/thread` and not `primes/trial/thread`, for `thread teardown` `thread tear-down`.

mod judge;
mod names;
mod parse;
mod runs;
#[cfg(test)]
mod tests;

pub use runs::check_runs;

use serde::{Deserialize, Serialize};

use crate::data::Study;
use crate::findings::{Results, quantity};

/// The names of all quantities that an expectation can be about.
pub fn quantities() -> impl Iterator<Item = String> {
    quantity::Kind::names()
}

/// A bound on something that a run finds.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// As it was written.
    text: String,
    /// Of what: a variant, by its path.
    path: String,
    /// The variant that it is divided by.
    against: Option<String>,
    bound: Bound,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Bound {
    side: Side,
    value: f64,
    unit: Unit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Below { too: bool },
    Above { too: bool },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    /// In ns.
    Time,
    /// In bytes.
    Size,
    /// A plain number: a ratio, or a count.
    Ratio,
}

/// What came of an expectation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judged {
    /// The whole interval keeps to the bound.
    Holds,
    /// The whole interval is beyond the bound.
    Fails,
    /// The bound lies within the interval, or there is none.
    Undecided,
}

/// An expectation and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// What came of it.
    pub judged: Judged,
    /// Expectation, finding and judgement in one sentence.
    pub sentence: String,
}

/// Why an expectation means nothing here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExpectError {
    /// No variant has this name.
    #[error(
        "--expect '{text}': there is no '{path}' in these results: {}",
        hint(nearest)
    )]
    Nothing {
        /// The expectation.
        text: String,
        /// The name.
        path: String,
        /// Names that look like it.
        nearest: Vec<String>,
    },
    /// More than one has.
    #[error("--expect '{text}': '{path}' names several: name one of {}", candidates.join(", "))]
    Several {
        /// The expectation.
        text: String,
        /// The name.
        path: String,
        /// What it may mean.
        candidates: Vec<String>,
    },
    /// It divides a variant by itself.
    #[error(
        "--expect '{text}': {label} against itself is always 1: name another variant behind vs"
    )]
    Itself {
        /// The expectation.
        text: String,
        /// The variant.
        label: String,
    },
    /// The bound is of another kind than the quantity.
    #[error("--expect '{text}': {message}")]
    Unit {
        /// The expectation.
        text: String,
        /// What does not fit.
        message: String,
    },
}

fn hint(nearest: &[String]) -> String {
    match nearest {
        [] => "they hold no variant".to_owned(),
        [one] => format!("did you mean {one}?"),
        more => format!("did you mean one of {}?", more.join(", ")),
    }
}

impl Expectation {
    /// As it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it means something in what will be run: to be asked before the run.
    ///
    /// # Errors
    /// It names nothing, several, one against itself, or its bound is of another kind.
    pub fn means(&self, studies: &[Study]) -> Result<(), ExpectError> {
        let target = names::target(self, studies)?;
        self.fits(&target)
    }

    fn fits(&self, target: &names::Target<'_>) -> Result<(), ExpectError> {
        let wanted = match (&self.against, target.quantity.unit()) {
            (Some(_), _) => Unit::Ratio,
            (None, quantity::Unit::Bytes) => Unit::Size,
            (None, quantity::Unit::Ns) => Unit::Time,
            (None, _) => Unit::Ratio,
        };
        if wanted == self.bound.unit {
            return Ok(());
        }
        let message = match wanted {
            Unit::Ratio if self.against.is_none() => "a count has no unit: write it as 300",
            Unit::Ratio => "a ratio has no unit: write it as 1.05",
            Unit::Size => "memory needs a unit of size: write it as 450KB or 5MiB",
            Unit::Time => {
                "a time needs a unit (2ns, 1.5ms), and a ratio something to be divided by \
                 (study/thread vs process <= 1.05)"
            }
        };
        Err(ExpectError::Unit {
            text: self.text.clone(),
            message: message.to_owned(),
        })
    }

    /// What came of it in a run.
    ///
    /// # Errors
    /// It names nothing, several, one against itself, or its bound is of another kind.
    pub fn check(&self, results: &Results) -> Result<Checked, ExpectError> {
        let studies: Vec<Study> = results.studies.iter().map(|s| s.study.clone()).collect();
        let target = names::target(self, &studies)?;
        self.fits(&target)?;
        Ok(judge::judge(self, &target, results))
    }
}
