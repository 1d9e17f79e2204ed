//! What a run tells while it continues.

use crate::data::{Case, CaseEnd, Chosen, Study};
use crate::findings::judge::Standing;

/// Hears the events of a run, between slots and never within one.
pub trait Observer {
    /// Takes one event. What it does with it takes time from the run, not from a slot.
    fn event(&mut self, event: &Event<'_>);
}

/// An observer that hears nothing.
#[derive(Debug, Default, Clone, Copy)]
pub struct Silent;

impl Observer for Silent {
    fn event(&mut self, _event: &Event<'_>) {}
}

/// A case of a study.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place<'a> {
    /// The study.
    pub study: &'a Study,
    /// The case.
    pub case: &'a Case,
}

/// A slot of a case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlotPlace<'a> {
    /// The study.
    pub study: &'a Study,
    /// The case.
    pub case: &'a Case,
    /// Round, from 0.
    pub round: usize,
    /// Rounds at the most.
    pub max_rounds: usize,
    /// Label of the variant.
    pub variant: &'a str,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The run begins, or continues.
    RunBegins {
        /// What is run.
        studies: &'a [Study],
        /// Slots that an earlier part of the run has finished.
        slots_done: usize,
    },
    /// A study begins.
    StudyBegins {
        /// The study.
        study: &'a Study,
    },
    /// A pilot is launched: one slot a variant.
    PilotBegins {
        /// Whose.
        place: Place<'a>,
    },
    /// A pilot has chosen how the slots of its case are.
    PilotEnded {
        /// Whose.
        place: Place<'a>,
        /// What it chose.
        chosen: Chosen,
    },
    /// Every row of the first screen has its pilot: how long the run is expected to take. Said once.
    Expected {
        /// Seconds until each row has its first look.
        first_s: f64,
        /// Seconds until the run is over if no look decides.
        most_s: f64,
    },
    /// What is left of the budget gives a case no interval: said before it is spent.
    BudgetTooShort {
        /// The case whose pilot has shown it.
        place: Place<'a>,
        /// Rounds that have an interval.
        rounds: usize,
        /// Seconds that they take.
        needs_s: f64,
        /// Seconds that are left.
        left_s: f64,
        /// A budget that gives them, in whole seconds.
        enough_s: f64,
    },
    /// A case begins, or continues in a resumed run; said once, though cases of a sweep take turns.
    CaseBegins {
        /// The case.
        place: Place<'a>,
        /// Rounds that it has behind it.
        rounds_done: usize,
    },
    /// A slot is launched. Nothing is drawn until it has ended.
    SlotBegins {
        /// Which.
        slot: SlotPlace<'a>,
    },
    /// A slot has ended and is in the journal.
    SlotEnded {
        /// Which.
        slot: SlotPlace<'a>,
        /// Its value in ns; `None` if it failed.
        value_ns: Option<f64>,
        /// Why it failed.
        failure: Option<String>,
        /// The comparisons so far, to be shown and not to be acted upon.
        standings: Vec<Standing<'a>>,
    },
    /// The data was judged.
    LookTaken {
        /// The case.
        place: Place<'a>,
        /// Rounds that were looked at.
        rounds: usize,
        /// Every comparison.
        standings: Vec<Standing<'a>>,
    },
    /// How much longer it may take. After each slot.
    Remaining {
        /// Seconds until the next look of this case.
        next_look_s: f64,
        /// Seconds until the run is over if no look decides, within the budget; `None`: not known.
        run_s: Option<f64>,
    },
    /// A case is over, and a round of slots begins that are no data points of it.
    RoundAside {
        /// The case.
        place: Place<'a>,
        /// What they are for.
        what: &'static str,
        /// Round, from 0, and rounds in all.
        at: (usize, usize),
    },
    /// A case has ended.
    CaseEnded {
        /// The case.
        place: Place<'a>,
        /// Why.
        because: CaseEnd,
    },
    /// The run has ended.
    RunEnded {
        /// The signal that cut it, if one did.
        interrupted: Option<i32>,
    },
}
