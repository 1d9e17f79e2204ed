//! Placements: the CPU of each flow.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Which CPU each flow may run on.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Placement {
    /// Wherever the scheduler puts it.
    #[default]
    Free,
    /// Every flow, and the parent, on the first allowed CPU.
    One,
    /// Flow i on the i-th core (one logical CPU a core), around again when there are more flows.
    Cores,
    /// Flow i on the i-th hardware thread, the threads of one core first.
    Smt,
    /// Flow i on the i-th memory node, around again, each on a CPU of its own while there are such.
    Numa,
    /// Flow i on the i-th CPU of the list, around again; the parent too on a list of one.
    List(Vec<u32>),
}

/// The CPUs that this process may use, in the orders that placements need.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cpus {
    /// Every allowed logical CPU.
    pub allowed: Vec<u32>,
    /// One logical CPU for each core.
    pub cores: Vec<u32>,
    /// All hardware threads, those of one core together.
    pub smt: Vec<u32>,
    /// All hardware threads, one of each memory node in turn; empty where one node has all.
    pub numa: Vec<u32>,
}

impl Cpus {
    /// Allowed CPUs of other cores than `measured`, else of other hardware threads, else none.
    #[must_use]
    pub fn aside(&self, measured: &[u32]) -> Vec<u32> {
        if measured.is_empty() {
            return Vec::new();
        }
        let is_measured = |cpu: &u32| measured.contains(cpu);
        let core_begins = |cpu: &u32| self.cores.contains(cpu);
        let cores = self.smt.chunk_by(|_, next| !core_begins(next));
        let other_cores = cores.filter(|core| !core.iter().any(is_measured));
        let mut aside: Vec<u32> = other_cores.flatten().copied().collect();
        if aside.is_empty() {
            let others = self.allowed.iter().filter(|cpu| !is_measured(cpu));
            aside = others.copied().collect();
        }
        aside.sort_unstable();
        aside
    }
}

/// A placement that cannot be had here, or a text that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlacementError {
    /// Not one of the words.
    #[error(
        "'{0}' is no placement{meant}: use free, one, cores, smt, numa, or a list of CPUs such as 0,2 \
         or 0-3",
        meant = names::meant(.0, ["free", "one", "cores", "smt", "numa"])
    )]
    Unknown(String),
    /// A CPU stands in the list twice.
    #[error(
        "CPU {0} is in the list twice: once is enough, since flows are dealt to its CPUs in turn"
    )]
    Twice(u32),
    /// A CPU of the list is not among the allowed ones.
    #[error(
        "CPU {cpu} is not available to this process: choose among {allowed:?} \
         (see `flowgauge machine`; taskset or a container may have narrowed them)"
    )]
    NotAllowed {
        /// The CPU asked for.
        cpu: u32,
        /// Those there are.
        allowed: Vec<u32>,
    },
    /// Flows cannot be dealt to memory nodes.
    #[error(
        "the placement numa deals flows to memory nodes, and fewer than two nodes here have CPUs for \
         this process (see `flowgauge machine`): use cores"
    )]
    OneNode,
}

impl Placement {
    /// Whether all flows and the parent share one CPU.
    #[must_use]
    pub fn is_one_cpu(&self) -> bool {
        match self {
            Self::One => true,
            Self::List(list) => list.len() == 1,
            Self::Free | Self::Cores | Self::Smt | Self::Numa => false,
        }
    }

    /// The CPUs that flows are dealt to in turn; empty means free. Errors: no such CPUs or nodes.
    pub fn resolve(&self, cpus: &Cpus) -> Result<Vec<u32>, PlacementError> {
        match self {
            Self::Free => Ok(Vec::new()),
            Self::One => Ok(cpus.allowed.iter().take(1).copied().collect()),
            Self::Cores => Ok(cpus.cores.clone()),
            Self::Smt => Ok(cpus.smt.clone()),
            Self::Numa if cpus.numa.is_empty() => Err(PlacementError::OneNode),
            Self::Numa => Ok(cpus.numa.clone()),
            Self::List(list) => match list.iter().find(|cpu| !cpus.allowed.contains(cpu)) {
                Some(&cpu) => Err(PlacementError::NotAllowed {
                    cpu,
                    allowed: cpus.allowed.clone(),
                }),
                None => Ok(list.clone()),
            },
        }
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Free => f.pad("free"),
            Self::One => f.pad("one"),
            Self::Cores => f.pad("cores"),
            Self::Smt => f.pad("smt"),
            Self::Numa => f.pad("numa"),
            Self::List(list) => {
                let words: Vec<String> = list.iter().map(u32::to_string).collect();
                f.pad(&words.join(","))
            }
        }
    }
}

impl From<Placement> for String {
    fn from(placement: Placement) -> Self {
        placement.to_string()
    }
}

impl TryFrom<String> for Placement {
    type Error = PlacementError;

    fn try_from(text: String) -> Result<Self, PlacementError> {
        // Old results may list a CPU twice.
        read(&text)
    }
}

impl FromStr for Placement {
    type Err = PlacementError;

    fn from_str(text: &str) -> Result<Self, PlacementError> {
        let placement = read(text)?;
        if let Self::List(list) = &placement
            && let Some(&cpu) = names::repeated(list)
        {
            return Err(PlacementError::Twice(cpu));
        }
        Ok(placement)
    }
}

fn read(text: &str) -> Result<Placement, PlacementError> {
    match text {
        "free" => Ok(Placement::Free),
        "one" => Ok(Placement::One),
        "cores" => Ok(Placement::Cores),
        "smt" => Ok(Placement::Smt),
        "numa" => Ok(Placement::Numa),
        _ => parse_list(text)
            .map(Placement::List)
            .ok_or_else(|| PlacementError::Unknown(text.to_owned())),
    }
}

/// `0,2,4-7`, as the kernel writes CPU lists.
fn parse_list(text: &str) -> Option<Vec<u32>> {
    let mut list = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        if first > last || last - first > 4096 {
            return None;
        }
        list.extend(first..=last);
    }
    Some(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpus() -> Cpus {
        Cpus {
            allowed: vec![2, 3, 6, 7],
            cores: vec![2, 6],
            smt: vec![2, 3, 6, 7],
            numa: vec![2, 6, 3, 7],
        }
    }

    #[test]
    fn a_cpu_that_is_listed_twice_is_refused_and_old_results_are_read() {
        let twice = "0,2,0".parse::<Placement>().unwrap_err();
        assert!(twice.to_string().contains("CPU 0 is in the list twice"));
        let old = Placement::try_from("0,0".to_owned());
        assert_eq!(old, Ok(Placement::List(vec![0, 0])));
    }

    #[test]
    fn a_position_is_not_a_logical_id() {
        assert_eq!(Placement::One.resolve(&cpus()), Ok(vec![2]));
        assert_eq!(Placement::Cores.resolve(&cpus()), Ok(vec![2, 6]));
        assert_eq!(Placement::Smt.resolve(&cpus()), Ok(vec![2, 3, 6, 7]));
        assert_eq!(Placement::Free.resolve(&cpus()), Ok(vec![]));
    }

    #[test]
    fn memory_nodes_need_to_be_two() {
        assert_eq!(Placement::Numa.resolve(&cpus()), Ok(vec![2, 6, 3, 7]));
        let one_node = Cpus {
            numa: Vec::new(),
            ..cpus()
        };
        let error = Placement::Numa.resolve(&one_node).unwrap_err().to_string();
        assert!(error.contains("fewer than two nodes"), "{error}");
    }

    #[test]
    fn what_must_not_disturb_keeps_off_measured_cores() {
        let cpus = cpus();
        let all: [(&[u32], &[u32], &str); 5] = [
            (&[2], &[6, 7], "not the hardware thread beside it"),
            (&[7, 6], &[2, 3], "another core"),
            (&[2, 6], &[3, 7], "no core is left, but threads are"),
            (&[2, 3, 6, 7], &[], "nothing is left"),
            (&[], &[], "free flows may run anywhere"),
        ];
        for (measured, aside, why) in all {
            assert_eq!(cpus.aside(measured), aside, "{why}");
        }
    }

    #[test]
    fn one_cpu_may_be_named() {
        let is_one = |text: &str| text.parse::<Placement>().unwrap().is_one_cpu();
        assert!(is_one("one") && is_one("0") && is_one("3"));
        assert!(!is_one("free") && !is_one("0,1") && !is_one("cores"));
    }

    #[test]
    fn a_list_must_be_allowed() {
        let resolved = |text: &str| text.parse::<Placement>().unwrap().resolve(&cpus());
        assert_eq!(resolved("6,2"), Ok(vec![6, 2]));
        let error = resolved("2-4").unwrap_err().to_string();
        assert!(error.contains("CPU 4 is not available"), "{error}");
    }

    #[test]
    fn words_read_back_and_others_are_refused() {
        for text in ["free", "one", "cores", "smt", "numa", "0,2,3"] {
            assert_eq!(text.parse::<Placement>().unwrap().to_string(), text);
        }
        for text in ["", "all", "1,", "3-1", "a", "0-99999999"] {
            assert!(text.parse::<Placement>().is_err(), "{text}");
        }
    }
}
