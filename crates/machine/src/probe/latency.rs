use std::collections::BTreeMap;
use std::fmt;

use measure::Measured;
use serde::{Deserialize, Serialize};

use super::chase::{Chase, PASSES, Random, median, too_little};
use super::pages::{Block, PageKind};
use crate::topology::Cache;

const LINE: u64 = 64;
const LINE_WORDS: u64 = 8;
/// Larger blocks are not walked to their end in each pass.
const STEPS: u64 = 200_000;
/// A block this many times the last cache is nearly all outside of it.
const BEYOND: u64 = 4;
/// Linking the lines of a larger block takes seconds.
const LARGEST: u64 = 2 << 30;

/// Assumed if the machine shows none: larger ones are rare.
const UNKNOWN_LAST: u64 = 32 << 20;

/// The time to answer of one level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Level of the cache; `None` is the memory.
    pub level: Option<u32>,
    /// Bytes over which the chase goes.
    pub bytes: u64,
    /// Bytes of the last cache, if the chase is too small to exceed it: so much may be cached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
    /// What it found.
    pub answer: Measured<Answer>,
}

/// How a level answers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// ns to answer a load.
    pub ns: f64,
    /// How the bytes were mapped.
    pub pages: PageKind,
}

impl fmt::Display for Latency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.level {
            Some(level) => write!(f, "level {level} cache"),
            None => f.write_str("memory"),
        }
    }
}

type Sizes = BTreeMap<u32, u64>;

pub(super) fn probe(caches: Measured<&Vec<Cache>>, room: u64) -> (Measured<Vec<Latency>>, Latency) {
    let sizes = sizes(caches);
    let (memory, cached) = memory_bytes(sizes.value());
    let all = sizes.value().into_iter().flatten();
    let halves = all.map(|(_, size)| size / 2);
    let largest = halves.chain([memory]).filter(|bytes| *bytes <= room).max();
    let mut block = block(largest.unwrap_or(0));
    let mut latency = |level, bytes, cached| Latency {
        level,
        bytes,
        cached,
        answer: answer(&mut block, bytes, room),
    };
    let caches = sizes.map(|sizes| {
        let each = sizes.into_iter();
        each.map(|(level, size)| latency(Some(level), size / 2, None))
            .collect()
    });
    let memory = latency(None, memory, cached);
    (caches, memory)
}

fn sizes(caches: Measured<&Vec<Cache>>) -> Measured<Sizes> {
    caches.and_then(|caches| {
        let data = caches.iter().filter(|cache| cache.kind != "Instruction");
        let sizes: Sizes = data
            .filter_map(|cache| Some((cache.level, cache.bytes?)))
            .collect();
        let sizes = Some(sizes).filter(|sizes| !sizes.is_empty());
        Measured::of(sizes, "the kernel tells no size of any cache", "")
    })
}

fn memory_bytes(sizes: Option<&Sizes>) -> (u64, Option<u64>) {
    let last = sizes.and_then(|sizes| sizes.values().max().copied());
    let last = last.unwrap_or(UNKNOWN_LAST);
    let wanted = BEYOND * last;
    (wanted.min(LARGEST), (wanted > LARGEST).then_some(last))
}

fn block(bytes: u64) -> Measured<(Block, PageKind)> {
    let of = |kind| Block::new(bytes as usize, kind).map(|block| (block, kind));
    match of(PageKind::Huge) {
        huge @ Measured::Value(_) => huge,
        Measured::NotAvailable { .. } => of(PageKind::Small),
    }
}

fn answer(block: &mut Measured<(Block, PageKind)>, bytes: u64, room: u64) -> Measured<Answer> {
    if bytes > room {
        return too_little(bytes, room);
    }
    block.as_mut().map(|(block, pages)| Answer {
        ns: chase(block, bytes),
        pages: *pages,
    })
}

fn chase(block: &mut Block, bytes: u64) -> f64 {
    let lines = (bytes / LINE).max(2);
    let places = (0..lines).map(|line| line * LINE_WORDS).collect();
    let chase = Chase::link(block.words(), places, &mut Random(bytes));
    chase.ns_a_step(lines);
    let steps = STEPS.min(lines * 64);
    median((0..PASSES).map(|_| chase.ns_a_step(steps)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, guest};

    fn with_caches(sizes: &[&str]) -> Fixture {
        let caches = sizes.iter().enumerate();
        caches.fold(guest(), |tree, (index, size)| {
            let level = (index + 1).to_string();
            tree.cache((0, index), [&level, "Unified", size, "0"])
        })
    }

    #[test]
    fn each_level_answers_over_half_of_it_and_memory_beyond_the_last() {
        let machine = with_caches(&["32K", "256K"]).machine();
        let (caches, memory) = probe(machine.topology.caches.as_ref(), 64 << 20);
        let caches = caches.into_value().unwrap();
        let over: Vec<_> = caches.iter().map(|one| (one.level, one.bytes)).collect();
        assert_eq!(over, [(Some(1), 16 << 10), (Some(2), 128 << 10)]);
        assert_eq!((memory.level, memory.bytes), (None, 1 << 20));
        for latency in caches.iter().chain([&memory]) {
            assert!(latency.answer.value().unwrap().ns > 0.0, "{latency}");
        }
    }

    #[test]
    fn a_level_that_does_not_fit_is_there_with_what_it_takes() {
        let machine = with_caches(&["32K", "64M"]).machine();
        let (caches, memory) = probe(machine.topology.caches.as_ref(), 16 << 20);
        let caches = caches.into_value().unwrap();
        assert!(caches[0].answer.value().is_some());
        for (latency, takes) in [(&caches[1], "32.0 MiB"), (&memory, "256.0 MiB")] {
            let said = latency.answer.as_ref().map(|_| "a value").to_string();
            assert!(said.contains(&format!("it takes {takes}")), "{said}");
            assert!(said.contains("16.0 MiB may be used"), "{said}");
        }
    }

    #[test]
    fn memory_answers_where_no_cache_is_told_of() {
        let (caches, memory) = probe(guest().machine().topology.caches.as_ref(), 256 << 20);
        assert!(caches.value().is_none());
        assert_eq!(memory.bytes, 128 << 20);
        assert!(memory.answer.value().is_some());
    }

    #[test]
    fn no_block_is_larger_than_the_largest() {
        let sizes = Sizes::from([(3, 1 << 30)]);
        assert_eq!(memory_bytes(Some(&sizes)), (LARGEST, Some(1 << 30)));
    }

    #[test]
    fn memory_lies_four_times_beyond_a_last_cache_of_more_than_128_mib() {
        let sizes = Sizes::from([(3, 480 << 20)]);
        assert_eq!(memory_bytes(Some(&sizes)), (1920 << 20, None));
    }
}
