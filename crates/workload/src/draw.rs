//! Test data drawn from a seed, equal under every model (SplitMix64). The method draws elsewhere.

#[derive(Debug, Clone)]
pub(crate) struct Draw(u64);

/// 2^64 over the golden ratio: multiples of it spread over all words.
pub(crate) const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finaliser of SplitMix64: every bit of `x` changes every bit of the result.
#[inline]
pub(crate) fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl Draw {
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        Self(mix(seed ^ mix(stream.wrapping_add(STEP))))
    }

    #[inline]
    pub(crate) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// `bound` is at least 1.
    #[inline]
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        ((u64::from(bound) * (self.word() >> 32)) >> 32) as u32
    }

    #[inline]
    pub(crate) fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high - low + 1)
    }

    #[inline]
    pub(crate) fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn letters(&mut self, length: u32) -> String {
        let letter = |_| char::from(b'a' + self.below(26) as u8);
        (0..length).map(letter).collect()
    }
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Checksum(pub(crate) u64);

impl Checksum {
    #[inline]
    pub(crate) fn add(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    #[inline]
    pub(crate) fn add_bytes(&mut self, bytes: &[u8]) {
        let (fours, rest) = bytes.as_chunks::<32>();
        let mut lanes = [0, 1, 2, 3].map(Self);
        for four in fours {
            let (words, _) = four.as_chunks::<8>();
            for (lane, word) in lanes.iter_mut().zip(words) {
                lane.add(u64::from_le_bytes(*word));
            }
        }
        for lane in lanes {
            self.add(lane.0);
        }
        let (words, rest) = rest.as_chunks::<8>();
        for word in words {
            self.add(u64::from_le_bytes(*word));
        }
        let tail = rest
            .iter()
            .fold(1, |tail: u64, byte| (tail << 8) | u64::from(*byte));
        self.add(tail);
    }
}

impl Checksum {
    pub(crate) fn of_bytes(bytes: &[u8]) -> u64 {
        let mut sum = Self::default();
        sum.add_bytes(bytes);
        sum.0
    }

    pub(crate) fn of_numbers<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> u64 {
        let mut sum = Self::default();
        numbers
            .into_iter()
            .for_each(|number| sum.add(number.to_bits()));
        sum.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn streams_of_one_seed_differ_and_come_again() {
        let take = |seed, stream| {
            let mut draw = Draw::new(seed, stream);
            [draw.word(), draw.word()]
        };
        assert_eq!(take(1, 2), take(1, 2));
        assert_ne!(take(1, 2), take(2, 1));
        assert_ne!(take(1, 2), take(1, 3));
    }

    proptest! {
        #[test]
        fn draws_stay_within_their_bounds(seed: u64, low in 0_u32..1000, more in 0_u32..1000) {
            let mut draw = Draw::new(seed, 0);
            let number = draw.between(low, low + more);
            prop_assert!((low..=low + more).contains(&number));
            prop_assert!((0.0..1.0).contains(&draw.unit()));
        }

        #[test]
        fn a_checksum_sees_each_byte_and_the_end(text: Vec<u8>, place: prop::sample::Index) {
            let mut other = text.clone();
            other.push(0);
            let whole = Checksum::of_bytes(&other);
            prop_assert_ne!(Checksum::of_bytes(&text), whole);
            let place = place.index(other.len());
            other[place] ^= 1;
            prop_assert_ne!(Checksum::of_bytes(&other), whole);
        }
    }
}
