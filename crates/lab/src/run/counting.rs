//! What the model of another machine counts of recorded traces, at the end of a slot or program.
//! Work that makes its own flows, and a user's program, are counted as a whole, cold caches too.
//! Traces are merged again with turns [`OTHER_TURN`] times as long, in [`ORDERS`] more orders, and
//! in parts of the window ([`PARTS`]).

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use flow::recording::traces;
use measure::Measured;
use simulate::trace::{EXEC, accesses_at_end};
use simulate::{Merged, Rule, Trace};

use crate::data::simulation::{OTHER_TURN, PARTS, Simulated, Simulation};

/// Lead of a core over the others.
const SLICE: u64 = 1_000;
/// One part in this many of recorded accesses warms up.
const WARM: u64 = 4;
/// Orders beside the first: five values of two sides that do not overlap are 1 of 126 chances.
const ORDERS: u64 = 4;

impl Simulation {
    /// Counts a slot's traces, flow by flow on these hardware threads; `None` if it was stopped.
    pub fn of_slot(
        &self,
        folder: &Path,
        on: &[u32],
        stopped: &dyn Fn() -> bool,
    ) -> Option<Measured<Simulated>> {
        let warm = |recorded: u64| recorded.min(self.window) / WARM;
        match self.counted(folder, on, &warm, None, stopped) {
            Ok(counted) => Some(Measured::Value(counted)),
            Err(_) if stopped() => None,
            Err(error) => Some(Measured::not_available(error.to_string(), "")),
        }
    }

    /// Counts what the traces of a program tell, its threads as flows on these hardware threads in
    /// the order of birth; `known` is what [`of_one_flow`](Self::of_one_flow) has counted of the
    /// first. Errors: the traces cannot be read, or it was stopped.
    pub fn of_program(
        &self,
        folder: &Path,
        on: &[u32],
        known: Option<Merged>,
        stopped: &dyn Fn() -> bool,
    ) -> io::Result<Simulated> {
        let warm = |recorded: u64| match recorded > self.window {
            true => self.window / WARM,
            false => 0,
        };
        self.counted(folder, on, &warm, known, stopped)
    }

    /// Counts a trace as the only one.
    pub fn of_one_flow(
        &self,
        tokens: impl Read,
        on: &[u32],
        stopped: &dyn Fn() -> bool,
    ) -> io::Result<Merged> {
        let (warm, most) = (0, u64::MAX);
        self.merged((1, 0), [Trace { tokens, warm, most }], on, stopped)
    }

    fn merged<R: Read>(
        &self,
        (times, order): (u64, u64),
        traces: impl IntoIterator<Item = Trace<R>>,
        on: &[u32],
        stopped: &dyn Fn() -> bool,
    ) -> io::Result<Merged> {
        let rule = Rule {
            turn: self.turn * times,
            slice: SLICE,
            timeslice: self.timeslice * times,
            order,
        };
        let place = |flow: u64| on.get(flow as usize % on.len().max(1)).copied();
        simulate::merge(&self.machine, self.page, rule, traces, place, stopped)
            .map_err(io::Error::other)
    }

    fn counted(
        &self,
        folder: &Path,
        on: &[u32],
        warm: &dyn Fn(u64) -> u64,
        known: Option<Merged>,
        stopped: &dyn Fn() -> bool,
    ) -> io::Result<Simulated> {
        let traces = traces(folder)?;
        let recorded = traces.iter().map(|trace| recorded(trace));
        let recorded: Vec<Option<u64>> = recorded.collect::<io::Result<_>>()?;
        let merged = |times, order, part: u64| {
            let files = traces.iter().zip(&recorded).map(|(trace, recorded)| {
                let warm = recorded.map_or(0, warm) / part;
                let most = match part {
                    1 => u64::MAX,
                    part => recorded.unwrap_or(u64::MAX).min(self.window) / part,
                };
                File::open(trace).map(|tokens| Trace { tokens, warm, most })
            });
            let files: Vec<Trace<File>> = files.collect::<io::Result<_>>()?;
            self.merged((times, order), files, on, stopped)
        };
        let is_all = matches!(recorded[..], [Some(only)] if only <= self.window);
        let first = match known.filter(|_| is_all) {
            Some(known) => known,
            None => merged(1, 0, 1)?,
        };
        let longer = self.share_a_core(&first).then(|| merged(OTHER_TURN, 0, 1));
        let orders = if first.flows.len() > 1 { ORDERS } else { 0 };
        let in_other_orders = (1..=orders).map(|order| merged(1, order, 1));
        let is_cut = recorded.iter().flatten().any(|one| *one > self.window);
        let parts = PARTS.iter().filter(|_| is_cut);
        let in_parts = parts.map(|&part| {
            let mut merged = merged(1, 0, part)?;
            for (flow, whole) in merged.flows.iter_mut().zip(&first.flows) {
                flow.accesses = whole.accesses;
            }
            Ok((part, merged))
        });
        Ok(Simulated {
            with_longer_turns: longer.transpose()?.map(Box::new),
            in_other_orders: in_other_orders.collect::<io::Result<_>>()?,
            in_parts: in_parts.collect::<io::Result<_>>()?,
            left_out_exec: folder.join(EXEC).exists(),
            merged: first,
        })
    }

    fn share_a_core(&self, merged: &Merged) -> bool {
        let flows = merged.flows.iter();
        let cores = flows.map(|flow| self.machine.core_of(flow.on));
        cores.collect::<BTreeSet<_>>().len() < merged.flows.len()
    }
}

fn recorded(trace: &Path) -> io::Result<Option<u64>> {
    let mut file = File::open(trace)?;
    let from = file.metadata()?.len().saturating_sub(16);
    file.seek(SeekFrom::Start(from))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    Ok(accesses_at_end(&tail))
}
