//! A ring of batches in shared memory, from one flow to the parent: one writer, one reader, sixteen
//! batches of the size of an atomic write to a pipe, so that channels differ only in how bytes
//! travel. `head` and `tail` count batches written and read, and wrap. A writer that finds it full
//! waits for `tail` ([`crate::futex`]); [`crate::notify`] wakes the reader.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use sys::{CachePadded, Shareable};

use crate::futex;

/// Writes to a pipe are atomic up to 4,096 bytes.
pub(crate) const BATCH_WORDS: usize = libc::PIPE_BUF / size_of::<u64>();
pub(crate) const HEAD_WORDS: usize = 3;
/// Results that fit in one batch.
pub const BATCH_VALUES: usize = BATCH_WORDS - HEAD_WORDS;

const BATCHES: u32 = 16;

/// All-zero bytes are an empty ring.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Ring {
    head: CachePadded<AtomicU32>,
    tail: CachePadded<AtomicU32>,
    writer_waits: CachePadded<AtomicU32>,
    batches: [CachePadded<[AtomicU64; BATCH_WORDS]>; BATCHES as usize],
}

// SAFETY: atomics.
unsafe impl Shareable for Ring {}

impl Ring {
    pub(crate) fn push(&self, words: &[u64]) {
        let head = self.head.0.load(Ordering::Relaxed);
        let is_full = |tail: u32| head.wrapping_sub(tail) >= BATCHES;
        futex::sleep_while(&self.tail.0, &self.writer_waits.0, is_full);
        let batch = &self.batches[(head % BATCHES) as usize].0;
        for (place, word) in batch.iter().zip(words) {
            place.store(*word, Ordering::Relaxed);
        }
        self.head.0.store(head.wrapping_add(1), Ordering::SeqCst);
    }

    pub(crate) fn pop(&self, words: &mut [u64; BATCH_WORDS]) -> bool {
        if self.is_empty() {
            return false;
        }
        let tail = self.tail.0.load(Ordering::Relaxed);
        let batch = &self.batches[(tail % BATCHES) as usize].0;
        for (word, place) in words.iter_mut().zip(batch) {
            *word = place.load(Ordering::Relaxed);
        }
        self.tail.0.store(tail.wrapping_add(1), Ordering::SeqCst);
        futex::stir(&self.writer_waits.0);
        true
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.head.0.load(Ordering::SeqCst) == self.tail.0.load(Ordering::Relaxed)
    }

    pub(crate) fn clear(&self) {
        for word in [&self.head, &self.tail, &self.writer_waits] {
            word.0.store(0, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared_memory::SharedMemory;

    #[test]
    fn ten_thousand_batches_arrive_in_order_through_a_full_ring() {
        let shared = SharedMemory::new(1, 1).unwrap();
        let ring = shared.ring(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for i in 0..10_000_u64 {
                    ring.push(&[i, i * 3]);
                }
            });
            let mut words = [0; BATCH_WORDS];
            for i in 0..10_000_u64 {
                while !ring.pop(&mut words) {
                    std::hint::spin_loop();
                }
                assert_eq!(words[..2], [i, i * 3]);
            }
        });
        assert!(ring.is_empty());
    }
}
