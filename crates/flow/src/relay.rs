//! A bounded queue from one flow to another, in memory that all flows of a slot process share: the
//! same under every model, made before any flow exists. It hands over words. Flows that share a
//! heap may leave the rest there, under the number of the slot; others must copy all into the slot.
//! ```text
//! ┌ head │ tail │ reader waits │ writer waits ┬ slot 0 ┬ slot 1 ┬ …
//! └ each on its own 128 bytes ────────────────┴ words ─┴────────┴──
//! ```
//! One writer, one reader. `head` counts entries written, `tail` entries read; both only grow
//! (wrapping, so the slots are a power of two). Each side waits for the other's counter
//! ([`crate::futex`]), for that of a dead flow until the deadline. All words are atomic: two
//! writers, or a dead one, leave wrong words and never undefined behaviour.

use std::io;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use sys::{CachePadded, Pages, Shareable, Shared};

use crate::futex;

/// All-zero bytes are an empty queue.
#[repr(C)]
#[derive(Debug)]
struct Header {
    head: CachePadded<AtomicU32>,
    tail: CachePadded<AtomicU32>,
    reader_waits: CachePadded<AtomicU32>,
    writer_waits: CachePadded<AtomicU32>,
}

const LINE_WORDS: usize = 16;

// SAFETY: atomics.
unsafe impl Shareable for Header {}

/// A bounded queue of one writer and one reader.
#[derive(Debug)]
pub struct Relay {
    memory: Shared<Header, AtomicU64>,
    slots: u32,
    words: usize,
}

impl Relay {
    /// A queue of at least `slots` slots (the next power of two), each of `words` words.
    pub fn new(slots: u32, words: usize) -> io::Result<Self> {
        let too_large = || io::Error::other("a queue would exceed the address space");
        let slots = slots.max(1).checked_next_power_of_two();
        let slots = slots.ok_or_else(too_large)?;
        let words = words.max(1).checked_next_multiple_of(LINE_WORDS);
        let words = words.ok_or_else(too_large)?;
        let all = words.checked_mul(slots as usize).ok_or_else(too_large)?;
        Ok(Self {
            memory: Shared::new(all, Pages::AtOnce)?,
            slots,
            words,
        })
    }

    /// How many entries fit.
    #[must_use]
    pub fn slots(&self) -> u32 {
        self.slots
    }

    /// Its address and its bytes.
    #[must_use]
    pub fn memory(&self) -> (usize, usize) {
        self.memory.memory()
    }

    /// Writes one entry, asleep while there is no room. `write` gets the slot's number and words.
    pub fn push<T>(&self, write: impl FnOnce(u32, &[AtomicU64]) -> T) -> T {
        let header = self.header();
        let head = header.head.0.load(Ordering::Relaxed);
        let full = |tail: u32| head.wrapping_sub(tail) >= self.slots;
        futex::sleep_while(&header.tail.0, &header.writer_waits.0, full);
        let slot = head % self.slots;
        let written = write(slot, self.slot(slot));
        advance(&header.head.0, head, &header.reader_waits.0);
        written
    }

    /// Reads the oldest entry, asleep while there is none; as [`Relay::push`].
    pub fn pop<T>(&self, read: impl FnOnce(u32, &[AtomicU64]) -> T) -> T {
        let header = self.header();
        let tail = header.tail.0.load(Ordering::Relaxed);
        futex::sleep_while(&header.head.0, &header.reader_waits.0, |head| head == tail);
        let slot = tail % self.slots;
        let taken = read(slot, self.slot(slot));
        advance(&header.tail.0, tail, &header.writer_waits.0);
        taken
    }

    fn header(&self) -> &Header {
        self.memory.header()
    }

    fn slot(&self, slot: u32) -> &[AtomicU64] {
        let first = slot as usize * self.words;
        &self.memory.rows()[first..first + self.words]
    }
}

fn advance(counter: &AtomicU32, value: u32, flag: &AtomicU32) {
    counter.store(value.wrapping_add(1), Ordering::SeqCst);
    futex::stir(flag);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends `entries` through a queue and says whether they came in order, whole.
    fn send(relay: &Relay, entries: u64) {
        for entry in 0..entries {
            relay.push(|_, words| {
                for (place, word) in (0..).zip(words) {
                    word.store(entry * 31 + place, Ordering::Relaxed);
                }
            });
        }
    }

    fn came_in_order(relay: &Relay, entries: u64) -> bool {
        let whole = |entry: u64, words: &[AtomicU64]| {
            let mut words = (0..).zip(words);
            words.all(|(place, word)| word.load(Ordering::Relaxed) == entry * 31 + place)
        };
        (0..entries).all(|entry| relay.pop(|_, words| whole(entry, words)))
    }

    #[test]
    fn entries_come_in_order_between_threads_through_a_full_and_an_empty_queue() {
        for slots in [1, 4, 64] {
            let relay = Relay::new(slots, 20).unwrap();
            std::thread::scope(|scope| {
                scope.spawn(|| send(&relay, 50_000));
                assert!(came_in_order(&relay, 50_000));
            });
        }
    }

    #[test]
    fn slots_are_a_power_of_two_and_lie_apart() {
        let relay = Relay::new(5, 17).unwrap();
        assert_eq!(relay.slots(), 8);
        let first = relay.slot(0).as_ptr().addr();
        let last = relay.slot(7);
        assert_eq!(first % 128, 0);
        let end = last.as_ptr().addr() + size_of_val(last);
        let (base, bytes) = relay.memory();
        assert!((base..=base + bytes).contains(&end) && bytes >= 8 * 32 * 8);
    }

    #[test]
    fn each_entry_is_told_its_slot() {
        let relay = Relay::new(2, 1).unwrap();
        let slots: Vec<u32> = (0..5)
            .map(|_| {
                let pushed = relay.push(|slot, _| slot);
                assert_eq!(relay.pop(|slot, _| slot), pushed);
                pushed
            })
            .collect();
        assert_eq!(slots, [0, 1, 0, 1, 0]);
    }

    #[test]
    fn what_cannot_be_mapped_is_refused() {
        assert!(Relay::new(u32::MAX, 1).is_err());
        assert!(Relay::new(1 << 20, usize::MAX / 4).is_err());
    }
}
