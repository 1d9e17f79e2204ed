//! `handoff`: flows in pairs, of which one allocates blocks and the other frees them
//! (docs/workloads/handoff.md). Flow 2k produces and flow 2k + 1 consumes, through a bounded queue
//! of their own ([`flow::Relay`]). A pair in one process hands over the pointer; in two processes
//! the producer copies the contents into the slot of the queue, in shared memory, and the consumer
//! copies them out into a block of its own. Self-check: sizes and contents follow from the seed,
//! and the consumer compares every word. The proof is known.

use std::collections::VecDeque;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use flow::{Answer, Body, NoSink, Outlet, Pieces, Proof, Relay, Schedule, SlotProcess, Variant};
use serde::{Deserialize, Serialize};

use crate::draw::Draw;
use crate::work::{at_least_1, require};
use crate::{Bytes, Scaled, Work, WorkError, Workload, usual};

/// Parameters of `handoff`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Handoff {
    /// Pairs of a producer and a consumer.
    pub pairs: u64,
    /// Blocks that each producer hands over in a repetition.
    pub blocks: u64,
    /// The smallest block.
    #[serde(default = "usual::bytes::<16>")]
    pub smallest: Bytes,
    /// The largest block.
    #[serde(default = "usual::bytes::<4_096>")]
    pub largest: Bytes,
    /// Blocks that may wait between producer and consumer: a power of two.
    #[serde(default = "usual::number_32::<64>")]
    pub queue: u32,
    /// Blocks that a consumer keeps before it frees the oldest.
    #[serde(default = "usual::number_32::<1_000>")]
    pub live: u32,
    /// Seed of sizes and contents.
    #[serde(default)]
    pub seed: u64,
}

const WORD: u64 = 8;
const MOST: Bytes = Bytes(1 << 20);
const LONGEST: u32 = 1 << 16;
/// With more blocks the proof is not computed beforehand (about a second).
const RECKONED: u64 = 200_000_000;
const STRIDE: u64 = 0x9e37_79b9_7f4a_7c15;

type Block = Box<[u64]>;

impl Handoff {
    /// An upper bound: mean size (each doubling is as likely) and spread of so many draws.
    fn bytes_of(&self, blocks: u64) -> u64 {
        let (smallest, largest) = (self.smallest.0, self.largest.0);
        let sizes = u64::from((largest / smallest).ilog2()) + 1;
        let mean = (2 * largest).div_ceil(sizes);
        let stray = largest.saturating_mul(blocks.isqrt());
        let likely = mean.saturating_mul(blocks).saturating_add(stray);
        likely.min(largest.saturating_mul(blocks))
    }

    fn plans(&self, pair: u64) -> impl Iterator<Item = Plan> {
        let mut draw = Draw::new(self.seed, pair);
        let (smallest, largest) = (self.smallest.0, self.largest.0);
        let doublings = (largest / smallest).ilog2();
        (0..self.blocks).map(move |_| {
            let most = smallest << draw.below(doublings + 1);
            let least = (most / 2).max(smallest);
            let bytes = draw.between(least as u32, most as u32);
            Plan {
                words: u64::from(bytes).div_ceil(WORD) as usize,
                first: draw.word(),
            }
        })
    }

    /// The pairs as flows of `variant`; an error where the queues cannot be mapped.
    pub fn pairs(&self, variant: &Variant) -> io::Result<Pairs<'_>> {
        let together = variant.model.shape(variant.flows);
        let in_one = u64::from(together.flows_in_each.max(1));
        let pair = |pair| {
            let common = together.processes == 0 || 2 * pair / in_one == (2 * pair + 1) / in_one;
            self.pair(common)
        };
        let pairs: io::Result<Vec<Pair>> = (0..self.pairs).map(pair).collect();
        Ok(Pairs {
            work: self,
            pairs: pairs?,
        })
    }

    fn pair(&self, common_heap: bool) -> io::Result<Pair> {
        let words = match common_heap {
            true => 1,
            false => 1 + (self.largest.0 / WORD) as usize,
        };
        let queue = Relay::new(self.queue, words)?;
        let places = (0..queue.slots()).map(|_| Mutex::default()).collect();
        Ok(Pair {
            queue,
            places: common_heap.then_some(places),
        })
    }
}

#[derive(Debug, Clone, Copy)]
struct Plan {
    words: usize,
    first: u64,
}

impl Plan {
    fn make(self) -> Block {
        let mut word = self.first;
        let words = (0..self.words).map(|_| {
            word = word.wrapping_add(STRIDE);
            word
        });
        words.collect()
    }

    fn is(self, block: &[u64]) -> bool {
        let mut wanted = self.first;
        block.len() == self.words
            && block.iter().all(|word| {
                wanted = wanted.wrapping_add(STRIDE);
                *word == wanted
            })
    }

    fn proof(self) -> Proof {
        Proof {
            count: 1,
            checksum: self.first.wrapping_mul(self.words as u64 | 1),
        }
    }
}

/// All pairs of a slot, with their queues.
#[derive(Debug)]
pub struct Pairs<'a> {
    work: &'a Handoff,
    pairs: Vec<Pair>,
}

#[derive(Debug)]
struct Pair {
    queue: Relay,
    places: Option<Vec<Mutex<Option<Block>>>>,
}

impl Pair {
    fn hand_over(&self, block: Block) {
        self.queue.push(|slot, words| match &self.places {
            Some(places) => *held(&places[slot as usize]) = Some(block),
            None => copy_in(&block, words),
        });
    }

    fn take(&self) -> Block {
        self.queue.pop(|slot, words| match &self.places {
            Some(places) => held(&places[slot as usize]).take().unwrap_or_default(),
            None => copy_out(words),
        })
    }
}

fn held(place: &Mutex<Option<Block>>) -> std::sync::MutexGuard<'_, Option<Block>> {
    place
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn copy_in(block: &[u64], slot: &[AtomicU64]) {
    slot[0].store(block.len() as u64, Ordering::Relaxed);
    for (place, word) in slot[1..].iter().zip(block) {
        place.store(*word, Ordering::Relaxed);
    }
}

fn copy_out(slot: &[AtomicU64]) -> Block {
    let words = slot[0].load(Ordering::Relaxed) as usize;
    let contents = slot[1..].iter().take(words);
    contents.map(|word| word.load(Ordering::Relaxed)).collect()
}

impl Pairs<'_> {
    fn produce(&self, pair: u64) -> Proof {
        let queue = &self.pairs[pair as usize];
        for plan in self.work.plans(pair) {
            queue.hand_over(plan.make());
        }
        Proof::default()
    }

    fn consume(&self, pair: u64, kept: &mut VecDeque<Block>) -> Proof {
        let queue = &self.pairs[pair as usize];
        let mut proof = Proof::default();
        for plan in self.work.plans(pair) {
            let block = queue.take();
            assert!(
                plan.is(&block),
                "block {} of pair {pair} is not the one that was handed over",
                proof.count
            );
            proof += plan.proof();
            kept.push_back(block);
            if kept.len() > self.work.live as usize {
                kept.pop_front();
            }
        }
        proof
    }
}

impl Body for Pairs<'_> {
    type State = VecDeque<Block>;
    const SENDS: bool = false;
    const TOUCHES: bool = true;

    fn units(&self) -> u64 {
        self.work.units()
    }

    fn describe(&self, unit: u64) -> String {
        let role = if unit.is_multiple_of(2) {
            "producer"
        } else {
            "consumer"
        };
        format!("{role} of pair {}", unit / 2 + 1)
    }

    fn state(&self, _flow: usize) -> VecDeque<Block> {
        VecDeque::with_capacity(self.work.live as usize + 1)
    }

    fn unit(&self, kept: &mut VecDeque<Block>, unit: u64, _outlet: &mut Outlet<'_>) -> Proof {
        match unit % 2 {
            0 => self.produce(unit / 2),
            _ => self.consume(unit / 2, kept),
        }
    }

    fn touched(&self, kept: &VecDeque<Block>, flow: usize, pieces: &mut Pieces) {
        let pair = &self.pairs[flow / 2];
        let (address, bytes) = pair.queue.memory();
        pieces.add(address, bytes);
        for block in kept {
            pieces.slice(block);
            if pair.places.is_some() {
                pieces.add_of(flow - 1, block.as_ptr().addr(), size_of_val(&**block));
            }
        }
    }
}

pub(crate) fn unsuited_to_wait(name: &str, variant: &Variant) -> Option<String> {
    if variant.model.is_user_level() {
        return Some(format!(
            "{name} has flows that wait for each other, and {} would wait for ever: its flows share \
             a carrier; use process, thread or a mix such as 2x2",
            variant.model
        ));
    }
    (variant.schedule == Schedule::Queue).then(|| {
        format!("{name} needs to know which flow waits for which: use schedule = \"static\"")
    })
}

impl Workload for Handoff {
    fn units(&self) -> u64 {
        self.pairs.saturating_mul(2)
    }

    fn check(&self) -> Result<(), WorkError> {
        at_least_1(&[("pairs", self.pairs), ("blocks", self.blocks)])?;
        let (smallest, largest, queue) = (self.smallest, self.largest, self.queue);
        let whole = |bytes: Bytes| bytes.0.is_power_of_two();
        require(smallest <= largest, || {
            format!("smallest = {smallest} is more than largest = {largest}: swap them")
        })?;
        require(smallest.0 >= WORD && largest <= MOST, || {
            format!("blocks of {smallest} to {largest} cannot be: use {WORD} bytes to {MOST}")
        })?;
        require(whole(smallest) && whole(largest), || {
            format!(
                "blocks of {smallest} to {largest}: both must be powers of two, such as 16 and 4K"
            )
        })?;
        require(queue.is_power_of_two() && queue <= LONGEST, || {
            format!("a queue of {queue} blocks cannot be: use a power of two up to {LONGEST}")
        })
    }

    fn run(&self, slot: &SlotProcess<Work>) -> Answer {
        match self.pairs(&slot.spec().variant) {
            Ok(pairs) => slot.run(&pairs, &mut NoSink),
            Err(error) => Answer::from_error(&error),
        }
    }

    fn flows(&self) -> Option<u64> {
        Some(self.units())
    }

    fn expected(&self) -> Option<Proof> {
        let all = self.blocks.checked_mul(self.pairs)?;
        let plans = (0..self.pairs).flat_map(|pair| self.plans(pair));
        (all <= RECKONED).then(|| plans.map(Plan::proof).sum())
    }

    fn unsuited(&self, variant: &Variant) -> Option<String> {
        unsuited_to_wait("handoff", variant)
    }

    /// An upper bound: half of what a pair has alive at once.
    fn bytes_a_flow(&self) -> Option<u64> {
        let kept = u64::from(self.live).min(self.blocks);
        let waiting = u64::from(self.queue).min(self.blocks);
        Some(self.bytes_of(kept + waiting + 2).div_ceil(2))
    }

    fn scaled(&self) -> Option<Scaled> {
        Some(Scaled {
            counted: "blocks",
            amount: self.pairs * self.blocks,
            flows_each: 2,
        })
    }

    fn with_parts(&self, _now: u32, pairs: u64) -> Option<Work> {
        Some(Work::Handoff(Self {
            pairs,
            ..self.clone()
        }))
    }
}

#[cfg(test)]
mod tests;
