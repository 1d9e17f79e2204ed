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

/// Bytes from the start of a turn of `p` to spoke `j`, which is the strike of
/// `p * RESIDUES[j]`; spoke 8 is the first of the next turn.
pub(super) const fn offset(p: usize, j: usize) -> usize {
    let residue = if j == 8 { 31 } else { RESIDUES[j] as usize };
    p * residue / 30
}

/// For each spoke of a prime `30q + class`: its offset less `q * RESIDUES[j]`.
pub(super) const fn carries(class: usize) -> [usize; 8] {
    let mut carries = [0; 8];
    let mut j = 0;
    while j < 8 {
        carries[j] = offset(class, j);
        j += 1;
    }
    carries
}

/// For each spoke of a prime `30q + class`: the way to the next spoke is
/// `q * factor + carry` bytes.
pub(super) const fn steps(class: usize) -> [(usize, usize); 8] {
    let mut steps = [(0, 0); 8];
    let mut j = 0;
    while j < 8 {
        let factor = offset(30, j + 1) - offset(30, j);
        steps[j] = (factor, offset(class, j + 1) - offset(class, j));
        j += 1;
    }
    steps
}

/// For each spoke of a prime of the class: what a byte keeps when it is struck.
pub(super) const fn masks(class: usize) -> [u8; 8] {
    let mut masks = [0; 8];
    let mut j = 0;
    while j < 8 {
        masks[j] = keep(class * RESIDUES[j] as usize % 30);
        j += 1;
    }
    masks
}

/// For each residue modulo 30: what a byte keeps when that number is struck;
/// all, if the number is not on the wheel.
pub(super) const KEEP: [u8; 30] = {
    let mut all = [0xff; 30];
    let mut j = 0;
    while j < 8 {
        all[RESIDUES[j] as usize] = keep(RESIDUES[j] as usize);
        j += 1;
    }
    all
};

const fn keep(residue: usize) -> u8 {
    !(1 << bit(residue))
}

/// The bits of a byte whose residues are at least `residue` (0 to 30).
pub(super) fn from_residue(residue: u64) -> u8 {
    let below = RESIDUES.iter().filter(|&&r| u64::from(r) < residue).count();
    (0xff_u16 << below) as u8
}
