//! Process 0, the slot process, reserves the region, forks the others, which only serve, and makes
//! all flows; results come home to it. A process that dies takes along the flows that it had and
//! those under way to it; the others go on, and the error names process and lost flows.

use std::io;

use ::fiber::movable::{MovableFiber, MovableHandle, MoveError, Region};
use ::fiber::{Config, JoinError, Scheduler};

use super::forked::Forked;

const NAMED: usize = 10;

#[derive(Debug)]
pub(super) struct RegionMembers {
    pub(super) scheduler: Scheduler,
    region: Region,
    forked: Forked,
}

impl RegionMembers {
    /// Waits until all have joined; each then calls `beside`.
    pub(super) fn begin(
        config: Config,
        processes: usize,
        cpus: &[u32],
        beside: impl Fn(&Scheduler, usize) -> io::Result<()>,
    ) -> io::Result<Self> {
        let region = Region::reserve(config, processes).map_err(io::Error::other)?;
        let join = |number| {
            let scheduler = region.join(number).map_err(io::Error::other)?;
            beside(&scheduler, number).map(|()| scheduler)
        };
        let forked = Forked::fork(processes, cpus, |number| match join(number)?.serve() {
            true => Ok(()),
            false => Err(io::Error::other("the others are gone")),
        })?;
        let scheduler = join(0)?;
        forked.wait_until(|| (1..processes).all(|number| region.has_joined(number)))?;
        Ok(Self {
            scheduler,
            region,
            forked,
        })
    }

    pub(super) fn results<T>(&self, handles: Vec<MovableHandle<T>>) -> io::Result<Vec<T>> {
        let all = handles.len();
        let mut results = Vec::with_capacity(all);
        let mut lost = Lost::default();
        for (flow, handle) in handles.into_iter().enumerate() {
            match handle.join() {
                Ok(result) => results.push(result),
                Err(JoinError::Lost { process }) => lost.add(process, flow),
                Err(error) => return Err(io::Error::other(format!("flow {flow}: {error}"))),
            }
        }
        match lost.flows.is_empty() {
            true => Ok(results),
            false => Err(io::Error::other(lost.said(all))),
        }
    }

    pub(super) fn end(self) -> io::Result<()> {
        self.region.close();
        self.forked.dismiss()
    }
}

#[derive(Debug, Default)]
struct Lost {
    processes: Vec<usize>,
    flows: Vec<usize>,
}

impl Lost {
    fn add(&mut self, process: usize, flow: usize) {
        if !self.processes.contains(&process) {
            self.processes.push(process);
        }
        self.flows.push(flow);
    }

    /// `process 1 died, and 3 of 30 flows with it (flows 4, 7, 10); the other 27 ended`.
    fn said(&self, all: usize) -> String {
        let list = |numbers: &[usize]| {
            let said: Vec<String> = numbers.iter().map(usize::to_string).collect();
            said.join(", ")
        };
        let named = &self.flows[..self.flows.len().min(NAMED)];
        let more = if named.len() < self.flows.len() {
            ", ..."
        } else {
            ""
        };
        format!(
            "process {} died, and {} of {all} flows with it (flows {}{more}); the other {} ended",
            list(&self.processes),
            self.flows.len(),
            list(named),
            all - self.flows.len()
        )
    }
}

pub(super) fn go(fiber: &mut MovableFiber<'_>, to: usize) {
    // SAFETY: flows of this module keep numbers, values of their own arena, and references to
    // memory mapped at one address in every process.
    let moved = unsafe { fiber.move_to(to) };
    if let Err(error) = moved {
        refused(error);
    }
}

#[cold]
fn refused(error: MoveError) -> ! {
    measure::give_up(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_names_the_process_and_its_flows() {
        let mut lost = Lost::default();
        [4, 7].into_iter().for_each(|flow| lost.add(1, flow));
        assert_eq!(
            lost.said(30),
            "process 1 died, and 2 of 30 flows with it (flows 4, 7); the other 28 ended"
        );
        (10..30).for_each(|flow| lost.add(2, flow));
        let said = lost.said(30);
        assert!(
            said.starts_with("process 1, 2 died, and 22 of 30"),
            "{said}"
        );
        assert!(said.contains("16, 17, ...)"), "{said}");
    }
}
