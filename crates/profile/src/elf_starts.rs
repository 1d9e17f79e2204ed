//! Where functions begin, in a program without symbols: the search table of `.eh_frame_hdr`, sorted by address, in its
//! usual form alone (LSB, "DWARF extensions", 10.6.2): pairs of 4-byte offsets from the section itself.

const TABLE: [u8; 3] = [0x1b, 0x03, 0x3b];

/// Addresses, ascending; empty where the table has another form.
pub(crate) fn starts(section: &[u8], address: u64) -> Vec<u64> {
    let Some((&[1, frame, count, table], _)) = section.split_first_chunk::<4>() else {
        return Vec::new();
    };
    if [frame, count, table] != TABLE {
        return Vec::new();
    }
    let entries = section.get(12..).unwrap_or_default().as_chunks::<8>().0;
    let start = |entry: &[u8; 8]| {
        let [a, b, c, d, ..] = *entry;
        address.wrapping_add_signed(i32::from_ne_bytes([a, b, c, d]).into())
    };
    entries.iter().map(start).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_entry_is_an_offset_from_the_section() {
        let mut section = vec![1, 0x1b, 0x03, 0x3b, 0, 0, 0, 0, 2, 0, 0, 0];
        for word in [-0x100_i32, 1, -0x80, 2] {
            section.extend(word.to_ne_bytes());
        }
        assert_eq!(starts(&section, 0x1000), [0xf00, 0xf80]);
        section[3] = 0x3c;
        assert!(starts(&section, 0x1000).is_empty());
        assert!(starts(&[1, 2], 0).is_empty());
    }
}
