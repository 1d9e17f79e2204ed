//! The pre-sieve: the multiples of 7 to 163 come from tables. Strikes of a set of primes repeat
//! after as many bytes as its product. Sixteen such patterns, ANDed with the widest words the
//! compiler has, strike 35 primes at the price of sixteen loads; one by one they would make up more
//! than half of all strikes. The caller puts the primes themselves back.
//!
//! The tables are made at compile time and shared, each [`BLOCK`] bytes longer than its period, so
//! the inner loop never wraps: about 145 KiB, in the second-level cache.

use super::wheel::{RESIDUES, bit};

const BLOCK: usize = 1024;

pub(super) const PRIMES: [u32; 35] = [
    7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101,
    103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163,
];

pub(super) const LARGEST: u32 = 163;

const fn pattern<const N: usize>(primes: &[usize]) -> [u8; N] {
    let mut bytes = [0xff; N];
    let mut k = 0;
    while k < primes.len() {
        let mut j = 0;
        while j < 8 {
            let multiple = primes[k] * RESIDUES[j] as usize;
            let mask = !(1 << bit(multiple % 30));
            let mut i = multiple / 30;
            while i < N {
                bytes[i] &= mask;
                i += primes[k];
            }
            j += 1;
        }
        k += 1;
    }
    bytes
}

macro_rules! tables {
    ($($name:ident: $($prime:literal)*;)*) => {
        $(static $name: [u8; 1 $(* $prime)* + BLOCK] = pattern(&[$($prime),*]);)*
        static TABLES: [(&[u8], usize); 16] = [$((&$name, 1 $(* $prime)*)),*];
    };
}

// Three small sets, then pairs of a small and a large prime: like periods, a low sum.
tables! {
    P7: 7 11 13 17;
    P19: 19 23 29;
    P31: 31 163;
    P37: 37 157;
    P41: 41 151;
    P43: 43 149;
    P47: 47 139;
    P53: 53 137;
    P59: 59 131;
    P61: 61 127;
    P67: 67 113;
    P71: 71 109;
    P73: 73 107;
    P79: 79 103;
    P83: 83 101;
    P89: 89 97;
}

pub(super) fn fill(bytes: &mut [u8], first: u64) {
    let mut places: [usize; 16] = std::array::from_fn(|t| (first % TABLES[t].1 as u64) as usize);
    for block in bytes.chunks_mut(BLOCK) {
        let windows: [&[u8]; 16] =
            std::array::from_fn(|t| &TABLES[t].0[places[t]..][..block.len()]);
        block.fill(0xff);
        for four in windows.as_chunks::<4>().0 {
            and4(block, *four);
        }
        for (place, (_, period)) in places.iter_mut().zip(&TABLES) {
            *place += BLOCK;
            if *place >= *period {
                *place %= period;
            }
        }
    }
}

fn and4(block: &mut [u8], [a, b, c, d]: [&[u8]; 4]) {
    let tables = a.iter().zip(b).zip(c.iter().zip(d));
    for (byte, ((a, b), (c, d))) in block.iter_mut().zip(tables) {
        *byte &= a & b & c & d;
    }
}
