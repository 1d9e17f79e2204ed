//! The wheel of 30: how numbers lie in the bits of the sieve. Eight of every 30 numbers have no
//! factor 2, 3 or 5, so bit `b` of byte `i` stands for `30 * i + RESIDUES[b]`.
//!
//! For each residue `w` the wheel keeps multiples `p * (30k + w)` of a prime `p = 30q + r`, in byte
//! ```text
//! (p * (30k + w)) / 30  =  k * p + q * w + (r * w) / 30
//! ```
//! and its bit depends on `r * w mod 30` alone. So every bit is struck once every `p` bytes, a
//! *turn* begins at each byte that is a multiple of `p`, and its eight strikes sit at offsets `q *
//! w + carry` with masks that depend only on the class `r`.

pub(super) const RESIDUES: [u8; 8] = [1, 7, 11, 13, 17, 19, 23, 29];

pub(super) const fn bit(residue: usize) -> usize {
    let mut b = 0;
    while RESIDUES[b] as usize != residue {
        b += 1;
    }
    b
}

/// For each spoke of a prime `30q + class`: its offset in the turn less `q * RESIDUES[j]`.
pub(super) const fn carries(class: usize) -> [usize; 8] {
    let mut carries = [0; 8];
    let mut j = 0;
    while j < 8 {
        carries[j] = class * RESIDUES[j] as usize / 30;
        j += 1;
    }
    carries
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

/// For each residue modulo 30: what a byte keeps when it is struck (all, off the wheel).
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

/// Residues modulo 210 without a factor 2, 3, 5 or 7, and the first one after them.
const RESIDUES_210: [u8; 49] = {
    let mut all = [0; 49];
    let (mut n, mut j) = (1_u8, 0);
    while j < all.len() {
        if n % 2 != 0 && n % 3 != 0 && n % 5 != 0 && n % 7 != 0 {
            all[j] = n;
            j += 1;
        }
        n += 1;
    }
    all
};

/// For each residue modulo 210: index into [`RESIDUES_210`] of the first at or after it.
static NEXT_210: [u8; 210] = {
    let mut all = [0; 210];
    let (mut n, mut j) = (0, 0);
    while n < all.len() {
        if n > RESIDUES_210[j] as usize {
            j += 1;
        }
        all[n] = j as u8;
        n += 1;
    }
    all
};

static BIT: [u8; 30] = {
    let mut all = [0; 30];
    let mut b = 0;
    while b < RESIDUES.len() {
        all[RESIDUES[b] as usize] = b as u8;
        b += 1;
    }
    all
};

/// A strike on the wheel of 210: fields, which are read faster than bits of one word.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(8))]
pub(super) struct Spoke {
    pub(super) next: u16,
    pub(super) keep: u8,
    /// The way to the next spoke is `q * factor + carry` bytes.
    pub(super) factor: u8,
    pub(super) carry: u8,
}

/// Number `48 * c + j` strikes multiples `RESIDUES_210[j]` of class `RESIDUES[c]`; then filler.
pub(super) static SPOKES: [Spoke; 1 << 12] = {
    let none = Spoke {
        next: 0,
        keep: 0xff,
        factor: 0,
        carry: 0,
    };
    let mut all = [none; 1 << 12];
    let mut i = 0;
    while i < 8 * 48 {
        let (class, j) = (RESIDUES[i / 48] as usize, i % 48);
        let (here, there) = (RESIDUES_210[j] as usize, RESIDUES_210[j + 1] as usize);
        let carry = class * there / 30 - class * here / 30;
        all[i] = Spoke {
            next: if j == 47 { i - 47 } else { i + 1 } as u16,
            keep: keep(class * here % 30),
            factor: (there - here) as u8,
            carry: carry as u8,
        };
        i += 1;
    }
    all
};

/// The way from `multiple` of `prime` to the next on the wheel of 210, and its spoke's index.
#[inline(always)]
pub(super) fn spoke_at(multiple: u64, prime: u64) -> (u64, u32) {
    let residue = (multiple % 210) as usize;
    let j = NEXT_210[residue];
    let class = u32::from(BIT[(prime % 30) as usize]);
    let ahead = u64::from(RESIDUES_210[usize::from(j)]) - residue as u64;
    (ahead, 48 * class + u32::from(j) % 48)
}
