use std::io;

use measure::Measured;

use super::{Parts, gate};
use crate::flow_status::FlowStatus;
use crate::footprint::{self, Place};
use crate::record::footprint::Footprint;
use crate::shared_memory::SURVEY;
use crate::watch::WaitFor;

impl Parts<'_, '_> {
    /// At the end gate. An emulated flow's footprint is the emulator's and slow to get.
    pub(super) fn footprint(&mut self) -> io::Result<Option<Measured<Footprint>>> {
        if !self.context.facts.touches || self.context.recorded.is_some() {
            return Ok(None);
        }
        let board = match self.context.board {
            None => return Ok(Some(footprint::carried())),
            Some(Ok(board)) => board,
            Some(Err(error)) => {
                let reason = format!("no shared memory for lists of pages: {error}");
                return Ok(Some(Measured::not_available(reason, "use fewer flows")));
            }
        };
        gate(&self.resources.shared.header().end.0, SURVEY);
        self.wait(WaitFor::Surveyed)?;
        if let Some(how) = self.watch.first_death() {
            let reason = format!("a flow had died ({how})");
            return Ok(Some(Measured::not_available(reason, "")));
        }
        let page = footprint::page_bytes();
        Ok(Some(footprint::count(board, &self.places(), page)))
    }

    fn places(&self) -> Vec<Place> {
        let cpus = self.context.cpus;
        let flows = self.resources.shared.flows().iter().map(FlowStatus::ids);
        let places = flows.enumerate().map(|(flow, (pid, _))| Place {
            pid,
            core: (!cpus.is_empty()).then(|| footprint::core_of(cpus[flow % cpus.len()])),
        });
        places.collect()
    }
}
