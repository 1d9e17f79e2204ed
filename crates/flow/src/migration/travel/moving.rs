use std::io;

use ::fiber::Config;
use ::fiber::movable::MovableFiber;

use super::Trips;
use super::state::{LINE, Line, arrive, put};
use crate::migration::region_members::{RegionMembers, go};
use crate::migration::times::Times;

/// From start value, laps and processes to the end value.
type Body = fn(&mut MovableFiber<'_>, (u64, u64, u64)) -> u64;

impl Trips {
    pub(super) fn moving(&self) -> io::Result<(Times, Vec<u64>)> {
        let mut times = Times::begin();
        // SAFETY: the stack has room for a trip's state and its frames, of which nothing is lent;
        // schedulers, of `RegionMembers`, are dropped locals.
        let config = unsafe { Config::kept(self.way, self.stack_bytes()) };
        let config = config.capacity(self.flows);
        let group = RegionMembers::begin(config, self.processes, &self.cpus, |_, _| Ok(()))?;
        let warm = self.all(&group, &self.starts(), 1, || {})?;
        let ends = self.all(&group, &warm, self.laps, || times.go())?;
        times.done();
        group.end()?;
        Ok((times.end(), ends))
    }

    fn all(
        &self,
        group: &RegionMembers,
        starts: &[u64],
        laps: u64,
        go: impl FnOnce(),
    ) -> io::Result<Vec<u64>> {
        let (ring, body) = (self.processes as u64, traveller(self.bytes));
        let spawn = |value: &u64| group.scheduler.spawn_movable((*value, laps, ring), body);
        let handles: Result<Vec<_>, _> = starts.iter().map(spawn).collect();
        let handles = handles.map_err(io::Error::other)?;
        go();
        group.results(handles)
    }
}

fn traveller(bytes: usize) -> Body {
    match bytes / LINE {
        0x1 => travels::<0x1>,
        0x2 => travels::<0x2>,
        0x4 => travels::<0x4>,
        0x8 => travels::<0x8>,
        0x10 => travels::<0x10>,
        0x20 => travels::<0x20>,
        0x40 => travels::<0x40>,
        0x80 => travels::<0x80>,
        0x100 => travels::<0x100>,
        0x200 => travels::<0x200>,
        0x400 => travels::<0x400>,
        0x800 => travels::<0x800>,
        0x1000 => travels::<0x1000>,
        0x2000 => travels::<0x2000>,
        _ => travels::<0x4000>,
    }
}

fn travels<const LINES: usize>(
    fiber: &mut MovableFiber<'_>,
    (value, laps, processes): (u64, u64, u64),
) -> u64 {
    let mut state = [Line::default(); LINES];
    put(&mut state, value);
    for _ in 0..laps {
        for hop in 1..=processes {
            let to = hop % processes;
            go(fiber, to as usize);
            arrive(&mut state, to);
        }
    }
    state[0][0]
}
