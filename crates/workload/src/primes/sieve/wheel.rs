//! The wheel of 30: how numbers lie in the bits of the sieve.
//!
//! Eight of every 30 numbers have no factor 2, 3 or 5, so one byte holds 30
//! numbers: bit `b` of byte `i` stands for `30 * i + RESIDUES[b]`.
//!
//! The multiples of a prime `p = 30q + r` that the wheel keeps are
//! `p * (30k + w)` for each residue `w`. Such a multiple lies in byte
//!
//! ```text
//! (p * (30k + w)) / 30  =  k * p + q * w + (r * w) / 30
//! ```
//!
//! and its bit depends on `r * w mod 30` alone. So for one prime every bit is
//! struck once every `p` bytes, a *turn* of the wheel begins exactly at each
//! byte that is a multiple of `p`, and within a turn the eight strikes sit at
//! offsets `q * w + carry` with eight masks that depend only on the class `r`.

/// The residues modulo 30 that have no factor 2, 3 or 5.
pub(super) const RESIDUES: [u8; 8] = [1, 7, 11, 13, 17, 19, 23, 29];

/// The bit of the byte that stands for a residue modulo 30.
pub(super) const fn bit(residue: usize) -> usize {
    let mut b = 0;
    while RESIDUES[b] as usize != residue {
        b += 1;
    }
    b
}

/// For each residue `w`: the class `r`'s carry into the byte, `(r * w) / 30`.
pub(super) const fn carries(class: usize) -> [usize; 8] {
    let mut carries = [0; 8];
    let mut j = 0;
    while j < 8 {
        carries[j] = class * RESIDUES[j] as usize / 30;
        j += 1;
    }
    carries
}

/// For each residue `w`: what a byte keeps when `p * w` of class `r` is struck.
pub(super) const fn masks(class: usize) -> [u8; 8] {
    let mut masks = [0; 8];
    let mut j = 0;
    while j < 8 {
        masks[j] = !(1 << bit(class * RESIDUES[j] as usize % 30));
        j += 1;
    }
    masks
}

/// The bits of a byte whose residues are at least `residue` (0 to 30).
pub(super) fn from_residue(residue: u64) -> u8 {
    let below = RESIDUES.iter().filter(|&&r| u64::from(r) < residue).count();
    (0xff_u16 << below) as u8
}
