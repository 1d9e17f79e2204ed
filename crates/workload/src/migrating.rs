//! `migrate`: state goes around between processes, in flows that move or by other means
//! (docs/migratable.md; [`flow::migration`] says how). The *model* says what moves: `migratable/2`
//! and its other ways are flows that move, `process` is for every other means. A unit is one move.
//! `flows` are on their way at once: moves of one wait, of many are pipelined. Proof: each side
//! reads, checks and changes every line of the state, so its end is known without running it.

use flow::migration::{By, Trips};
use flow::{Answer, Model, Proof, SelfManaged, SelfManagedRep, SlotProcess, Variant, Way};
use serde::{Deserialize, Serialize};

use crate::work::require;
use crate::{Work, WorkError, Workload, usual};

/// Parameters of `migrate`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Migrate {
    /// What carries the state.
    #[serde(default)]
    pub by: By,
    /// Bytes of state that each flow keeps: a power of two.
    pub bytes: u64,
    /// Flows on their way at once.
    #[serde(default = "usual::number::<1>")]
    pub flows: u64,
    /// Processes on the route of every flow.
    #[serde(default = "usual::number_32::<2>")]
    pub processes: u32,
    /// Moves of all flows; at least one round of all of them.
    pub moves: u64,
    /// Upper bound on the bytes that all moves carry, with the same exception.
    #[serde(default = "usual::number::<{ u64::MAX }>")]
    pub bytes_at_most: u64,
}

/// A socket takes at least this many bytes before its writer waits.
const SOCKET: u64 = 64 << 10;
/// The expected proof of more moves takes too long to compute.
const FORETOLD: u64 = 5_000_000;
const MOST_PROCESSES: u32 = 1_024;
const MOST_FLOWS: u64 = 4_000_000;

impl Migrate {
    fn trips(&self, way: Way, cpus: &[u32]) -> Trips {
        let round = self.flows * u64::from(self.processes);
        let moves = self.moves.min(self.bytes_at_most / self.bytes.max(1));
        Trips {
            by: self.by,
            way,
            processes: self.processes as usize,
            flows: usize::try_from(self.flows).unwrap_or(usize::MAX),
            bytes: usize::try_from(self.bytes).unwrap_or(usize::MAX),
            laps: (moves / round.max(1)).max(1),
            cpus: cpus.to_vec(),
        }
    }

    fn of_all_ways(&self) -> Trips {
        self.trips(Way::Isomalloc, &[])
    }

    fn suited(&self) -> String {
        match self.by {
            By::Move => format!(
                "by = \"move\" is for migratable/{0}, migratable-copied/{0} and migratable-aliased/{0}",
                self.processes
            ),
            _ => format!(
                "by = \"{}\" is for the model process with flows = {}; flows that move are by = \"move\"",
                word(self.by),
                self.processes
            ),
        }
    }
}

fn word(by: By) -> &'static str {
    match by {
        By::Move => "move",
        By::HandOff => "hand-off",
        By::Memcpy => "memcpy",
        By::Socket => "socket",
    }
}

impl Workload for Migrate {
    fn units(&self) -> u64 {
        self.of_all_ways().moves()
    }

    fn check(&self) -> Result<(), WorkError> {
        let Self {
            bytes,
            flows,
            processes,
            ..
        } = *self;
        let (least, most) = (Trips::LEAST_BYTES, Trips::MOST_BYTES);
        let is_whole = bytes.is_power_of_two();
        require(
            (least as u64..=most as u64).contains(&bytes) && is_whole,
            || format!("bytes {bytes} of state: use a power of two from {least} to {most}"),
        )?;
        require((1..=MOST_FLOWS).contains(&flows), || {
            format!("flows are 1 to {MOST_FLOWS}, not {flows}")
        })?;
        require((2..=MOST_PROCESSES).contains(&processes), || {
            format!("state moves between 2 to {MOST_PROCESSES} processes, not {processes}")
        })?;
        let fits = self.by != By::Socket || flows == 1 || flows * bytes <= SOCKET;
        require(fits, || {
            format!(
                "{flows} states of {bytes} bytes do not fit into sockets, and each side would wait for \
                 the other: use flows = 1"
            )
        })
    }

    fn run(&self, slot: &SlotProcess<Work>) -> Answer {
        let spec = slot.spec();
        let way = match spec.variant.model {
            Model::Migratable { way, .. } => way,
            _ => Way::Isomalloc,
        };
        slot.run_self_managed(&mut Traveller(self.trips(way, &spec.cpus)))
    }

    fn usual_flows(&self) -> Option<u64> {
        Some(self.processes.into())
    }

    fn expected(&self) -> Option<Proof> {
        let trips = self.of_all_ways();
        (trips.moves() <= FORETOLD).then(|| trips.expected())
    }

    fn unsuited(&self, variant: &Variant) -> Option<String> {
        let own = match variant.model {
            Model::Migratable { processes, .. } => {
                self.by == By::Move && processes == self.processes
            }
            Model::Process => self.by != By::Move,
            _ => false,
        };
        (!own || variant.flows != self.processes).then(|| self.suited())
    }

    fn makes_own_flows(&self) -> bool {
        true
    }

    fn processes_side_by_side(&self) -> Option<u32> {
        Some(self.processes)
    }

    fn bytes_a_flow(&self) -> Option<u64> {
        let stack = self.of_all_ways().stack_bytes() as u64;
        Some(self.flows.saturating_mul(stack) / u64::from(self.processes.max(1)))
    }
}

struct Traveller(Trips);

impl SelfManaged for Traveller {
    fn repeat(&mut self, _timers: bool) -> std::io::Result<SelfManagedRep> {
        self.0.run()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, variant};

    fn read(text: &str) -> Migrate {
        testing::read(text)
    }

    #[test]
    fn moves_are_whole_rounds_within_both_bounds() {
        let work = |flows, moves, most| Migrate {
            flows,
            moves,
            bytes_at_most: most,
            ..read(r#"{"bytes": 4096, "moves": 1}"#)
        };
        assert_eq!(work(1, 1_000, u64::MAX).units(), 1_000);
        assert_eq!(work(1, 1_000, 40_960).units(), 10);
        assert_eq!(work(256, 1_000, u64::MAX).units(), 512);
        assert_eq!(work(256, 1, 1).units(), 512);
    }

    #[test]
    fn what_cannot_be_is_refused_with_what_can() {
        let said = |text| read(text).check().unwrap_err().to_string();
        assert!(said(r#"{"bytes": 100, "moves": 1}"#).contains("power of two"));
        assert!(said(r#"{"bytes": 2097152, "moves": 1}"#).contains("1048576"));
        assert!(said(r#"{"bytes": 64, "moves": 1, "flows": 0}"#).contains("flows are 1"));
        assert!(said(r#"{"bytes": 64, "moves": 1, "processes": 1}"#).contains("2 to"));
        let many = r#"{"bytes": 4096, "moves": 1, "flows": 256, "by": "socket"}"#;
        assert!(said(many).contains("flows = 1"));
    }

    #[test]
    fn every_model_has_its_means() {
        let variant = |model| variant(model, 2);
        let moves = read(r#"{"bytes": 64, "moves": 1}"#);
        let copies = read(r#"{"bytes": 64, "moves": 1, "by": "memcpy"}"#);
        for model in [
            "migratable/2",
            "migratable-copied/2",
            "migratable-aliased/2",
        ] {
            assert_eq!(moves.unsuited(&variant(model)), None);
            assert!(copies.unsuited(&variant(model)).is_some());
        }
        assert_eq!(copies.unsuited(&variant("process")), None);
        for model in ["process", "thread", "migratable", "migratable/3"] {
            let said = moves.unsuited(&variant(model)).unwrap();
            assert!(said.contains("migratable-copied/2"), "{said}");
        }
    }
}
