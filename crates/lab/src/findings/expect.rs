//! Expectations: bounds on what a run finds, for checks that a machine makes.
//! ```text
//! switch/fiber@1000 <= 2ns                   a time, at a value of a sweep
//! primes/trial/thread <= 40ms                a time, in a case
//! primes/thread vs process <= 1.05           a ratio of two variants of a case
//! primes/thread memory <= 5MiB               another quantity
//! primes/thread vs process memory <= 0.9     the ratio of another quantity
//! primes/thread faults <= 300                a count
//! ```
//! An expectation *holds* where the whole interval keeps to the bound, *fails* where all of it is
//! beyond, and otherwise *cannot be decided*. The interval of a ratio is that of the finding, or
//! made in the same way; that of a typical value is the sign test's. An unknown name gets
//! suggestions of its own form: for `primes/thrad` `primes/thread`, not `primes/trial/thread`.

mod expectation;
mod judge;
mod names;
mod parse;
mod runs;
#[cfg(test)]
mod tests;

pub use expectation::{Checked, ExpectError, Expectation, Judged};
pub use runs::check_runs;

use expectation::{Bound, Side, Unit};

use crate::data::Study;
use crate::findings::{Results, quantity};

/// The names of all quantities that an expectation can be about.
pub fn quantities() -> impl Iterator<Item = String> {
    quantity::Kind::names()
}

impl Expectation {
    /// As it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it means something in what will be run, asked before the run: an error where it
    /// names nothing, several, one against itself, or its bound is of another kind.
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

    /// What came of it in a run; errors as of [`means`](Self::means).
    pub fn check(&self, results: &Results) -> Result<Checked, ExpectError> {
        let studies: Vec<Study> = results.studies.iter().map(|s| s.study.clone()).collect();
        let target = names::target(self, &studies)?;
        self.fits(&target)?;
        Ok(judge::judge(self, &target, results))
    }
}
