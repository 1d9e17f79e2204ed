//! What a flow is made of.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What a flow of control is made of.
///
/// The two in-between models take one shared resource away (or add one), so
/// that a difference between `process` and `thread` can be put down to the
/// shared address space or to the shared file table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Model {
    /// `fork`: own address space, own file table.
    Process,
    /// `clone(CLONE_FILES)`: own address space, shared file table.
    ProcessSharedFiles,
    /// pthread that calls `unshare(CLONE_FILES)`: shared address space, own file table.
    ThreadPrivateFiles,
    /// pthread: shared address space, shared file table.
    Thread,
    /// `PxT`: P forked processes of T threads each (the first thread of each is
    /// the process's own).
    Mix {
        /// P, the number of processes (at least 1).
        processes: u32,
        /// T, the number of threads in each (at least 1).
        threads: u32,
    },
}

/// How many processes are forked and how many flows run in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Forked processes; 0 when the flows are threads of the cell itself.
    pub processes: u32,
    /// Flows in each process (or in the cell).
    pub flows_in_each: u32,
}

impl Model {
    /// The models that have a name of their own, in the order of how much they share.
    pub const NAMED: [Self; 4] = [
        Self::Process,
        Self::ProcessSharedFiles,
        Self::ThreadPrivateFiles,
        Self::Thread,
    ];

    /// The shape that `flows` flows of this model have. A mix has its own count.
    #[must_use]
    pub fn shape(self, flows: u32) -> Shape {
        match self {
            Self::Process | Self::ProcessSharedFiles => Shape {
                processes: flows,
                flows_in_each: 1,
            },
            Self::Thread | Self::ThreadPrivateFiles => Shape {
                processes: 0,
                flows_in_each: flows,
            },
            Self::Mix { processes, threads } => Shape {
                processes,
                flows_in_each: threads,
            },
        }
    }

    /// Flows that the model itself prescribes (a mix), if it does.
    #[must_use]
    pub fn own_flows(self) -> Option<u64> {
        match self {
            Self::Mix { processes, threads } => Some(u64::from(processes) * u64::from(threads)),
            _ => None,
        }
    }

    /// Whether the death of one flow leaves the flows of other processes alive.
    #[must_use]
    pub fn isolates(self) -> bool {
        !matches!(self, Self::Thread | Self::ThreadPrivateFiles)
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process => f.pad("process"),
            Self::ProcessSharedFiles => f.pad("process-shared-files"),
            Self::ThreadPrivateFiles => f.pad("thread-private-files"),
            Self::Thread => f.pad("thread"),
            Self::Mix { processes, threads } => f.pad(&format!("{processes}x{threads}")),
        }
    }
}

impl From<Model> for String {
    fn from(model: Model) -> Self {
        model.to_string()
    }
}

impl TryFrom<String> for Model {
    type Error = ModelError;

    fn try_from(text: String) -> Result<Self, ModelError> {
        text.parse()
    }
}

/// The text names no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no model: use process, process-shared-files, thread-private-files, thread, \
     or PxT such as 4x2 (4 processes of 2 threads, both at least 1)"
)]
pub struct ModelError(String);

impl FromStr for Model {
    type Err = ModelError;

    fn from_str(text: &str) -> Result<Self, ModelError> {
        Self::NAMED
            .into_iter()
            .find(|model| model.to_string() == text)
            .or_else(|| parse_mix(text))
            .ok_or_else(|| ModelError(text.to_owned()))
    }
}

fn parse_mix(text: &str) -> Option<Model> {
    let (processes, threads) = text.split_once('x')?;
    let (processes, threads) = (processes.parse().ok()?, threads.parse().ok()?);
    (processes > 0 && threads > 0).then_some(Model::Mix { processes, threads })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back_as_itself() {
        let mix = Model::Mix {
            processes: 4,
            threads: 2,
        };
        for model in Model::NAMED.into_iter().chain([mix]) {
            assert_eq!(model.to_string().parse(), Ok(model));
        }
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_names_there_are() {
        for text in ["", "threads", "0x2", "4x0", "4x", "x", "-1x2", "4x2x2"] {
            let error = text.parse::<Model>().expect_err(text).to_string();
            assert!(
                error.contains(&format!("'{text}'")) && error.contains("4x2"),
                "{error}"
            );
        }
    }

    #[test]
    fn shapes() {
        assert_eq!(
            Model::Process.shape(5),
            Shape {
                processes: 5,
                flows_in_each: 1
            }
        );
        assert_eq!(
            Model::Thread.shape(5),
            Shape {
                processes: 0,
                flows_in_each: 5
            }
        );
        let mix = Model::Mix {
            processes: 4,
            threads: 2,
        };
        assert_eq!(
            mix.shape(8),
            Shape {
                processes: 4,
                flows_in_each: 2
            }
        );
        assert_eq!(mix.own_flows(), Some(8));
    }
}
