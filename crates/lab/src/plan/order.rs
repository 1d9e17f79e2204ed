//! The plan: each round holds every variant once, in an order drawn afresh, so that drift, bursts
//! or a clock that changes speed hit each as likely: the signed-rank test is a randomisation test.
//!
//! The order depends only on the run's seed, the names of study and case, and the round's number: a
//! resumed run continues exactly. So nothing here may change between releases: `ChaCha8` is
//! portable and fixed, and the hash of the names is written out below.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

#[must_use]
pub(crate) fn order(
    seed: u64,
    study: &str,
    case: &str,
    round: usize,
    variants: usize,
) -> Vec<usize> {
    let mut random = generator(seed, study, case, round);
    let mut places: Vec<usize> = (0..variants).collect();
    for last in (1..variants).rev() {
        places.swap(last, below(&mut random, last + 1));
    }
    places
}

/// What a slot draws itself comes from this.
#[must_use]
pub(crate) fn slot_seed(
    (seed, round): (u64, usize),
    study: &str,
    case: &str,
    variant: usize,
) -> u64 {
    let mut random = generator(seed, study, case, round);
    (0..=1_000 + variant).fold(0, |_, _| random.next_u64())
}

/// For each round; 4 words make the 32-byte key.
fn generator(seed: u64, study: &str, case: &str, round: usize) -> ChaCha8Rng {
    let mut key = [0; 32];
    let words = [seed, hash(study), hash(case), round as u64];
    for (bytes, word) in key.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    ChaCha8Rng::from_seed(key)
}

/// FNV-1a, 64 bits.
fn hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Uniform: draws that would favour small numbers are rejected.
fn below(random: &mut impl Rng, bound: usize) -> usize {
    let bound = bound as u64;
    let unfair = u64::MAX - u64::MAX % bound;
    loop {
        let drawn = random.next_u64();
        if drawn < unfair {
            return (drawn % bound) as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_round_holds_every_variant_once(
            seed: u64, study in ".{0,8}", case in ".{0,8}", round in 0usize..1000, n in 0usize..9,
        ) {
            let mut places = order(seed, &study, &case, round, n);
            prop_assert_eq!(&places, &order(seed, &study, &case, round, n));
            places.sort_unstable();
            prop_assert_eq!(places, (0..n).collect::<Vec<_>>());
        }
    }

    #[test]
    fn every_order_is_equally_likely() {
        let mut seen = std::collections::BTreeMap::new();
        for round in 0..6000 {
            *seen.entry(order(7, "s", "c", round, 3)).or_insert(0) += 1;
        }
        assert_eq!(seen.len(), 6);
        // 1,000 expected each; the standard deviation is 29.
        assert!(
            seen.values().all(|&count| (880..1120).contains(&count)),
            "{seen:?}"
        );
    }

    #[test]
    fn seed_study_case_and_round_all_matter() {
        let orders = |seed, study, case, from| -> Vec<Vec<usize>> {
            (from..from + 20)
                .map(|round| order(seed, study, case, round, 4))
                .collect()
        };
        let first = orders(1, "s", "c", 0);
        for other in [
            orders(2, "s", "c", 0),
            orders(1, "t", "c", 0),
            orders(1, "s", "d", 0),
            orders(1, "s", "c", 20),
        ] {
            assert_ne!(first, other);
        }
    }

    #[test]
    fn the_order_is_the_same_in_every_release() {
        assert_eq!(hash(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash("foobar"), 0x8594_4171_f739_67e8);
        let orders: Vec<_> = (0..4).map(|round| order(1, "s", "c", round, 3)).collect();
        assert_eq!(orders, [[0, 2, 1], [0, 1, 2], [1, 2, 0], [1, 0, 2]]);
    }
}
