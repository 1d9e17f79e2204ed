//! A hash that identifies a trace, against accidents: four lanes of 64 bits, multiplied and folded.

const WORD: usize = size_of::<u64>();
const LANES: usize = 4;

/// The borders of pieces are part of the hash.
#[derive(Debug, Clone, Default)]
pub(super) struct Hash {
    lanes: [u64; LANES],
    bytes: u64,
}

impl Hash {
    pub(super) fn add(&mut self, piece: &[u8]) {
        let (rows, rest) = piece.as_chunks::<{ WORD * LANES }>();
        let mut last = [0; WORD * LANES];
        last[..rest.len()].copy_from_slice(rest);
        self.bytes += piece.len() as u64;
        for row in rows.iter().chain([&last]) {
            let (words, _) = row.as_chunks::<WORD>();
            for (lane, word) in self.lanes.iter_mut().zip(words) {
                *lane = mixed(*lane ^ u64::from_le_bytes(*word));
            }
        }
    }

    pub(super) fn bytes(&self) -> [u8; WORD * LANES] {
        let mut all = [0; WORD * LANES];
        let mut before = self.bytes;
        for (place, lane) in all.as_chunks_mut::<WORD>().0.iter_mut().zip(self.lanes) {
            before = mixed(before ^ lane);
            *place = before.to_le_bytes();
        }
        all
    }
}

fn mixed(word: u64) -> u64 {
    let product = u128::from(word ^ 0x2545_f491_4f6c_dd1d) * 0x9e37_79b9_7f4a_7c15;
    (product as u64) ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8]) -> [u8; 32] {
        let mut hash = Hash::default();
        hash.add(bytes);
        hash.bytes()
    }

    #[test]
    fn each_bit_and_the_length_are_part_of_it() {
        let bytes: Vec<u8> = (0..100).collect();
        let first = of(&bytes);
        assert_eq!(first, of(&bytes));
        assert_ne!(first, of(&[&bytes[..], &[0]].concat()), "a zero more");
        for place in 0..bytes.len() * 8 {
            let mut other = bytes.clone();
            other[place / 8] ^= 1 << (place % 8);
            let apart = first
                .iter()
                .zip(of(&other))
                .map(|(a, b)| (a ^ b).count_ones());
            assert!(apart.sum::<u32>() > 16, "bit {place}");
        }
    }
}
