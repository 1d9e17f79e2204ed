//! `allocate`: flows that take memory and free it, in the patterns by which allocators are compared (docs/malloc.md). A
//! block is used for one word: a difference here is the most that another allocator can bring.
//!
//! | pattern | what each flow does | after |
//! |---|---|---|
//! | `churn` | replaces random ones of 16,384 blocks of 16 to 1,015 bytes | |
//! | `larson` | replaces random ones of 1,000 blocks of 10 to 500 bytes; after a unit another flow takes them over, as requests of a server end in other threads than they began in | P. Larson, M. Krishnan, "Memory allocation for long-running server applications", 1998 |
//! | `mstress` | takes blocks of 8 bytes to 512, 1 in 100 a hundred to ten thousand times as large, keeps half of them to the end, and exchanges random ones with other flows; writes every word | mstress of mimalloc-bench |
//! | `cache-thrash` | takes 8 bytes, writes them often, frees them | E. Berger and others, "Hoard", 2000 |
//! | `cache-scratch` | the same, and the first block is one of many that the parent took side by side | the same |
//!
//! Deliberately not done: new threads all the while, and operations counted in a fixed time, as in the originals: every
//! model proves the same. A flow alone in its process gets its own blocks back. Self-check: the first word of a block
//! is its size, compared when it is freed. Sizes and places follow from seed and unit.

use std::hint::black_box;
use std::sync::{Mutex, PoisonError};

use flow::{Answer, Body, NoSink, Outlet, Proof, SlotProcess};
use serde::{Deserialize, Serialize};

use crate::draw::{Draw, mix};
use crate::{Work, WorkError, Workload};

/// Parameters of `allocate`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allocate {
    /// What each flow does.
    pub pattern: Pattern,
    /// Units of work.
    pub units: u64,
    /// Blocks taken in each of them.
    pub blocks: u32,
    /// Seed of sizes and places.
    #[serde(default)]
    pub seed: u64,
}

/// How blocks are taken and freed: see the table at the top of this file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// Random ones are replaced.
    Churn,
    /// Random ones are replaced, and another flow takes over.
    Larson,
    /// Many sizes; some are kept, some exchanged.
    Mstress,
    /// A small one is written often.
    CacheThrash,
    /// The same, beginning with one that the parent took.
    CacheScratch,
}

const CHURNED: usize = 1 << 14;
const SERVED: usize = 1_000;
/// Places in which flows of `mstress` exchange blocks.
const TRANSFERS: u32 = 1_000;
const WRITES: u64 = 100;
/// Blocks that the parent takes side by side for `cache-scratch`, a flow each.
const GIFTS: usize = 1 << 10;
const MOST: u64 = 1 << 32;

type Block = Option<Vec<u64>>;

#[inline]
fn take(bytes: u64) -> Block {
    let words = bytes.div_ceil(8).max(1);
    let mut block = Vec::with_capacity(words as usize);
    block.push(words);
    black_box(Some(block))
}

fn filled(mut block: Block) -> Block {
    if let Some(block) = &mut block {
        block.resize(block.capacity(), block[0]);
    }
    black_box(block)
}

#[inline]
fn free(block: Block) {
    if let Some(block) = black_box(block) {
        let words = block.capacity() as u64;
        assert!(
            block[0] == words,
            "a block of {words} words says {}",
            block[0]
        );
    }
}

fn swap<T>(place: &Mutex<T>, own: T) -> T {
    std::mem::replace(
        &mut place.lock().unwrap_or_else(PoisonError::into_inner),
        own,
    )
}

/// What the flows of a slot exchange.
#[derive(Debug)]
pub struct Exchange<'a> {
    work: &'a Allocate,
    blocks: Vec<Mutex<Block>>,
    held: Mutex<Vec<Block>>,
}

impl Allocate {
    fn exchange(&self) -> Exchange<'_> {
        let gift = |place| match self.pattern {
            Pattern::CacheScratch => Some(take(8)),
            Pattern::Mstress => (place < TRANSFERS as usize).then_some(None),
            _ => None,
        };
        Exchange {
            work: self,
            blocks: (0..GIFTS).map_while(gift).map(Mutex::new).collect(),
            held: Mutex::default(),
        }
    }
}

#[derive(Debug, Default)]
struct Taken(Proof);

impl Taken {
    #[inline]
    fn block(&mut self, bytes: u64) -> Block {
        self.0.count += 1;
        self.0.checksum = self.0.checksum.wrapping_add(mix(bytes));
        take(bytes)
    }
}

impl Exchange<'_> {
    fn replace(&self, held: &mut [Block], draw: &mut Draw, (least, most): (u32, u32)) -> Taken {
        let mut taken = Taken::default();
        for _ in 0..self.work.blocks {
            let place = one_of(held, draw);
            let block = taken.block(draw.between(least, most).into());
            free(std::mem::replace(place, block));
        }
        taken
    }

    fn stress(&self, draw: &mut Draw) -> Taken {
        let mut taken = Taken::default();
        let (mut loose, mut kept) = (Vec::new(), Vec::new());
        let mut to_keep = self.work.blocks / 2;
        let mut to_take = self.work.blocks - to_keep;
        while to_take > 0 || to_keep > 0 {
            if to_keep == 0 || (draw.below(2) == 0 && to_take > 0) {
                to_take -= 1;
                loose.push(filled(taken.block(stress_bytes(draw, 5))));
            } else {
                to_keep -= 1;
                kept.push(filled(taken.block(stress_bytes(draw, 7))));
            }
            if draw.below(100) < 66 && !loose.is_empty() {
                free(one_of(&mut loose, draw).take());
            }
            if draw.below(4) == 0 && !loose.is_empty() {
                let own = one_of(&mut loose, draw);
                let place = &self.blocks[draw.below(TRANSFERS) as usize];
                *own = swap(place, own.take());
            }
        }
        loose.into_iter().chain(kept).for_each(free);
        taken
    }

    fn thrash(&self, own: &mut Block) -> Taken {
        let mut taken = Taken::default();
        for _ in 0..self.work.blocks {
            if let Some(block) = own {
                for _ in 0..WRITES {
                    block[0] = black_box(black_box(block[0]) + 1);
                }
                block[0] -= WRITES;
            }
            free(own.take());
            *own = taken.block(8);
        }
        taken
    }
}

#[inline]
fn one_of<'a>(some: &'a mut [Block], draw: &mut Draw) -> &'a mut Block {
    let place = draw.below(some.len() as u32) as usize;
    &mut some[place]
}

/// Powers of two in words, a few of them far larger.
fn stress_bytes(draw: &mut Draw, shifts: u32) -> u64 {
    let words = 1_u64 << draw.below(shifts);
    let larger = match draw.below(100) {
        0 => match draw.below(100) {
            0 => 10_000,
            1..=10 => 1_000,
            _ => 100,
        },
        _ => 1,
    };
    8 * words * larger
}

impl Body for Exchange<'_> {
    type State = Vec<Block>;
    const SENDS: bool = false;

    fn units(&self) -> u64 {
        self.work.units
    }

    fn state(&self, flow: usize) -> Vec<Block> {
        match self.work.pattern {
            Pattern::Churn => vec![None; CHURNED],
            Pattern::Larson => vec![None; SERVED],
            Pattern::Mstress => Vec::new(),
            Pattern::CacheThrash => vec![None],
            Pattern::CacheScratch => vec![swap(&self.blocks[flow % GIFTS], None)],
        }
    }

    fn unit(&self, held: &mut Vec<Block>, unit: u64, _outlet: &mut Outlet<'_>) -> Proof {
        let draw = &mut Draw::new(self.work.seed, unit);
        let taken = match self.work.pattern {
            Pattern::Churn => self.replace(held, draw, (16, 1_015)),
            Pattern::Larson => {
                let taken = self.replace(held, draw, (10, 500));
                *held = swap(&self.held, std::mem::take(held));
                held.resize_with(SERVED, || None);
                taken
            }
            Pattern::Mstress => self.stress(draw),
            Pattern::CacheThrash | Pattern::CacheScratch => self.thrash(&mut held[0]),
        };
        taken.0
    }
}

impl Workload for Allocate {
    fn units(&self) -> u64 {
        self.units
    }

    fn check(&self) -> Result<(), WorkError> {
        for (name, value) in [("units", self.units), ("blocks", self.blocks.into())] {
            if value == 0 || value > MOST {
                return Err(WorkError(format!("{name} is {value}: use 1 to {MOST}")));
            }
        }
        Ok(())
    }

    fn run(&self, slot: &SlotProcess<Work>) -> Answer {
        slot.run(&self.exchange(), &mut NoSink)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Pattern; 5] = [
        Pattern::Churn,
        Pattern::Larson,
        Pattern::Mstress,
        Pattern::CacheThrash,
        Pattern::CacheScratch,
    ];

    fn work(pattern: Pattern) -> Allocate {
        Allocate {
            pattern,
            units: 6,
            blocks: 5_000,
            seed: 3,
        }
    }

    /// The units of `work`, dealt out to flows that take turns.
    fn proved(work: &Allocate, flows: usize) -> Proof {
        let body = work.exchange();
        let mut states: Vec<_> = (0..flows).map(|flow| body.state(flow)).collect();
        let outlet = &mut Outlet::nowhere();
        let unit = |unit: u64| body.unit(&mut states[unit as usize % flows], unit, outlet);
        (0..work.units).map(unit).sum()
    }

    #[test]
    fn the_proof_does_not_depend_on_who_did_which_unit() {
        for pattern in ALL {
            let work = work(pattern);
            let one = proved(&work, 1);
            assert_eq!(one, proved(&work, 3), "{pattern:?}");
            assert_eq!(one.count, 6 * 5_000);
        }
    }

    #[test]
    fn another_seed_is_other_work_where_sizes_are_drawn() {
        for pattern in [Pattern::Churn, Pattern::Larson, Pattern::Mstress] {
            let other = Allocate {
                seed: 4,
                ..work(pattern)
            };
            assert_ne!(proved(&work(pattern), 2), proved(&other, 2), "{pattern:?}");
        }
    }

    #[test]
    #[should_panic(expected = "a block of 4 words says 5")]
    fn a_block_that_was_overwritten_is_found() {
        let mut block = take(32).unwrap_or_default();
        block[0] = 5;
        free(Some(block));
    }

    #[test]
    fn amounts_that_no_run_can_have_are_refused() {
        let none = Allocate {
            units: 0,
            ..work(Pattern::Churn)
        };
        let said = none.check().map_err(|error| error.to_string());
        assert_eq!(said, Err(format!("units is 0: use 1 to {MOST}")));
        assert!(work(Pattern::Larson).check().is_ok());
    }
}
