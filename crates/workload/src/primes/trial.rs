//! Trial division, plain: each number is divided by 2, by 3 and then by 6k - 1 and 6k + 1 up to its
//! root, as in the study of 2010. Uneven on purpose: a prime near 6 * 10^7 takes 2.4 times the
//! divisions of one near 10^7. Older CPUs divide small numbers several times faster in 32 bits.

use std::ops::Range;

pub(super) fn each<V: FnMut(u64)>(range: Range<u64>, visit: V) {
    range.filter(|&n| is_prime(n)).for_each(visit);
}

#[inline]
fn is_prime(n: u64) -> bool {
    match u32::try_from(n) {
        Ok(n) => is_prime_32(n),
        Err(_) => is_prime_64(n),
    }
}

macro_rules! trial_division {
    ($name:ident, $int:ty) => {
        fn $name(n: $int) -> bool {
            if n % 2 == 0 || n % 3 == 0 {
                return n == 2 || n == 3;
            }
            let root = n.isqrt();
            let mut divisor = 5;
            while divisor <= root {
                if n % divisor == 0 || n % (divisor + 2) == 0 {
                    return false;
                }
                divisor += 6;
            }
            n > 1
        }
    };
}

trial_division!(is_prime_32, u32);
trial_division!(is_prime_64, u64);
