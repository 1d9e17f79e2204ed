//! `mem`: workers that allocate, fill, verify and free large arrays (docs/workers.md): page faults,
//! zeroed pages and page tables, in one address space for threads, in one each for processes.
//!
//! Up to a threshold the C library serves blocks from a heap that is kept; above it each block is a
//! mapping, returned at once. The threshold follows what a program frees, up to 32 MiB. So arrays
//! are at least [`LEAST_BYTES`], mappings under every model and in every cycle. With `pause_us` an
//! array is written in as many steps as a cycle has loops, with a sleep after each. Self-check:
//! every integer is compared. The proof counts bytes that are right, known beforehand.

use std::collections::TryReserveError;
use std::hint::black_box;
use std::io;
use std::thread;
use std::time::Duration;

use flow::{Answer, Body, NoSink, Outlet, Proof, SlotProcess};
use serde::{Deserialize, Serialize};

use crate::work::require;
use crate::{Work, WorkError, Workload, usual};

/// Loops that make up one cycle.
pub const LOOPS_A_CYCLE: u64 = 300;
/// Bytes of an array where none are asked for.
pub const USUAL_BYTES: u64 = 50 << 20;
/// Smaller arrays need not be mappings of their own.
pub const LEAST_BYTES: u64 = 33 << 20;

/// The expected proof is computed array by array before the first slot.
const MOST_CYCLES: u64 = 100_000_000;

/// Parameters of `mem`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mem {
    /// Workers, one unit each.
    pub workers: u64,
    /// Loops of each worker; [`LOOPS_A_CYCLE`] are one cycle, of which there is at least one.
    pub loops: u64,
    /// Bytes of an array.
    #[serde(default = "usual::number::<USUAL_BYTES>")]
    pub bytes: u64,
    /// Microseconds of sleep after each step of an array; 0 writes an array at once.
    #[serde(default, skip_serializing_if = "is_none")]
    pub pause_us: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_none(pause_us: &u64) -> bool {
    *pause_us == 0
}

const INT: u64 = size_of::<u32>() as u64;

impl Mem {
    /// Arrays that each worker takes one after the other.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        (self.loops / LOOPS_A_CYCLE).max(1)
    }

    fn ints(&self) -> usize {
        (self.bytes / INT) as usize
    }

    fn step(&self) -> usize {
        self.ints().div_ceil(LOOPS_A_CYCLE as usize)
    }

    fn written(&self) -> usize {
        match self.pause_us {
            0 => self.ints(),
            _ => self
                .ints()
                .min(self.step().saturating_mul(self.loops as usize)),
        }
    }

    fn cycle(&self, first: u32) -> Result<Proof, TryReserveError> {
        let ints = self.written();
        let wanted = |place: usize| first.wrapping_add(place as u32);
        let mut array: Vec<u32> = Vec::new();
        array.try_reserve_exact(self.ints())?;
        let (step, pause) = match self.pause_us {
            0 => (ints.max(1), Duration::ZERO),
            pause => (self.step(), Duration::from_micros(pause)),
        };
        for begin in (0..ints).step_by(step) {
            array.extend((begin..ints.min(begin + step)).map(wanted));
            if !pause.is_zero() {
                thread::sleep(pause);
            }
        }
        let array = black_box(array);
        let right = array.iter().enumerate();
        let right = right.filter(|(place, int)| **int == wanted(*place)).count();
        Ok(proof(first, INT * right as u64))
    }
}

fn proof(first: u32, right: u64) -> Proof {
    Proof {
        count: right,
        checksum: u64::from(first).wrapping_mul(right),
    }
}

fn first_value(unit: u64, cycle: u64) -> u32 {
    (unit.wrapping_mul(2_654_435_761).wrapping_add(cycle) as u32) | 1
}

impl Body for Mem {
    type State = ();
    const SENDS: bool = false;

    fn units(&self) -> u64 {
        self.workers
    }

    fn describe(&self, unit: u64) -> String {
        format!(
            "{} arrays of {} bytes as worker {}",
            self.cycles(),
            self.bytes,
            unit + 1
        )
    }

    fn state(&self, _flow: usize) {}

    fn unit(&self, _state: &mut (), unit: u64, outlet: &mut Outlet<'_>) -> Proof {
        let mut proof = Proof::default();
        for cycle in 0..self.cycles() {
            match self.cycle(first_value(unit, cycle)) {
                Ok(one) => proof += one,
                Err(_full) => {
                    outlet.fail(io::Error::from_raw_os_error(libc::ENOMEM));
                    break;
                }
            }
        }
        proof
    }
}

impl Workload for Mem {
    flows_are!(workers);

    fn check(&self) -> Result<(), WorkError> {
        let (bytes, cycles) = (self.bytes, self.cycles());
        require(
            self.workers > 0 && self.loops > 0,
            || "mem needs workers and loops of at least 1",
        )?;
        require(bytes >= LEAST_BYTES && bytes.is_multiple_of(INT), || {
            format!(
                "arrays of {bytes} bytes will not do: smaller ones than {LEAST_BYTES} may come from \
                 a heap that is kept; take a multiple of {INT} from there on, such as {USUAL_BYTES}"
            )
        })?;
        let all = cycles.checked_mul(self.workers);
        require(all.is_some_and(|all| all <= MOST_CYCLES), || {
            format!(
                "{} loops are {cycles} arrays for each of {} workers, and more than {MOST_CYCLES} in \
                 all are not proved one by one: use at most {} loops",
                self.loops,
                self.workers,
                (MOST_CYCLES / self.workers).max(1) * LOOPS_A_CYCLE
            )
        })?;
        let at_once = self.workers.checked_mul(bytes);
        let all = at_once.and_then(|bytes| bytes.checked_mul(cycles));
        require(all.is_some(), || {
            format!(
                "{cycles} arrays of {bytes} bytes are more than can be counted: use fewer loops"
            )
        })
    }

    fn run(&self, slot: &SlotProcess<Work>) -> Answer {
        slot.run(self, &mut NoSink)
    }

    fn worker_kind(&self) -> Option<&'static str> {
        Some("mem")
    }

    fn expected(&self) -> Option<Proof> {
        let all = (0..self.workers).flat_map(|unit| (0..self.cycles()).map(move |c| (unit, c)));
        let written = INT * self.written() as u64;
        let proofs = all.map(|(unit, cycle)| proof(first_value(unit, cycle), written));
        Some(proofs.sum())
    }

    fn bytes_a_flow(&self) -> Option<u64> {
        Some(self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, prove_all};

    fn mem(workers: u64, loops: u64) -> Mem {
        Mem {
            workers,
            loops,
            bytes: LEAST_BYTES,
            pause_us: 0,
        }
    }

    #[test]
    fn a_worker_that_rests_proves_the_same() {
        let busy = mem(1, LOOPS_A_CYCLE);
        let resting = Mem {
            pause_us: 1,
            ..busy.clone()
        };
        assert_eq!(Some(prove_all(&resting)), busy.expected());
        let part = Mem {
            loops: LOOPS_A_CYCLE / 10,
            ..resting
        };
        let proved = prove_all(&part);
        assert_eq!(Some(proved), part.expected());
        assert_eq!(proved.count, INT * 30 * part.step() as u64);
    }

    #[test]
    fn workers_prove_what_is_expected_of_them() {
        let mem = mem(2, 2 * LOOPS_A_CYCLE);
        let proved = prove_all(&mem);
        assert_eq!(Some(proved), mem.expected());
        assert_eq!(proved.count, 2 * 2 * LEAST_BYTES);
    }

    #[test]
    fn few_loops_are_one_cycle() {
        assert_eq!(mem(1, 1).cycles(), 1);
        assert_eq!(mem(1, 9_000).cycles(), 30);
    }

    #[test]
    fn arrays_that_the_heap_might_keep_are_refused() {
        let usual = Mem {
            bytes: USUAL_BYTES,
            ..mem(1, 1)
        };
        testing::refused(
            &usual,
            &[
                (|mem| mem.bytes = 1 << 20, "arrays of 1048576 bytes"),
                (|mem| mem.bytes = 32 << 20, "arrays of 33554432 bytes"),
                (
                    |mem| mem.bytes = LEAST_BYTES + 1,
                    "arrays of 34603009 bytes",
                ),
                (|mem| mem.workers = 0, "at least 1"),
            ],
        );
    }

    /// Before the first slot 3e10 arrays were gone through, silently and for minutes.
    #[test]
    fn more_arrays_than_can_be_expected_one_by_one_are_refused() {
        let most = "use at most 15000000000 loops";
        testing::refused(
            &mem(2, LOOPS_A_CYCLE * MOST_CYCLES / 2),
            &[
                (|mem| mem.loops = 10_000_000_000_000, most),
                (|mem| mem.loops = u64::MAX, most),
            ],
        );
    }

    #[test]
    fn memory_that_is_not_there_fails_the_flow() {
        let huge = Mem {
            bytes: 1 << 62,
            ..mem(1, 1)
        };
        let outlet = &mut Outlet::nowhere();
        huge.unit(&mut (), 0, outlet);
        let error = outlet.failure().unwrap();
        assert_eq!(error.raw_os_error(), Some(libc::ENOMEM));
    }
}
