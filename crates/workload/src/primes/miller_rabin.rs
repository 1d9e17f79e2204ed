//! The Miller-Rabin test, made deterministic by its bases.
//!
//! The even control: even numbers are dismissed at once, every odd number is
//! tested, and no small divisors are tried first, so that the cost of a number
//! depends on its width and on nothing else about it but whether it is prime.
//! A composite nearly always leaves after the first base, a prime passes all of
//! them. Since the share of primes falls only with the logarithm, equal blocks
//! are equal work within a few percent, up to the step at 2^32 where the 64-bit
//! arithmetic with its seven bases takes over.
//!
//! - Below 2^32 the bases 2, 7 and 61 decide (G. Jaeschke, "On strong
//!   pseudoprimes to several bases", 1993: right below 4,759,123,141).
//! - Below 2^64 seven bases found by J. Sinclair in 2011 decide, checked
//!   against the list of all base-2 pseudoprimes below 2^64 (J. Feitsma).
//!
//! Multiplication modulo `n` is Montgomery's: two more multiplications instead
//! of a division (P. Montgomery, "Modular multiplication without trial
//! division", 1985).

/// Whether `n` is prime.
pub(super) fn is_prime(n: u64) -> bool {
    if n.is_multiple_of(2) || n < 3 {
        return n == 2;
    }
    match u32::try_from(n) {
        Ok(n) => is_prime_32(n),
        Err(_) => is_prime_64(n),
    }
}

fn is_prime_32(n: u32) -> bool {
    let ring = Montgomery32::new(n);
    [2, 7, 61].into_iter().all(|base| ring.passes(base))
}

fn is_prime_64(n: u64) -> bool {
    let ring = Montgomery64::new(n);
    [2, 325, 9_375, 28_178, 450_775, 9_780_504, 1_795_265_022]
        .into_iter()
        .all(|base| ring.passes(base))
}

macro_rules! montgomery {
    ($ring:ident, $int:ty, $wide:ty) => {
        /// Arithmetic modulo an odd `n` above 2; `x` is kept as `x * R mod n`,
        /// where `R` is two to the power of the width.
        struct $ring {
            n: $int,
            /// `n * inverse = 1 (mod R)`.
            inverse: $int,
            /// One, as it is kept.
            one: $int,
            /// `R^2 mod n`: a multiplication by it turns `x` into what is kept.
            square: $int,
        }

        impl $ring {
            fn new(n: $int) -> Self {
                // Newton's iteration: n is its own inverse to 3 bits, and each
                // step doubles the number of right bits.
                let mut inverse = n;
                for _ in 0..5 {
                    let error = <$int>::wrapping_sub(2, n.wrapping_mul(inverse));
                    inverse = inverse.wrapping_mul(error);
                }
                let one = (<$int>::MAX % n + 1) % n;
                let square = ((one as $wide * one as $wide) % n as $wide) as $int;
                Self {
                    n,
                    inverse,
                    one,
                    square,
                }
            }

            /// `a * b / R mod n`.
            #[inline]
            fn multiply(&self, a: $int, b: $int) -> $int {
                let product = a as $wide * b as $wide;
                let high = (product >> <$int>::BITS) as $int;
                let factor = (product as $int).wrapping_mul(self.inverse);
                let fold = ((factor as $wide * self.n as $wide) >> <$int>::BITS) as $int;
                let (difference, borrow) = high.overflowing_sub(fold);
                if borrow {
                    difference.wrapping_add(self.n)
                } else {
                    difference
                }
            }

            /// Whether `n` is a strong probable prime to `base`.
            fn passes(&self, base: $int) -> bool {
                let base = base % self.n;
                if base == 0 {
                    return true;
                }
                let minus_one = self.n - self.one;
                let twos = (self.n - 1).trailing_zeros();
                let mut x = self.power(self.multiply(base, self.square), (self.n - 1) >> twos);
                if x == self.one || x == minus_one {
                    return true;
                }
                for _ in 1..twos {
                    x = self.multiply(x, x);
                    if x == minus_one {
                        return true;
                    }
                }
                false
            }

            fn power(&self, base: $int, exponent: $int) -> $int {
                let mut power = base;
                for bit in (0..exponent.ilog2()).rev() {
                    power = self.multiply(power, power);
                    if exponent >> bit & 1 == 1 {
                        power = self.multiply(power, base);
                    }
                }
                power
            }
        }
    };
}

montgomery!(Montgomery32, u32, u64);
montgomery!(Montgomery64, u64, u128);
