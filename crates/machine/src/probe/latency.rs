//! How long each cache and the memory take to answer.

use std::fmt;

use measure::Measured;
use serde::{Deserialize, Serialize};

use super::chase::{Chase, Random};
use super::pages::{Block, PageKind};
use super::{PASSES, median};
use crate::Machine;

/// Bytes and words of a line.
const LINE: u64 = 64;
const LINE_WORDS: u64 = 8;
/// Steps of a pass: a block of more lines is not walked to its end in each.
const STEPS: u64 = 200_000;
/// What lies this often beyond the last cache is in no cache, nearly.
const BEYOND: u64 = 4;
/// No block is larger.
const LARGEST: u64 = 512 << 20;

/// The time to answer of one level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Level of the cache; `None` is the memory.
    pub level: Option<u32>,
    /// Bytes over which the chase went.
    pub bytes: u64,
    /// How they were mapped.
    pub pages: PageKind,
    /// ns to answer a load.
    pub ns: f64,
}

impl fmt::Display for Latency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.level {
            Some(level) => write!(f, "level {level} cache"),
            None => f.write_str("memory"),
        }
    }
}

pub(super) fn probe(machine: &Machine, room: u64) -> Measured<Vec<Latency>> {
    let caches = machine.topology.caches.as_ref();
    let sizes = caches.map(|caches| {
        let data = caches.iter().filter(|cache| cache.kind != "Instruction");
        let sizes = data.filter_map(|cache| Some((cache.level, cache.bytes?)));
        sizes.collect::<std::collections::BTreeMap<u32, u64>>()
    });
    sizes.and_then(|sizes| {
        let mut wanted: Vec<(Option<u32>, u64)> = sizes
            .iter()
            .map(|(level, bytes)| (Some(*level), bytes / 2))
            .collect();
        let last = sizes.values().max().copied().unwrap_or(32 << 20);
        wanted.push((None, (BEYOND * last).min(LARGEST)));
        wanted.retain(|(_, bytes)| *bytes <= room.min(LARGEST));
        let Some(largest) = wanted.iter().map(|(_, bytes)| *bytes).max() else {
            return Measured::not_available("too little memory is free", "free some memory");
        };
        // Without huge pages the TLB has its part in the far ones; which it was is said.
        let huge = Block::new(largest as usize, PageKind::Huge)
            .into_value()
            .map(|block| (block, PageKind::Huge));
        let small =
            || Block::new(largest as usize, PageKind::Small).map(|block| (block, PageKind::Small));
        huge.map_or_else(small, Measured::Value)
            .map(|(mut block, pages)| {
                let one = |(level, bytes): (Option<u32>, u64)| Latency {
                    level,
                    bytes,
                    pages,
                    ns: chase(&mut block, bytes),
                };
                wanted.into_iter().map(one).collect()
            })
    })
}

fn chase(block: &mut Block, bytes: u64) -> f64 {
    let lines = (bytes / LINE).max(2);
    let places = (0..lines).map(|line| line * LINE_WORDS).collect();
    let chase = Chase::link(block.words(), places, &mut Random(bytes));
    // One walk over all of it, so that whatever fits is in the cache.
    chase.ns_a_step(lines);
    let steps = STEPS.min(lines * 64);
    median((0..PASSES).map(|_| chase.ns_a_step(steps)).collect())
}
