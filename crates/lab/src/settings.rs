//! How a run is carried out.

use crate::AskedBallast;
use serde::{Deserialize, Serialize};

/// Everything about a run that is not the study. Part of the journal's header, so that
/// the same command can be given again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The seed of every random choice.
    pub seed: u64,
    /// Quick or full.
    pub preset: Preset,
    /// Rounds at the most for each case.
    pub max_rounds: usize,
    /// Seconds at the most for each study; `None` for no bound.
    pub budget_s: Option<f64>,
    /// Differences below this fraction do not matter ("same within d"); `None` chooses
    /// 1 %, or 2 % on a noisy machine.
    pub floor: Option<f64>,
    /// What stands for a slot.
    pub value: Value,
    /// Seconds after which a slot is a failure; `None` derives it from the pilot.
    pub deadline_s: Option<f64>,
    /// Memory that every cell has touched before it makes flows, if any was asked for. The
    /// variants of the studies have it too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ballast: Option<AskedBallast>,
}

impl Settings {
    /// The usual settings of a preset. Quick has 22 s for each study; full has all the time it needs.
    #[must_use]
    pub fn usual(preset: Preset, seed: u64) -> Self {
        Self {
            seed,
            preset,
            max_rounds: 80,
            budget_s: (preset == Preset::Quick).then_some(22.0),
            floor: None,
            value: Value::Typical,
            deadline_s: None,
            ballast: None,
        }
    }
}

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
