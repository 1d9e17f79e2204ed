//! Counting primes in ascending order and passing on each `every`-th: [`Tally::prime`] for one,
//! [`Tally::skip`] for a stretch in which none is due.

use super::Found;

pub(super) struct Tally<E> {
    every: u64,
    due: u64,
    found: Found,
    emit: E,
}

impl<E: FnMut(u64, u64)> Tally<E> {
    pub(super) fn after(before: u64, every: u64, emit: E) -> Self {
        let due = match every {
            0 => u64::MAX,
            every => (before / every + 1).saturating_mul(every),
        };
        let found = Found {
            count: before,
            checksum: 0,
        };
        Self {
            every,
            due,
            found,
            emit,
        }
    }

    #[inline]
    pub(super) fn prime(&mut self, prime: u64) {
        self.found.count += 1;
        if self.found.count == self.due {
            self.emit(prime);
        }
    }

    #[inline]
    pub(super) fn skip(&mut self, primes: u64) -> bool {
        let free = self.found.count + primes < self.due;
        self.found.count += if free { primes } else { 0 };
        free
    }

    fn emit(&mut self, prime: u64) {
        self.found.checksum = self.found.checksum.wrapping_add(mix(self.due, prime));
        (self.emit)(self.due, prime);
        self.due = self.due.saturating_add(self.every);
    }

    pub(super) fn found(self) -> Found {
        self.found
    }
}

/// The finaliser of SplitMix64: a wrong pair or two exchanged ones change the sum.
fn mix(ordinal: u64, prime: u64) -> u64 {
    let mut x = prime ^ ordinal.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
