use std::path::PathBuf;

use flow::Pages;
use measure::counters::Event;
use serde::{Deserialize, Serialize};

use super::axis::LaidWords;
use super::simulation::Simulation;

/// Everything about a run that is not the study; part of the journal's header.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The seed of every random choice.
    pub seed: u64,
    /// Quick or full.
    pub preset: Preset,
    /// Rounds at the most for each case.
    pub max_rounds: usize,
    /// Whether every case has exactly that many rounds, with one look after the last.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exact_rounds: bool,
    /// Seconds at the most for the run; `None` for no bound.
    pub budget_s: Option<f64>,
    /// Differences below this fraction do not matter; `None`: 1 %, or 2 % on a noisy machine.
    pub floor: Option<f64>,
    /// What stands for a slot.
    pub value: Value,
    /// Seconds after which a slot is a failure; `None` derives it from the pilot.
    pub deadline_s: Option<f64>,
    /// Memory that every slot process has touched before it makes flows; also in the variants.
    #[serde(default, rename = "ballast", skip_serializing_if = "Option::is_none")]
    pub parent_memory: Option<AskedParentMemory>,
    /// What is laid on every variant, axis by axis. The variants of the studies have it too.
    #[serde(flatten)]
    pub axes: LaidWords,
    /// How every slot is sampled whose variant does not say so itself; usually not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<Sampling>,
    /// Events that are counted of the flows of every slot; usually none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Event>,
    /// Whether a slot of both sides of each row is recorded, after the rounds.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub film: bool,
    /// Rounds of slots with a profiler beside them, after those that count; usually none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profiling>,
    /// How causes that were seen are tried, after the rounds; usually not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<Confirming>,
    /// Parts whose speed-up is predicted, after the rounds; usually none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predict: Option<Predicting>,
    /// The machine that the accesses of every slot are run through; usually none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulate: Option<Box<Simulation>>,
}

/// Parent memory that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedParentMemory {
    /// Bytes of it.
    pub bytes: u64,
    /// Kinds of pages, at least one.
    pub pages: Vec<Pages>,
}

/// How slots are sampled: by a process beside each of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sampling {
    /// Seconds between two samples.
    pub interval_s: f64,
    /// A folder whose use of disk space is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
}

/// Slots with a profiler beside them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profiling {
    /// Rounds of them.
    pub rounds: usize,
}

impl Profiling {
    /// So many that a frame can be named among some hundred.
    pub const USUAL: usize = 16;
    /// With fewer no frame could ever be named.
    pub const FEWEST: usize = 8;
}

/// Rounds in which what a cause rests on is taken away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirming {
    /// Rounds of them.
    pub rounds: usize,
    /// The knobs, by name; those that answer what was seen where it names none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub knobs: Vec<String>,
}

impl Confirming {
    /// So many that an interval of a share is narrow among three knobs.
    pub const USUAL: usize = 12;
}

/// Rounds in which parts of the work are faster in effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Predicting {
    /// Hundredths of a part's time that it does without.
    pub percent: u32,
    /// The parts; all that the work names where it names none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
}

impl Predicting {
    /// How much faster a part is where nobody says.
    pub const USUAL_PERCENT: u32 = 20;
    /// Rounds of them where there is little noise, and where there is much.
    pub const ROUNDS: std::ops::RangeInclusive<usize> = 12..=40;
}

/// In seconds; closer samples would measure the sampler.
const LEAST_S: f64 = 0.001;
const MOST_S: f64 = 86_400.0;

impl Sampling {
    /// Whether slots can be sampled so; the error names an interval that no sampler can keep.
    pub fn check(&self) -> Result<(), String> {
        let can_be_kept = (LEAST_S..=MOST_S).contains(&self.interval_s);
        can_be_kept.then_some(()).ok_or_else(|| {
            let asked = self.interval_s;
            format!("samples {asked} s apart cannot be taken: name an interval from 1 ms to a day")
        })
    }

    /// The sampler of a slot, kept to the given CPUs.
    #[must_use]
    pub fn spec(&self, cpus: Vec<u32>) -> flow::SampleSpec {
        flow::SampleSpec {
            interval_ns: (self.interval_s * 1e9).round().max(1.0) as u64,
            cpus,
            most_cpus: None,
            folder: self.folder.clone(),
        }
    }
}

impl Settings {
    /// Rounds at the most where no other number is asked for.
    pub const USUAL_ROUNDS: usize = 80;

    /// The usual settings of a preset for one study: [`QUICK_S`], or all the time that full needs.
    #[must_use]
    pub fn usual(preset: Preset, seed: u64) -> Self {
        Self {
            seed,
            preset,
            max_rounds: Self::USUAL_ROUNDS,
            budget_s: (preset == Preset::Quick).then_some(QUICK_S),
            ..Self::default()
        }
    }

    /// The budget of a quick run of this number of studies.
    #[must_use]
    pub fn quick_s(studies: usize) -> f64 {
        QUICK_S + FURTHER_S * studies.saturating_sub(1) as f64
    }
}

const QUICK_S: f64 = 20.0;
const FURTHER_S: f64 = 11.0;

/// How much work a study does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// An answer in seconds.
    #[default]
    Quick,
    /// The size of the original.
    Full,
}

/// What stands for a slot, declared before the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Value {
    /// The median of its repetitions.
    #[default]
    Typical,
    /// Their minimum.
    Undisturbed,
}

impl Value {
    /// The word for it, as a flag and in journals.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Typical => "typical",
            Self::Undisturbed => "undisturbed",
        }
    }
}
