//! Hashes whose sum proves that two searches found the same, in whatever order: each result with
//! its path and its place in the file. Words of eight bytes are multiplied into sixteen and folded,
//! in a nanosecond each: good against accidents, no defence against intent.

const ODD: [u64; 3] = [
    0x9E37_79B9_7F4A_7C15,
    0xD1B5_4A32_D192_ED03,
    0x8CB9_2BA7_2F3D_8DD7,
];

#[inline]
pub(crate) fn hash(seed: u64, bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut hash = fold(seed ^ ODD[0], bytes.len() as u64 ^ ODD[1]);
    for word in words {
        hash = fold(hash ^ u64::from_le_bytes(*word), ODD[1]);
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    fold(hash ^ u64::from_le_bytes(last), ODD[2])
}

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_byte_more_or_other_is_another_hash(bytes: Vec<u8>, at: usize, other: u8) {
            let whole = hash(1, &bytes);
            prop_assert_eq!(whole, hash(1, &bytes));
            prop_assert_ne!(whole, hash(2, &bytes));
            let mut longer = bytes.clone();
            longer.push(0);
            prop_assert_ne!(whole, hash(1, &longer));
            if let Some(index) = at.checked_rem(bytes.len()) {
                let mut changed = bytes.clone();
                changed[index] = other;
                prop_assert_eq!(changed == bytes, hash(1, &changed) == whole);
            }
        }
    }
}
