//! Montgomery's arithmetic modulo an odd number ("Modular multiplication without trial division",
//! 1985). A number `x` is kept as `x * R mod n` with R = 2^64. To reduce a product, a multiple of
//! `n` is taken off that makes it divisible by R, and the quotient is the high half: two
//! multiplications in place of a division.

pub(super) trait Ring {
    const LARGEST: u64;
    fn new(n: u64) -> Self;
    fn n(&self) -> u64;
    fn one(&self) -> u64;
    fn enter(&self, x: u64) -> u64;
    fn equal(&self, a: u64, b: u64) -> bool;
    fn multiply(&self, a: u64, b: u64) -> u64;
    /// Without a branch on `bit`.
    fn double_if(&self, bit: u64, x: u64) -> u64;
}

/// For `n` below 2^31: products fit a word and need no correction; values are at most `2n`.
pub(super) struct Narrow {
    n: u64,
    inverse: u64,
    one: u64,
}

impl Ring for Narrow {
    const LARGEST: u64 = (1 << 31) - 1;

    fn new(n: u64) -> Self {
        Self {
            n,
            inverse: inverse(n).wrapping_neg(),
            one: radix(n),
        }
    }

    fn n(&self) -> u64 {
        self.n
    }

    fn one(&self) -> u64 {
        self.one
    }

    fn enter(&self, x: u64) -> u64 {
        x * self.one % self.n
    }

    fn equal(&self, a: u64, b: u64) -> bool {
        a % self.n == b % self.n
    }

    /// Adds the multiple of `n` that makes the product divisible by R. The low halves cancel with a
    /// carry: the multiple's high half plus one is the result, at most `n`.
    #[inline(always)]
    fn multiply(&self, a: u64, b: u64) -> u64 {
        high((a * b).wrapping_mul(self.inverse), self.n) + 1
    }

    #[inline(always)]
    fn double_if(&self, bit: u64, x: u64) -> u64 {
        x << bit
    }
}

pub(super) struct Wide {
    n: u64,
    inverse: u64,
    one: u64,
}

impl Ring for Wide {
    const LARGEST: u64 = u64::MAX;

    fn new(n: u64) -> Self {
        Self {
            n,
            inverse: inverse(n),
            one: radix(n),
        }
    }

    fn n(&self) -> u64 {
        self.n
    }

    fn one(&self) -> u64 {
        self.one
    }

    fn enter(&self, x: u64) -> u64 {
        (u128::from(x) * u128::from(self.one) % u128::from(self.n)) as u64
    }

    fn equal(&self, a: u64, b: u64) -> bool {
        a == b
    }

    #[inline(always)]
    fn multiply(&self, a: u64, b: u64) -> u64 {
        let factor = a.wrapping_mul(b).wrapping_mul(self.inverse);
        subtract(high(a, b), high(factor, self.n), self.n)
    }

    #[inline(always)]
    fn double_if(&self, bit: u64, x: u64) -> u64 {
        subtract(x, self.n - (x & bit.wrapping_neg()), self.n)
    }
}

/// Newton's iteration modulo R: `n` is its own inverse to 3 bits; each step doubles the right bits.
#[inline(always)]
fn inverse(n: u64) -> u64 {
    (0..5).fold(n, |x, _| {
        x.wrapping_mul(2_u64.wrapping_sub(n.wrapping_mul(x)))
    })
}

#[inline(always)]
fn radix(n: u64) -> u64 {
    (u64::MAX % n + 1) % n
}

#[inline(always)]
fn high(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

#[inline(always)]
fn subtract(a: u64, b: u64, n: u64) -> u64 {
    let (difference, borrow) = a.overflowing_sub(b);
    difference.wrapping_add(if borrow { n } else { 0 })
}
