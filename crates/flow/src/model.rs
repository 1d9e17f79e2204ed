//! The models of flows.

use std::fmt;
use std::str::FromStr;

pub use ::fiber::movable::Way;
use serde::{Deserialize, Serialize};

use crate::word::as_text;

/// What a flow of control is made of. The kernel schedules processes and threads. Fibers and tasks
/// are **user-level**: it sees only the threads that carry them, the [carriers](Model::carriers).
/// The two in-between models put a difference between `process` and `thread` down to the shared
/// address space or to the shared file table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Model {
    /// `fork`: own address space, own file table.
    Process,
    /// `clone(CLONE_FILES | CLONE_FS)`: own address space, shared file table.
    ProcessSharedFiles,
    /// pthread that calls `unshare(CLONE_FILES | CLONE_FS)`: shared address space, own file table.
    ThreadPrivateFiles,
    /// pthread: shared address space, shared file table.
    Thread,
    /// `PxT`: P forked processes of T threads each (the first thread of each is the process's own).
    Mix {
        /// P, the number of processes (at least 1).
        processes: u32,
        /// T, the number of threads in each (at least 1).
        threads: u32,
    },
    /// Threads of the user's own, each with a stack, switched without the kernel.
    Fiber {
        /// How their stacks lie in memory.
        stacks: Stacks,
        /// Kernel threads that carry them (at least 1).
        carriers: u32,
    },
    /// Fibers whose stacks have one address in several processes: they can go on in another.
    Migratable {
        /// How a stack comes to lie at its address.
        way: Way,
        /// Processes that carry them (at least 1).
        processes: u32,
    },
    /// Stackless: a future, polled in turn by one kernel thread.
    Task,
}

/// How the stacks of fibers lie in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stacks {
    /// Each behind a page that cannot be touched: an overflow is caught at once.
    Guarded,
    /// Side by side without guards: as many as memory holds, an overflow is found late.
    Packed,
    /// In a range on which processes agree, in one of three ways.
    Movable(Way),
}

impl Stacks {
    /// Whether a stack takes whole pages; else it may be as small as some cache lines.
    #[must_use]
    pub fn are_whole_pages(self) -> bool {
        match self {
            Self::Guarded | Self::Movable(Way::Copied | Way::Aliased) => true,
            Self::Packed | Self::Movable(Way::Isomalloc) => false,
        }
    }
}

/// How many processes are forked and how many of the kernel's flows run in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Forked processes; 0 when the flows are threads of the slot process itself.
    pub processes: u32,
    /// Threads in each process (or in the slot process): flows, or carriers of user-level ones.
    pub flows_in_each: u32,
}

impl Model {
    /// Fibers on one kernel thread, each with a guarded stack.
    pub const FIBER: Self = Self::fibers(Stacks::Guarded, 1);

    /// Fibers on one kernel thread, their stacks side by side.
    pub const FIBER_PACKED: Self = Self::fibers(Stacks::Packed, 1);

    /// Migratable fibers on one kernel thread, each at an address of its own.
    pub const MIGRATABLE: Self = Self::migratable(Way::Isomalloc, 1);

    /// The kernel's models that have a name of their own, in the order of how much they share.
    pub const NAMED: [Self; 4] = [
        Self::Process,
        Self::ProcessSharedFiles,
        Self::ThreadPrivateFiles,
        Self::Thread,
    ];

    const ALL: [Self; 10] = [
        Self::Process,
        Self::ProcessSharedFiles,
        Self::ThreadPrivateFiles,
        Self::Thread,
        Self::FIBER,
        Self::FIBER_PACKED,
        Self::MIGRATABLE,
        Self::migratable(Way::Copied, 1),
        Self::migratable(Way::Aliased, 1),
        Self::Task,
    ];

    /// The shape that `flows` flows of this model have. A mix has its own count.
    #[must_use]
    pub fn shape(self, flows: u32) -> Shape {
        let (processes, flows_in_each) = match self {
            Self::Process | Self::ProcessSharedFiles => (flows, 1),
            Self::Thread | Self::ThreadPrivateFiles => (0, flows),
            Self::Mix { processes, threads } => (processes, threads),
            Self::Fiber { carriers, .. } => (0, carriers.min(flows)),
            Self::Migratable { processes, .. } if processes > 1 => {
                (processes.min(flows), flows.min(1))
            }
            // One carrier is a thread of the slot process.
            Self::Migratable { .. } | Self::Task => (0, flows.min(1)),
        };
        Shape {
            processes,
            flows_in_each,
        }
    }

    const fn fibers(stacks: Stacks, carriers: u32) -> Self {
        Self::Fiber { stacks, carriers }
    }

    /// Migratable fibers of one way, over this many processes.
    #[must_use]
    pub const fn migratable(way: Way, processes: u32) -> Self {
        Self::Migratable { way, processes }
    }

    /// How the stacks of its flows lie in memory, if they are fibers.
    #[must_use]
    pub fn stacks(self) -> Option<Stacks> {
        match self {
            Self::Fiber { stacks, .. } => Some(stacks),
            Self::Migratable { way, .. } => Some(Stacks::Movable(way)),
            Self::Process
            | Self::ProcessSharedFiles
            | Self::ThreadPrivateFiles
            | Self::Thread
            | Self::Mix { .. }
            | Self::Task => None,
        }
    }

    /// The kernel's flows, each with a record: as many, or the carriers of user-level ones.
    #[must_use]
    pub fn carriers(self, flows: u32) -> u32 {
        let shape = self.shape(flows);
        shape.processes.max(1) * shape.flows_in_each
    }

    /// Whether the kernel sees nothing of a flow but its carrier.
    #[must_use]
    pub fn is_user_level(self) -> bool {
        match self {
            Self::Fiber { .. } | Self::Migratable { .. } | Self::Task => true,
            Self::Process
            | Self::ProcessSharedFiles
            | Self::ThreadPrivateFiles
            | Self::Thread
            | Self::Mix { .. } => false,
        }
    }

    /// What it is in a few words; `None` of processes and threads.
    #[must_use]
    pub fn gloss(self) -> Option<&'static str> {
        Some(match self {
            Self::Process | Self::Thread => return None,
            Self::ProcessSharedFiles => "processes, one table of open files",
            Self::ThreadPrivateFiles => "threads, a table of open files each",
            Self::Mix { .. } => "processes of several threads",
            Self::Fiber {
                stacks: Stacks::Packed,
                ..
            } => "fibers without guard pages",
            Self::Fiber { .. } => "user-level threads",
            Self::Migratable { way, .. } => match way {
                Way::Isomalloc => "fibers that can move to another process",
                Way::Copied => "the same, stacks copied at each switch",
                Way::Aliased => "the same, stacks mapped at each switch",
            },
            Self::Task => "async tasks",
        })
    }

    /// Flows that the model itself prescribes (a mix), if it does.
    #[must_use]
    pub fn own_flows(self) -> Option<u64> {
        match self {
            Self::Mix { processes, threads } => Some(u64::from(processes) * u64::from(threads)),
            Self::Process
            | Self::ProcessSharedFiles
            | Self::ThreadPrivateFiles
            | Self::Thread
            | Self::Fiber { .. }
            | Self::Migratable { .. }
            | Self::Task => None,
        }
    }

    /// Whether the death of one flow leaves the flows of other processes alive.
    #[must_use]
    pub fn isolates(self) -> bool {
        match self {
            Self::Process | Self::ProcessSharedFiles | Self::Mix { .. } => true,
            Self::Migratable { processes, .. } => processes > 1,
            Self::Thread | Self::ThreadPrivateFiles | Self::Fiber { .. } | Self::Task => false,
        }
    }
}

impl Model {
    fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::Process => "process",
            Self::ProcessSharedFiles => "process-shared-files",
            Self::ThreadPrivateFiles => "thread-private-files",
            Self::Thread => "thread",
            Self::Mix { .. } => return None,
            Self::Fiber { stacks, .. } => match stacks {
                Stacks::Guarded => "fiber",
                Stacks::Packed => "fiber-packed",
                Stacks::Movable(way) => Self::migratable(way, 1).name()?,
            },
            Self::Migratable { way, .. } => match way {
                Way::Isomalloc => "migratable",
                Way::Copied => "migratable-copied",
                Way::Aliased => "migratable-aliased",
            },
            Self::Task => "task",
        })
    }

    fn over(self, carriers: u32) -> Option<Self> {
        Some(match self.stacks()? {
            Stacks::Movable(way) => Self::migratable(way, carriers),
            stacks => Self::fibers(stacks, carriers),
        })
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name().unwrap_or_default();
        match *self {
            Self::Mix { processes, threads } => f.pad(&format!("{processes}x{threads}")),
            Self::Fiber { carriers, .. }
            | Self::Migratable {
                processes: carriers,
                ..
            } if carriers != 1 => f.pad(&format!("{name}/{carriers}")),
            _ => f.pad(name),
        }
    }
}

as_text!(Model);

/// The text names no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no model{meant}: use {names}, PxT such as 4x2 (4 processes of 2 threads, both at \
     least 1), fiber/2 (over 2 kernel threads) or migratable/2 (over 2 processes)",
    meant = names::meant(.0, names()),
    names = names().collect::<Vec<_>>().join(", ")
)]
pub struct ModelError(String);

fn names() -> impl Iterator<Item = &'static str> {
    Model::ALL.into_iter().filter_map(Model::name)
}

impl FromStr for Model {
    type Err = ModelError;

    fn from_str(text: &str) -> Result<Self, ModelError> {
        let named = |name: &str| Self::ALL.into_iter().find(|m| m.name() == Some(name));
        let parsed = match text.split_once('/') {
            Some((name, carriers)) => {
                let carriers = carriers.parse().ok().filter(|&count| count > 1);
                carriers.and_then(|carriers| named(name)?.over(carriers))
            }
            None => named(text).or_else(|| parse_mix(text)),
        };
        parsed.ok_or_else(|| ModelError(text.to_owned()))
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
        let over_two = Model::fibers(Stacks::Packed, 2);
        let others = [
            mix,
            over_two,
            Model::migratable(Way::Isomalloc, 2),
            Model::migratable(Way::Aliased, 3),
        ];
        for model in Model::ALL.into_iter().chain(others) {
            assert_eq!(model.to_string().parse(), Ok(model));
        }
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_names_there_are() {
        for text in [
            "", "threads", "0x2", "4x0", "4x", "x", "-1x2", "4x2x2", "fiber/0", "fiber/1", "tasks",
        ] {
            let error = text.parse::<Model>().expect_err(text).to_string();
            assert!(error.contains(&format!("'{text}'")), "{error}");
            assert!(error.contains("4x2"), "{error}");
        }
    }

    #[test]
    fn a_slip_of_the_keys_is_answered_with_the_model() {
        for (text, model) in [
            ("threads", "thread"),
            ("fibre", "fiber"),
            ("proces", "process"),
            ("migrateable", "migratable"),
            ("migratable-alised", "migratable-aliased"),
        ] {
            let error = text.parse::<Model>().expect_err(text).to_string();
            let meant = format!("did you mean '{model}'");
            assert!(error.contains(&meant), "{error}");
        }
        let error = "coroutine".parse::<Model>().expect_err("none").to_string();
        assert!(!error.contains("did you mean"), "{error}");
    }

    #[test]
    fn shapes() {
        let shape = |processes, flows_in_each| Shape {
            processes,
            flows_in_each,
        };
        assert_eq!(Model::Process.shape(5), shape(5, 1));
        assert_eq!(Model::Thread.shape(5), shape(0, 5));
        let mix = Model::Mix {
            processes: 4,
            threads: 2,
        };
        assert_eq!(mix.shape(8), shape(4, 2));
        assert_eq!(mix.own_flows(), Some(8));
        assert_eq!(mix.carriers(8), 8);
    }

    #[test]
    fn user_level_flows_leave_one_record_a_kernel_thread() {
        assert_eq!(Model::Task.carriers(1_000_000), 1);
        assert_eq!(Model::FIBER.carriers(5), 1);
        assert_eq!(Model::fibers(Stacks::Guarded, 2).carriers(5), 2);
        assert_eq!(Model::fibers(Stacks::Guarded, 8).carriers(5), 5);
        assert_eq!(Model::Thread.carriers(5), 5);
        assert_eq!(Model::MIGRATABLE.carriers(5), 1);
        assert!(!Model::MIGRATABLE.isolates());
        let over_two = Model::migratable(Way::Isomalloc, 2);
        assert_eq!((over_two.carriers(5), over_two.carriers(1)), (2, 1));
        assert!(over_two.is_user_level() && over_two.isolates());
        assert!(Model::Task.is_user_level() && !Model::Task.isolates());
    }
}
