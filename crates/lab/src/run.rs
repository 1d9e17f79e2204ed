//! A run: for each study its pilots, then the rounds of its cases.
//!
//! ```text
//!  for each study ─▶ pilot of each case ─▶ for each case:
//!                                            ┌─▶ ended? (settled, rounds, budget, failures) ─▶ next case
//!                                            │         │ no
//!                                            │         ▼
//!                                            └── next slot: order, launch, check, journal
//! ```
//!
//! The run keeps no books of its own. What to do next is asked of the journal's ledger
//! each time, so a run that was cut goes on by simply being started on its journal.

use flow::{Outcome, SlotSpec};
use machine::Machine;
use workload::Work;

use crate::budget::{allowance_s, remaining_s};
use crate::ledger::{At, CaseLog, Ledger};
use crate::pilot::{Chosen, choose, pilot_slot};
use crate::progress::{Event, Observer, Place, SlotPlace, Standing};
use crate::proof::checked;
use crate::{
    Case, CaseEnd, Clock, Entry, Journal, JournalError, Launch, LaunchError, Results, plan,
};

/// A case ends after so many failed slots of one variant in a row.
const FAILURES: usize = 3;

/// What a run needs from outside.
pub struct Tools<'a> {
    /// Launches slots.
    pub launch: &'a mut dyn Launch,
    /// Tells the time, for the journal; nothing is decided by it.
    pub clock: &'a dyn Clock,
    /// Hears how it goes.
    pub observer: &'a mut dyn Observer,
}

/// Why a run ended without an end. All that was finished is in the journal.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The journal cannot be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// No slot can be launched.
    #[error("{0}")]
    Launch(String),
    /// A case asks for what this machine does not have, or for impossible work.
    #[error("{study}, {case}: {message}")]
    Case {
        /// The study.
        study: String,
        /// The case.
        case: String,
        /// What is wrong and what to use.
        message: String,
    },
}

/// Runs what the journal's header asks for and the journal does not hold yet.
///
/// A run that is cut by a signal is no error: its results say so.
///
/// # Errors
/// The journal cannot be written, slots cannot be launched, or a case cannot be run on
/// this machine (said before the first slot).
pub fn run(journal: &mut Journal, tools: Tools<'_>) -> Result<Results, RunError> {
    let offset_s = journal.ledger().last_s;
    let mut run = Run { journal, tools, offset_s };
    run.check()?;
    let interrupted = match run.studies() {
        Ok(()) => None,
        Err(Stop::Interrupted(signal)) => Some(signal),
        Err(Stop::Error(error)) => return Err(error),
    };
    let at_s = run.now_s();
    run.journal.append(Entry::End { interrupted, at_s })?;
    run.tools.observer.event(&Event::RunEnded { interrupted });
    Ok(run.journal.results())
}

struct Run<'a> {
    journal: &'a mut Journal,
    tools: Tools<'a>,
    /// When this part of the run began, in seconds after the beginning of the whole.
    offset_s: f64,
}

/// Why the loops are left early.
enum Stop {
    Interrupted(i32),
    Error(RunError),
}

impl From<JournalError> for Stop {
    fn from(error: JournalError) -> Self {
        Self::Error(error.into())
    }
}

impl From<LaunchError> for Stop {
    fn from(error: LaunchError) -> Self {
        match error {
            LaunchError::Interrupted { signal } => Self::Interrupted(signal),
            LaunchError::Fatal(why) => Self::Error(RunError::Launch(why)),
        }
    }
}

impl Run<'_> {
    fn ledger(&self) -> &Ledger {
        self.journal.ledger()
    }

    fn log(&self, at: At) -> &CaseLog {
        self.ledger().at(at)
    }

    fn now_s(&self) -> f64 {
        self.offset_s + self.tools.clock.elapsed_s()
    }
}
