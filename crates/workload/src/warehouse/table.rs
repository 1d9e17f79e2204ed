//! Tables of numbered things: a hash map with the same order in every process and a hash of two
//! instructions, as no stranger chooses the keys.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

pub(super) type Table<T> = HashMap<u32, T, BuildHasherDefault<Numbers>>;

#[derive(Debug, Default, Clone)]
pub(super) struct Numbers(u64);

impl Hasher for Numbers {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u32((*byte).into()));
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        let product = (self.0 ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ (product >> 32);
    }
}
