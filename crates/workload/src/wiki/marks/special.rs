const ONES: u64 = 0x0101_0101_0101_0101;

/// The lowest byte whose highest bit is set in the answer equals `byte`; bits above may be wrong.
const fn first_equal(word: u64, byte: u8) -> u64 {
    let zeros = word ^ (ONES * byte as u64);
    zeros.wrapping_sub(ONES) & !zeros & (ONES << 7)
}

/// The next `{`, `}`, `[`, `]` or `<`, eight bytes at once; brackets and braces differ in one bit.
pub(super) fn next_special(bytes: &[u8], mut at: usize) -> Option<usize> {
    while let Some(&eight) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(eight);
        let braces = word | (ONES * 0x20);
        let found = first_equal(braces, b'{') | first_equal(braces, b'}') | first_equal(word, b'<');
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    let rest = bytes.get(at..)?;
    let is_special = |byte: &u8| b"{}[]<".contains(byte);
    rest.iter().position(is_special).map(|further| at + further)
}
