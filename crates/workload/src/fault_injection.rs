//! `drill`: a fault in one unit. `process` keeps the other workers' results, `thread` keeps none.

use std::path::Path;

use flow::{Answer, Body, NoSink, Outlet, Proof, SlotProcess};
use serde::{Deserialize, Serialize};

use crate::spin::spin;
use crate::work::require;
use crate::workload::Files;
use crate::{Work, WorkError, Workload};

/// Parameters of `drill`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultInjection {
    /// Units of work.
    pub units: u64,
    /// What goes wrong.
    pub fault: Fault,
    /// In which unit (0-based).
    pub unit: u64,
    /// Files that each unit leaves in the slot's folder.
    #[serde(default)]
    pub files: u64,
}

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// The flow aborts (SIGABRT).
    Abort,
    /// The flow panics.
    Panic,
    /// The flow never ends.
    Hang,
    /// Each repetition proves something else.
    Wrong,
}

const STEPS: u64 = 100_000;

impl FaultInjection {
    /// The body, with the folder of its slot.
    #[must_use]
    pub fn body<'a>(&'a self, folder: Option<&'a Path>) -> Drilled<'a> {
        Drilled {
            drill: self,
            folder: folder.unwrap_or(Path::new(".")),
        }
    }
}

/// A drill about to run.
#[derive(Debug)]
pub struct Drilled<'a> {
    drill: &'a FaultInjection,
    folder: &'a Path,
}

impl Drilled<'_> {
    fn leave_files(&self, unit: u64) {
        for number in 0..self.drill.files {
            let file = self.folder.join(format!("{unit}-{number}"));
            if let Err(error) = std::fs::write(&file, "a drill") {
                panic!("a drill cannot write {}: {error}", file.display());
            }
        }
    }
}

impl Body for Drilled<'_> {
    type State = ();
    const SENDS: bool = false;

    fn units(&self) -> u64 {
        self.drill.units
    }

    fn state(&self, _flow: usize) {}

    fn unit(&self, _state: &mut (), unit: u64, _outlet: &mut Outlet<'_>) -> Proof {
        let mut checksum = spin(unit, STEPS);
        self.leave_files(unit);
        if unit == self.drill.unit {
            checksum = go_wrong(self.drill.fault, checksum);
        }
        Proof { count: 1, checksum }
    }
}

fn go_wrong(fault: Fault, checksum: u64) -> u64 {
    match fault {
        Fault::Abort => std::process::abort(),
        Fault::Panic => panic!("a drill: this flow panics"),
        Fault::Hang => loop {
            std::thread::park();
        },
        Fault::Wrong => checksum ^ measure::clock::now_ns(),
    }
}

impl Workload for FaultInjection {
    fn units(&self) -> u64 {
        self.units
    }

    fn check(&self) -> Result<(), WorkError> {
        let Self { unit, units, .. } = self;
        require(unit < units, || {
            format!("drill has {units} units, numbered from 0: {unit} is none of them")
        })
    }

    fn run(&self, slot: &SlotProcess<Work>) -> Answer {
        slot.run(&self.body(slot.scratch()), &mut NoSink)
    }

    fn files(&self) -> Option<Files<'_>> {
        (self.files > 0).then_some(Files::SMALL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    const DRILL: FaultInjection = FaultInjection {
        units: 3,
        fault: Fault::Wrong,
        unit: 1,
        files: 0,
    };

    #[test]
    fn only_the_unit_of_the_fault_goes_wrong() {
        let prove = |unit| testing::prove(&DRILL.body(None), &mut (), unit);
        assert_eq!(prove(0), prove(0));
        assert_ne!(prove(1), prove(1));
    }

    #[test]
    fn a_fault_in_no_unit_is_refused() {
        testing::refused(&DRILL, &[(|drill| drill.unit = 3, "3 is none of them")]);
    }
}
