//! The user's command or server as a workload; `program` launches and judges it.

use flow::{Answer, Failure, Proof, SlotProcess, Variant};
use program::{Copies, OfVariant, Program, Served};

use crate::workload::Files;
use crate::{Scaled, Work, WorkError, Workload};

impl Workload for Box<Program> {
    fn units(&self) -> u64 {
        self.units.unwrap_or(1)
    }

    fn check(&self) -> Result<(), WorkError> {
        Program::check(self).map_err(WorkError)
    }

    fn run(&self, slot: &SlotProcess<Work>) -> Answer {
        Program::run(self, slot)
    }

    fn flows(&self) -> Option<u64> {
        self.flows
    }

    fn set_flows(&mut self, flows: u64) {
        self.flows = Some(flows);
    }

    fn differs(&self, _expected: Proof, _got: Proof) -> Failure {
        program::differs()
    }

    fn unsuited(&self, variant: &Variant) -> Option<String> {
        Program::unsuited(self, variant)
    }

    fn makes_own_flows(&self) -> bool {
        true
    }

    fn program(&self) -> Option<&Program> {
        Some(self)
    }

    fn missing(&self) -> Option<String> {
        Program::missing(self)
    }

    fn files(&self) -> Option<Files<'_>> {
        self.needs_folder().then_some(Files::SMALL)
    }

    fn scaled(&self) -> Option<Scaled> {
        let each = self.copies == Copies::Of(OfVariant::Processes);
        let amount = self.units.filter(|_| each)?;
        Some(Scaled::by_flow("units", amount))
    }

    fn with_parts(&self, now: u32, parts: u64) -> Option<Work> {
        let mut more = self.clone();
        more.units = Some(self.units? / u64::from(now) * parts);
        Some(Work::Program(more))
    }
}

impl Workload for Box<Served> {
    fn served(&self) -> Option<&Served> {
        Some(self)
    }

    fn units(&self) -> u64 {
        1
    }

    fn check(&self) -> Result<(), WorkError> {
        Served::check(self).map_err(WorkError)
    }

    fn run(&self, slot: &SlotProcess<Work>) -> Answer {
        Served::run(self, slot)
    }

    fn flows(&self) -> Option<u64> {
        self.server.flows
    }

    fn set_flows(&mut self, flows: u64) {
        self.server.flows = Some(flows);
    }

    fn differs(&self, _expected: Proof, _got: Proof) -> Failure {
        program::differs()
    }

    fn unsuited(&self, variant: &Variant) -> Option<String> {
        Served::unsuited(self, variant)
    }

    fn makes_own_flows(&self) -> bool {
        true
    }

    fn program(&self) -> Option<&Program> {
        Some(&self.server)
    }

    fn missing(&self) -> Option<String> {
        self.server.missing()
    }

    fn files(&self) -> Option<Files<'_>> {
        self.needs_folder().then_some(Files::SMALL)
    }
}
