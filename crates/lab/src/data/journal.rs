//! The journal: one JSON object a line, first the [`Header`], then [`Entry`] by [`Entry`].

mod brief;
mod checksum;
mod error;
mod lines;
mod reader;

use std::path::Path;

use machine::{Filesystem, Machine};
use measure::load::Load;
use serde::{Deserialize, Serialize};

use super::{LabelledVariant, Metric, Outcome, Probe, Settings, Study};

pub(crate) use checksum::seal;
pub use error::JournalError;
pub use reader::has_whole_header;
pub(crate) use reader::{Depth, Found, read};

/// Name of the journal in a folder of results.
pub const FILE_NAME: &str = "journal.jsonl";

/// Version of the journal's schema: the only one that is read.
pub const SCHEMA: u32 = 3;

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

/// How the causes of a comparison are tried: what is run, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConfirmEntry {
    /// Study by name.
    pub study: String,
    /// Case by name.
    pub case: String,
    /// The variant whose difference from the reference is tried, by its place in the case.
    pub subject: usize,
    /// What is run in each round: the reference and the subject as they are, then with knobs.
    pub variants: Vec<LabelledVariant>,
    /// The knobs.
    pub tries: Vec<Try>,
    /// Those that answer a cause and cannot be turned here, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// What is run to predict what faster parts would bring.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PredictEntry {
    /// Study by name.
    pub study: String,
    /// Case by name.
    pub case: String,
    /// What is run in each round: each variant as it is, then with each part faster in effect.
    pub variants: Vec<LabelledVariant>,
    /// Places among them: as it is, and with a faster part.
    pub pairs: Vec<[usize; 2]>,
    /// Number of rounds.
    pub rounds: usize,
    /// What is not predicted, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// A knob that is turned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Try {
    /// What it is called: `one malloc arena`.
    pub knob: String,
    /// What the work does without.
    pub without: String,
    /// What was seen, in words.
    pub cause: String,
    /// Reference and subject with the knob turned, by their places among the variants; also where it changes nothing.
    pub sides: [usize; 2],
}

/// Every line but the first.
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
    /// A slot that was recorded for its film; never a data point.
    Film(SlotEntry),
    /// A slot with a profiler beside it; never a data point. Its round is one of its own count.
    Profiled(SlotEntry),
    /// How causes of a comparison are tried.
    Confirm(ConfirmEntry),
    /// A slot of that; never a data point of the case. Its variant is in the list of the line before.
    Confirmed(SlotEntry),
    /// What faster parts are predicted from.
    Predict(PredictEntry),
    /// A slot of that; never a data point of the case. Its variant is in the list of the line before.
    Predicted(SlotEntry),
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
    /// The rounds that follow are without this variant: its slots fail.
    GivenUp {
        /// Study by name.
        study: String,
        /// Case by name.
        case: String,
        /// Variant by its place in the case.
        variant: usize,
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
        /// Seconds at the most from here on, as the settings have them; null: as before.
        budget_s: Option<f64>,
        /// Rounds at the most for each case from here on; null: as before.
        max_rounds: Option<usize>,
    },
    /// How busy the machine was in this part of the run.
    Load {
        /// What was counted from its beginning to its end.
        load: Load,
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
    /// The study file that the command names: it or its folder is called as the study.
    #[must_use]
    pub fn file_of(&self, study: &str) -> Option<&str> {
        let is_it = |word: &&String| {
            let path = Path::new(word.as_str());
            let names = [path.file_stem(), path.parent().and_then(Path::file_name)];
            path.extension().is_some_and(|end| end == "toml")
                && names.into_iter().flatten().any(|name| name == study)
        };
        self.command.iter().find(is_it).map(String::as_str)
    }

    /// Whether a verdict or warning needs single flows, not only times of repetitions.
    fn asks_for_flows(&self, study: &str, case: &str) -> bool {
        let study = self.studies.iter().find(|own| own.name == study);
        let case = study.and_then(|study| study.cases.iter().find(|own| own.name == case));
        case.is_some_and(|case| case.metric == Metric::Unit || case.work.only_computes())
    }

    /// By place in each study: the cases with a row on the first screen, which answer together.
    pub(crate) fn rows(&self) -> Vec<Vec<usize>> {
        let alone = self.studies.len() == 1;
        self.studies.iter().map(|study| study.rows(alone)).collect()
    }

    /// With how many answers each case shares its error: a row with all comparing rows, others with their level.
    pub(crate) fn answers_with(&self) -> Vec<Vec<usize>> {
        let rows = self.rows();
        let of = || self.studies.iter().zip(&rows);
        let compares = |study: &Study, row: usize| study.cases[row].variants.len() > 1;
        let answers =
            of().flat_map(|(study, rows)| rows.iter().filter(|&&row| compares(study, row)));
        let answers = answers.count().max(1);
        let shares = of().map(|(study, rows)| {
            let pairs = |place: usize| study.cases[place].variants.len().saturating_sub(1);
            let behind = (0..study.cases.len()).filter(|place| !rows.contains(place));
            let behind: usize = behind.map(pairs).sum();
            let share = |place: usize| match rows.contains(&place) {
                true => answers,
                false => behind.div_ceil(pairs(place).max(1)).max(1),
            };
            (0..study.cases.len()).map(share).collect()
        });
        shares.collect()
    }
}
