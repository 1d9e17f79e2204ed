use std::fmt;

use flow::Placement;
use machine::Machine;
use serde::{Deserialize, Serialize};

use super::{Case, LabelledVariant, Metric};

/// A way through the CPUs of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Topology {
    /// The hardware threads of one core first.
    Smt,
    /// One flow a core.
    Cores,
    /// Every hardware thread there is.
    All,
}

impl Topology {
    /// Every way, in the order in which they are run.
    pub const EVERY: [Self; 3] = [Self::Smt, Self::Cores, Self::All];

    /// The word in names of cases.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Smt => "smt",
            Self::Cores => "cores",
            Self::All => "all",
        }
    }

    /// As it is spoken of: `along cores`.
    #[must_use]
    pub fn spoken(self) -> &'static str {
        match self {
            Self::Smt => "along SMT",
            Self::Cores => "along cores",
            Self::All => "on all hardware threads",
        }
    }

    pub(crate) fn placement(self) -> Placement {
        match self {
            Self::Cores => Placement::Cores,
            Self::Smt | Self::All => Placement::Smt,
        }
    }

    /// CPUs on which flows do not have to take turns, on that machine.
    #[must_use]
    pub fn room(self, machine: &Machine) -> u32 {
        let cpus = match self {
            Self::Smt => threads_of_a_core(machine),
            Self::Cores => machine.cores().len(),
            Self::All => machine.allowed().len(),
        };
        u32::try_from(cpus.max(1)).unwrap_or(u32::MAX)
    }

    /// Why there is no such way on that machine, if there is none.
    #[must_use]
    pub fn missing(self, machine: &Machine) -> Option<String> {
        let threads = threads_of_a_core(machine);
        match self {
            Self::Smt if threads < 2 => Some(format!(
                "{}: not available: {threads} thread per core",
                self.spoken()
            )),
            _ => self.same_as(machine).map(|other| {
                let why = match other {
                    Self::Smt => "1 core".to_owned(),
                    Self::Cores | Self::All => format!("{threads} thread per core"),
                };
                format!("{}: the same as {}: {why}", self.spoken(), other.spoken())
            }),
        }
    }

    /// The way that comes to the same on that machine, if another one does.
    pub(crate) fn same_as(self, machine: &Machine) -> Option<Self> {
        match self {
            Self::All if self.room(machine) == Self::Cores.room(machine) => Some(Self::Cores),
            Self::All if machine.cores().len() < 2 => Some(Self::Smt),
            _ => None,
        }
    }
}

impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

fn threads_of_a_core(machine: &Machine) -> usize {
    let cores = machine.cores();
    let threads = machine.smt_order();
    let on_first = threads
        .iter()
        .skip(1)
        .take_while(|cpu| !cores.contains(cpu));
    on_first.count() + 1
}

/// The way of a case's flows, if its work scales and it is timed in its steady phase.
#[must_use]
pub fn along(case: &Case) -> Option<Topology> {
    case.work.scaled()?;
    if !matches!(case.metric, Metric::Steady | Metric::Simulated) {
        return None;
    }
    let first = &case.variants.first()?.variant.placement;
    let placed = |labelled: &LabelledVariant| {
        labelled.variant.placement == *first && labelled.work.is_none()
    };
    match (first, &case.sweep) {
        _ if !case.variants.iter().all(placed) => None,
        (Placement::Cores, _) => Some(Topology::Cores),
        (Placement::Smt, Some(_)) => Some(Topology::Smt),
        (Placement::Smt, None) => Some(Topology::All),
        _ => None,
    }
}

/// The name of a case without the way and the number of flows.
#[must_use]
pub fn base(case: &Case) -> &str {
    let name = case.name.as_str();
    let without = |along: Topology| {
        let (base, rest) = name.rsplit_once(&format!("/{along}"))?;
        let number = rest.strip_prefix('/').unwrap_or("0");
        number.parse::<u32>().ok().map(|_| base)
    };
    Topology::EVERY
        .into_iter()
        .find_map(without)
        .unwrap_or(name)
}
