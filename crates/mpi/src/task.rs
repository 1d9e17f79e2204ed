//! The task of ranks, as their command line carries it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use workload::Work;

/// The largest message, in bytes.
pub const MOST_BYTES: u64 = 1 << 28;
/// The most messages in a window.
pub const MOST_WINDOW: u64 = 64;
/// The largest side of a grid.
pub const MOST_SIDE: u64 = 1 << 14;
/// A message has room for its number.
pub const LEAST_BYTES: u64 = 8;

/// A launch of ranks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// How many ranks there must be.
    pub ranks: u32,
    /// Threads in each.
    pub threads: u32,
    /// The CPUs of all flows, those of rank 0 first, each by its number on its own node.
    pub cpus: Vec<u32>,
    /// The nodes, where it is not this machine alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<Over>,
    /// What they do.
    pub body: Body,
    /// Repetitions that do not count.
    pub warmups: u32,
    /// Repetitions that count.
    pub reps: u32,
}

/// The nodes that the ranks of a task are dealt to: as many ranks each, those that follow each other together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Over {
    /// Their names, as the launcher takes them.
    pub nodes: Vec<String>,
    /// A folder in the memory of each node, of this run alone: it is how its ranks are known there.
    pub scratch: PathBuf,
    /// The machine whose ranks are counted with the launcher ([`crate::nodes::this_machine`]).
    pub counted: Option<u64>,
}

/// What ranks and threads do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Body {
    /// The units of a workload, dealt out before.
    Units(Box<Work>),
    /// The same, with units that follow each other for each flow.
    Static(Box<Work>),
    /// The units of a workload, each taken when the one before it is done.
    Farm(Box<Work>),
    /// Dealt out as `Static`; a flow that has run out takes units of another, each when the one before it is done.
    Stolen(Box<Work>),
    /// Dealt out as `Static`, each unit a flow of its own that moves to a rank without work.
    Migratable(Box<Work>),
    /// Two flows that send a message back and forth.
    PingPong {
        /// Bytes of a message.
        bytes: u64,
        /// Messages there, and as many back.
        rounds: u64,
    },
    /// A flow that sends another one windows of messages.
    Bandwidth {
        /// Bytes of a message.
        bytes: u64,
        /// Messages that are on their way together.
        window: u64,
        /// How many times as many.
        windows: u64,
    },
    /// A square grid of which each flow has some rows, and in each step needs those beside them.
    Halo {
        /// Rows and columns.
        side: u64,
        /// Steps.
        steps: u64,
    },
    /// A sum of what all flows have, which all of them get.
    AllReduce {
        /// Bytes that each flow has, 8 for each number.
        bytes: u64,
        /// How often.
        rounds: u64,
    },
}

/// A task that makes no sense; the message says what to use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TaskError(pub String);

impl Task {
    /// All flows.
    #[must_use]
    pub fn flows(&self) -> u32 {
        self.ranks * self.threads
    }

    /// How many nodes there are.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        let nodes = self.over.as_ref().map_or(1, |over| over.nodes.len());
        u32::try_from(nodes).unwrap_or(u32::MAX)
    }

    /// Ranks on each node.
    #[must_use]
    pub fn ranks_each(&self) -> u32 {
        self.ranks / self.nodes().max(1)
    }

    /// The place of a rank's node among all.
    #[must_use]
    pub fn node_of(&self, rank: u32) -> u32 {
        rank / self.ranks_each().max(1)
    }

    /// Whether flows move between ranks.
    #[must_use]
    pub fn moves(&self) -> bool {
        matches!(self.body, Body::Migratable(_))
    }

    /// The CPUs of a rank.
    #[must_use]
    pub fn cpus_of(&self, rank: u32) -> &[u32] {
        let each = self.threads as usize;
        let first = rank as usize * each;
        self.cpus.get(first..first + each).unwrap_or_default()
    }

    /// Checks the numbers; an error says which is out of range.
    pub fn check(&self) -> Result<(), TaskError> {
        let flows = u64::from(self.flows());
        if flows == 0 || self.cpus.len() as u64 != flows || self.reps == 0 {
            return Err(TaskError(format!(
                "{} x {} flows on {} CPUs, {} repetitions: each flow needs a CPU, and there is at least one \
                 repetition",
                self.ranks,
                self.threads,
                self.cpus.len(),
                self.reps
            )));
        }
        let nodes = self.nodes();
        if nodes == 0 || !self.ranks.is_multiple_of(nodes) {
            return Err(TaskError(format!(
                "{} ranks on {nodes} nodes: each node has as many ranks as the others",
                self.ranks
            )));
        }
        if self.moves() && nodes > 1 {
            return Err(TaskError(format!(
                "flows move between ranks of one node, and there are {nodes}"
            )));
        }
        if self.moves() && (self.ranks < 2 || self.threads != 1) {
            return Err(TaskError(format!(
                "flows move between ranks of one thread, and there are {} of {}: use 2x1, 3x1, ...",
                self.ranks, self.threads
            )));
        }
        self.body.check(flows).map_err(TaskError)
    }
}

#[cfg(test)]
impl Task {
    /// A task of a small grid, on this machine.
    pub(crate) fn of_grid(ranks: u32, threads: u32, cpus: &[u32]) -> Self {
        Self {
            ranks,
            threads,
            cpus: cpus.to_vec(),
            over: None,
            body: Body::Halo { side: 64, steps: 1 },
            warmups: 1,
            reps: 3,
        }
    }

    /// The same over these nodes.
    pub(crate) fn on(self, nodes: &[&str]) -> Self {
        let over = Over {
            nodes: nodes.iter().map(ToString::to_string).collect(),
            scratch: "/dev/shm/x".into(),
            counted: None,
        };
        Self {
            over: Some(over),
            ..self
        }
    }
}

impl Body {
    /// Checks the numbers, for that many flows; an error says what to use.
    pub fn check(&self, flows: u64) -> Result<(), String> {
        let size = |bytes: u64| match (LEAST_BYTES..=MOST_BYTES).contains(&bytes)
            && bytes.is_multiple_of(8)
        {
            true => Ok(()),
            false => Err(format!(
                "{bytes} bytes: use a multiple of 8 from {LEAST_BYTES} to {MOST_BYTES}"
            )),
        };
        match self {
            Self::Units(work)
            | Self::Static(work)
            | Self::Farm(work)
            | Self::Stolen(work)
            | Self::Migratable(work) => work.check().map_err(|error| error.0),
            Self::Bandwidth { window, .. } if !(1..=MOST_WINDOW).contains(window) => Err(format!(
                "a window of {window} messages: use 1 to {MOST_WINDOW}"
            )),
            Self::PingPong { bytes, .. } | Self::Bandwidth { bytes, .. } if flows == 2 => {
                size(*bytes)
            }
            Self::PingPong { .. } | Self::Bandwidth { .. } => {
                Err(format!("messages go between two flows, not {flows}"))
            }
            Self::Halo { side, .. } if (flows..=MOST_SIDE).contains(side) => Ok(()),
            Self::Halo { side, .. } => Err(format!(
                "a grid of {side} rows for {flows} flows: use {flows} to {MOST_SIDE}"
            )),
            Self::AllReduce { bytes, .. } => size(*bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rank_has_the_cpus_of_its_threads() {
        let task = Task::of_grid(2, 2, &[0, 2, 1, 3]);
        assert_eq!(
            (task.cpus_of(0), task.cpus_of(1)),
            (&[0, 2][..], &[1, 3][..])
        );
        assert_eq!(task.check(), Ok(()));
        let text = serde_json::to_string(&task).unwrap();
        assert_eq!(serde_json::from_str::<Task>(&text).unwrap(), task);
        let few = Task {
            cpus: vec![0],
            ..task.clone()
        };
        assert!(few.check().is_err());
        let two = task.clone().on(&["a", "b"]);
        assert_eq!(
            (two.check(), two.node_of(0), two.node_of(1)),
            (Ok(()), 0, 1)
        );
        let text = serde_json::to_string(&two).unwrap();
        assert_eq!(serde_json::from_str::<Task>(&text).unwrap(), two);
        for odd in [&["a", "b", "c"][..], &[]] {
            assert!(task.clone().on(odd).check().is_err());
        }
    }

    #[test]
    fn flows_move_between_ranks_of_one_thread_alone() {
        let task = |ranks: u32, threads: u32| Task {
            body: Body::Migratable(Box::new(Work::Primes(workload::Primes {
                start: 1,
                block: 10,
                blocks: 4,
                every: 1,
                method: workload::primes::Method::Trial,
            }))),
            ..Task::of_grid(ranks, threads, &[0, 1, 2, 3][..(ranks * threads) as usize])
        };
        assert_eq!(task(2, 1).check(), Ok(()));
        for (ranks, threads) in [(1, 2), (2, 2), (1, 1)] {
            let error = task(ranks, threads).check().unwrap_err().to_string();
            assert!(error.contains("use 2x1, 3x1"), "{error}");
        }
    }

    #[test]
    fn sizes_that_cannot_be_are_refused_with_those_that_can() {
        let ping = |bytes| Body::PingPong { bytes, rounds: 1 };
        assert_eq!(ping(8).check(2), Ok(()));
        for bytes in [0, 7, 12, MOST_BYTES + 8] {
            assert!(ping(bytes).check(2).unwrap_err().contains("multiple of 8"));
        }
        assert!(ping(8).check(4).unwrap_err().contains("two flows"));
        let stream = |window| Body::Bandwidth {
            bytes: 8,
            window,
            windows: 1,
        };
        assert_eq!(stream(MOST_WINDOW).check(2), Ok(()));
        for window in [0, MOST_WINDOW + 1] {
            assert!(stream(window).check(2).unwrap_err().contains("use 1 to 64"));
        }
        assert!(stream(1).check(3).unwrap_err().contains("two flows"));
        let halo = Body::Halo { side: 3, steps: 1 };
        assert!(halo.check(4).unwrap_err().contains("use 4 to"));
    }
}
