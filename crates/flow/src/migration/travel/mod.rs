//! State that goes around a ring of processes, by the means of [`By`] ([`moving`], [`handed`]).
//! ```text
//!  process 0 ──▶ process 1 ──▶ … ──▶ process P-1 ──▶ process 0      one lap: P moves
//! ```
//! Each process reads, checks and changes every line of the state ([`state`]): the end value is the
//! same by every means, and follows from all moves in their order. A hand-off brings one line.
//!
//! One lap before the time brings every page into every process. Then all the state goes around at
//! once, one move after the other with one flow, pipelined with many. By sockets never more than
//! one socket's worth is under way: both sides would wait for each other.

mod handed;
mod moving;
mod state;

use std::io;

use ::fiber::movable::Way;
use serde::{Deserialize, Serialize};

use super::forked::Spent;
use crate::start::guarded_bytes;
use crate::{Proof, SelfManagedRep};
use state::{LINE, next};

/// What takes state from one process to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// A flow that moves.
    #[default]
    Move,
    /// Nothing but a wake-up.
    HandOff,
    /// A copy into shared memory and one out of it.
    Memcpy,
    /// A socket.
    Socket,
}

/// Beside the state: for unwinding, and for unoptimised code.
const ROOM: usize = if cfg!(debug_assertions) {
    32 << 10
} else {
    8 << 10
};
/// For many flows of one line each.
const LITTLE_ROOM: usize = if cfg!(debug_assertions) { 8 << 10 } else { 960 };

/// State that goes around.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trips {
    /// What takes it along.
    pub by: By,
    /// How the stacks of flows lie in memory, where flows move.
    pub way: Way,
    /// Processes of the ring, at least 2.
    pub processes: usize,
    /// How many are under way at once.
    pub flows: usize,
    /// Bytes of each: a power of two.
    pub bytes: usize,
    /// How often each goes around.
    pub laps: u64,
    /// CPUs to which processes are bound in turn; none for free.
    pub cpus: Vec<u32>,
}

impl Trips {
    /// The largest state.
    pub const MOST_BYTES: usize = 1 << 20;
    /// The smallest one.
    pub const LEAST_BYTES: usize = LINE;

    /// Bytes of the stack of a flow that moves.
    #[must_use]
    pub fn stack_bytes(&self) -> usize {
        let room = match self.bytes {
            LINE => LITTLE_ROOM,
            _ => ROOM,
        };
        match self.way {
            Way::Isomalloc => self.bytes + room,
            Way::Copied | Way::Aliased => guarded_bytes((self.bytes + room) as u64) as usize,
        }
    }

    /// Moves that are timed.
    #[must_use]
    pub fn moves(&self) -> u64 {
        self.laps * (self.processes * self.flows) as u64
    }

    /// What one repetition must prove.
    #[must_use]
    pub fn expected(&self) -> Proof {
        let around = |value| (1..=self.processes).fold(value, |v, hop| next(v, self.at(hop)));
        let end = |flow: usize| (0..=self.laps).fold(flow as u64, |value, _| around(value));
        self.proof((0..self.flows).map(end))
    }

    fn at(&self, hop: usize) -> u64 {
        (hop % self.processes) as u64
    }

    fn proof(&self, ends: impl Iterator<Item = u64>) -> Proof {
        Proof {
            count: self.moves(),
            checksum: ends.fold(0, u64::wrapping_add),
        }
    }

    fn starts(&self) -> Vec<u64> {
        (0..self.flows as u64).collect()
    }

    /// Makes the processes and all trips. Errors: no room for it, or a process that ended early.
    pub fn run(&self) -> io::Result<SelfManagedRep> {
        let before = Spent::now()?;
        let (times, ends) = match self.by {
            By::Move => self.moving()?,
            By::HandOff => self.relayed(1)?,
            By::Memcpy => self.relayed(self.bytes / LINE)?,
            By::Socket => self.sent()?,
        };
        let made = match self.by {
            By::Move => self.flows,
            _ => self.processes,
        };
        let (usage, own) = Spent::now()?.since(before, made as u64, self.processes)?;
        let [create, steady, tear_down] = times.spans();
        Ok(SelfManagedRep {
            create,
            steady,
            tear_down,
            usage,
            units: self.moves(),
            proof: self.proof(ends.into_iter()),
            own,
            ..SelfManagedRep::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_proved_follows_from_the_order_of_processes() {
        let two = Trips {
            by: By::Move,
            way: Way::Isomalloc,
            processes: 2,
            flows: 3,
            bytes: 256,
            laps: 3,
            cpus: Vec::new(),
        };
        let three = Trips {
            processes: 3,
            ..two.clone()
        };
        assert_eq!(two.moves(), 18);
        assert_ne!(two.expected().checksum, three.expected().checksum);
    }
}
