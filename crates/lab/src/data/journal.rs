//! The journal: one JSON object a line.
//!
//! The first line is the [`Header`], every other one an [`Entry`].

mod brief;
mod checksum;
mod error;
mod reader;

use flow::Outcome;
use machine::{Filesystem, Machine};
use serde::{Deserialize, Serialize};

use super::{Case, Metric, Probe, Settings, Study};

pub(crate) use checksum::seal;
pub use error::JournalError;
pub(crate) use reader::{Depth, Found, read};

/// Name of the journal in a folder of results.
pub const FILE_NAME: &str = "journal.jsonl";

/// Version of the journal's schema. Readers open every version up to theirs.
pub const SCHEMA: u32 = 2;

/// The first line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// [`SCHEMA`] of the writer.
    pub schema: u32,
    /// Version of flowgauge.
    pub version: String,
    /// Seconds since the epoch when the run began.
    pub began_unix_s: u64,
    /// The command as it was given, for "run it again".
    pub command: Vec<String>,
    /// How it is run.
    pub settings: Settings,
    /// Where it is run.
    pub machine: Machine,
    /// What the folders are on that slots write files to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files_on: Vec<Filesystem>,
    /// What is run.
    pub studies: Vec<Study>,
}

/// The line of a slot: most lines of a journal are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SlotEntry {
    /// Study by name.
    pub study: String,
    /// Case by name.
    pub case: String,
    /// Round, from 0.
    pub round: usize,
    /// Variant by its place in the case.
    pub variant: usize,
    /// Seconds after the beginning of the run when it was launched.
    pub at_s: f64,
    /// How it went.
    pub outcome: Outcome,
}

/// Every line but the first.
#[expect(
    clippy::large_enum_variant,
    reason = "the large variant is nearly every line, and one is held at a time"
)]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
pub enum Entry {
    /// What the pilot of a case chose.
    Pilot {
        /// Study and case by name.
        study: String,
        /// Case.
        case: String,
        /// Warm-ups in each slot.
        warmups: u32,
        /// Repetitions in each slot.
        reps: u32,
        /// Deadline of each slot, in seconds.
        deadline_s: f64,
        /// Outcomes, one a variant; never data points.
        outcomes: Vec<Outcome>,
    },
    /// A slot.
    Slot(SlotEntry),
    /// What the reader of the results must know, as it was known before the first slot.
    Note {
        /// One sentence.
        text: String,
    },
    /// A fenced probe.
    Probe {
        /// Study by name.
        study: String,
        /// What came of it.
        probe: Probe,
    },
    /// A case has ended, and why.
    CaseEnd {
        /// Study by name.
        study: String,
        /// Case by name.
        case: String,
        /// Why no more rounds were run.
        because: CaseEnd,
    },
    /// A run that was shown is taken up again, and may last longer than was planned.
    Extended {
        /// Seconds at the most for each study from here on; null: as before.
        budget_s: Option<f64>,
        /// Rounds at the most for each case from here on; null: as before.
        max_rounds: Option<usize>,
    },
    /// The run has ended.
    End {
        /// The signal that cut it, if one did.
        interrupted: Option<i32>,
        /// Seconds after the beginning.
        at_s: f64,
    },
}

/// Why a case ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseEnd {
    /// Every comparison was decided at a look.
    Decided,
    /// All rounds were run.
    Rounds,
    /// The budget was used up.
    Budget,
    /// Too many slots failed.
    Failures,
}

impl Header {
    /// Whether a verdict or warning needs single flows, not only times of repetitions.
    fn asks_for_flows(&self, study: &str, case: &str) -> bool {
        let study = self.studies.iter().find(|own| own.name == study);
        let case = study.and_then(|study| study.cases.iter().find(|own| own.name == case));
        case.is_some_and(|case| case.metric == Metric::Unit || case.work.only_computes())
    }

    /// The headline answers: studies with their cases.
    pub(crate) fn answers(&self) -> impl Iterator<Item = (&Study, &Case)> {
        self.studies.iter().filter_map(|study| {
            let mut cases = study.cases.iter();
            let case = cases.find(|case| case.name == study.headline)?;
            (case.variants.len() > 1).then_some((study, case))
        })
    }

    /// The number of answers that share a case's error: all of the run for a headline, else 1.
    pub(crate) fn answers_with(&self, study: &Study, case: &Case) -> usize {
        let is_headline = self.settings.together && case.name == study.headline;
        match is_headline {
            true => self.answers().count().max(1),
            false => 1,
        }
    }
}
