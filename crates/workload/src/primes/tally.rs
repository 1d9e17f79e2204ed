//! Counting primes in ascending order and passing on each `every`-th: [`Tally::prime`] for one,
//! [`Tally::skip`] for a stretch in which none is due.

use flow::Proof;

use crate::draw::{STEP, mix};

pub(super) struct Tally<E> {
    every: u64,
    due: u64,
    found: Proof,
    emit: E,
}

impl<E: FnMut(u64, u64)> Tally<E> {
    pub(super) fn after(before: u64, every: u64, emit: E) -> Self {
        let due = match every {
            0 => u64::MAX,
            every => (before / every + 1).saturating_mul(every),
        };
        let found = Proof {
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
        // A wrong pair or two exchanged ones change the sum.
        let mixed = mix(prime ^ self.due.wrapping_mul(STEP));
        self.found.checksum = self.found.checksum.wrapping_add(mixed);
        (self.emit)(self.due, prime);
        self.due = self.due.saturating_add(self.every);
    }

    pub(super) fn found(self) -> Proof {
        self.found
    }
}
