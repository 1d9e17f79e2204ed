//! The checksum of a line: its last field is the CRC-32 (that of IEEE 802.3) of the bytes before:
//! ```text
//! {"line":"end","interrupted":null,"at_s":1.0,"crc":"8a3c20f1"}
//! ```
//! A CRC is linear, and no two bits of a line give the same difference (lines are far shorter than
//! 2^32 - 1 bits): a single flipped bit is found and set right. Other damage costs the line; it is
//! taken for a single bit once in some 2^32 / bits of the line.

use memchr::memmem;

const BEFORE: &[u8] = br#","crc":""#;
const AFTER: &[u8] = b"\"}\n";
const DIGITS: usize = 8;
const POLYNOMIAL: u32 = 0xedb8_8320;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    Bare,
    Whole,
    /// One flipped bit, mended here.
    Mended(Vec<u8>),
    Damaged,
}

/// The line is a JSON object that is not empty, without an end of line.
pub(crate) fn seal(line: &mut Vec<u8>) {
    line.pop();
    let digits = format!("{:08x}", crc(line));
    line.extend_from_slice(BEFORE);
    line.extend_from_slice(digits.as_bytes());
    line.extend_from_slice(AFTER);
}

pub(super) fn is_in(text: &[u8]) -> bool {
    memmem::find(text, BEFORE).is_some()
}

pub(super) fn check(line: &[u8]) -> Found {
    let Some((text, written)) = parts(line) else {
        return resealed(line).map_or(Found::Bare, Found::Mended);
    };
    let difference = crc(text) ^ written;
    if difference == 0 {
        return Found::Whole;
    }
    let turned = |bit: usize| {
        let mut mended = line.to_vec();
        mended[bit / 8] ^= 1 << (bit % 8);
        mended
    };
    let mended = resealed(line).or_else(|| flipped(text.len(), difference).map(turned));
    mended.map_or(Found::Damaged, Found::Mended)
}

/// With the end that belongs to its text, where that differs in one bit.
fn resealed(line: &[u8]) -> Option<Vec<u8>> {
    let end = line
        .len()
        .checked_sub(BEFORE.len() + DIGITS + AFTER.len())?;
    let mut whole = line[..end].to_vec();
    whole.push(b'}');
    seal(&mut whole);
    let apart = whole[end..].iter().zip(&line[end..]);
    let bits: u32 = apart.map(|(a, b)| (a ^ b).count_ones()).sum();
    (bits == 1).then_some(whole)
}

/// The first of two lines that a flipped bit in the end of the first made one.
pub(super) fn first_of_two(line: &[u8]) -> Option<Vec<u8>> {
    let ends =
        memmem::find_iter(line, BEFORE).map(|seal| seal + BEFORE.len() + DIGITS + AFTER.len());
    ends.filter(|&end| end < line.len()).find_map(|end| {
        let mut first = line[..end].to_vec();
        let last = first.last_mut()?;
        let is_flipped = (*last ^ b'\n').count_ones() == 1;
        *last = b'\n';
        (is_flipped && check(&first) == Found::Whole).then_some(first)
    })
}

fn parts(line: &[u8]) -> Option<(&[u8], u32)> {
    let rest = line.strip_suffix(AFTER)?;
    let (rest, digits) = rest.split_at_checked(rest.len().checked_sub(DIGITS)?)?;
    let digits = std::str::from_utf8(digits).ok()?;
    let text = rest.strip_suffix(BEFORE)?;
    Some((text, u32::from_str_radix(digits, 16).ok()?))
}

const fn step(crc: u32) -> u32 {
    (crc >> 1) ^ (POLYNOMIAL & (crc & 1).wrapping_neg())
}

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = step(crc);
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

fn crc(text: &[u8]) -> u32 {
    !text.iter().fold(u32::MAX, |crc, &byte| {
        (crc >> 8) ^ TABLE[((crc ^ u32::from(byte)) & 0xff) as usize]
    })
}

/// Which bit of a text of `bytes` bytes makes this difference of checksums.
fn flipped(bytes: usize, difference: u32) -> Option<usize> {
    let mut of_bit = POLYNOMIAL;
    (0..bytes * 8).rev().find(|_| {
        let found = of_bit == difference;
        of_bit = step(of_bit);
        found
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_everybody_else() {
        assert_eq!(crc(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn each_flipped_bit_of_a_text_is_found_and_two_are_not_taken_for_one() {
        let mut line = br#"{"line":"end","at_s":1.0}"#.to_vec();
        seal(&mut line);
        assert!(serde_json::from_slice::<serde_json::Value>(&line).is_ok());
        assert_eq!(check(&line), Found::Whole);
        let bits = 8 * (line.len() - AFTER.len() - DIGITS - BEFORE.len());
        for bit in bits..8 * line.len() {
            let mut damaged = line.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            // A digit in upper case is the same digit.
            let found = check(&damaged);
            assert!(found == Found::Mended(line.clone()) || found == Found::Whole);
        }
        for bit in 0..bits {
            let mut damaged = line.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(check(&damaged), Found::Mended(line.clone()));
            damaged[(bit / 8 + 5) % (bits / 8)] ^= 2;
            assert_eq!(check(&damaged), Found::Damaged);
        }
        assert_eq!(check(b"{\"line\":\"end\"}\n"), Found::Bare);
    }
}
