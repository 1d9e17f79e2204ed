//! Which cores have touched and written a line, and which may hold it. Most lines belong to one
//! core for ever: they have one byte. A line that a second core touches gets three sets of cores. A
//! core that stores takes the line from all others. A set misses no core that holds it.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use serde::{Deserialize, Serialize};

pub(crate) type Cores = u64;

const WRITTEN: u8 = 0x80;
const CORE: u8 = 0x3f;
const SEVERAL: u8 = 0x40;
const NOBODY: u8 = 0x41;

#[derive(Debug, Default)]
pub(crate) struct Sharing {
    owners: Vec<u8>,
    several: HashMap<u32, Sharers, BuildHasherDefault<Spread>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sharers {
    touched: Cores,
    written: Cores,
    holding: Cores,
}

/// How much of something is used by more than one core.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shared {
    /// Touched by any core.
    pub touched: u64,
    /// Touched by more than one.
    pub by_several: u64,
    /// Written by more than one.
    pub written_by_several: u64,
}

impl Shared {
    pub(crate) fn add(&mut self, touched: Cores, written: Cores) {
        self.touched += u64::from(touched != 0);
        self.by_several += u64::from(touched.count_ones() > 1);
        self.written_by_several += u64::from(written.count_ones() > 1);
    }
}

impl Sharing {
    pub(crate) fn reach(&mut self, lines: usize) {
        if lines > self.owners.len() {
            self.owners.resize(lines, NOBODY);
        }
    }

    /// True if a store of this core changes nothing.
    #[inline]
    pub(crate) fn is_written_by(&self, line: u32, core: u32) -> bool {
        self.owners[line as usize] == core as u8 | WRITTEN
    }

    #[inline]
    pub(crate) fn touch(&mut self, line: u32, core: u32, store: bool) -> Cores {
        let owner = &mut self.owners[line as usize];
        let me = core as u8;
        let mark = if store { WRITTEN } else { 0 };
        match *owner {
            NOBODY => *owner = me | mark,
            SEVERAL => return self.touch_shared(line, core, store),
            own if own & CORE == me => *owner = own | mark,
            own => {
                *owner = SEVERAL;
                let first: Cores = 1 << (own & CORE);
                let written = if own & WRITTEN != 0 { first } else { 0 };
                let sharers = Sharers {
                    touched: first,
                    written,
                    holding: first,
                };
                self.several.insert(line, sharers);
                return self.touch_shared(line, core, store);
            }
        }
        0
    }

    #[cold]
    fn touch_shared(&mut self, line: u32, core: u32, store: bool) -> Cores {
        let me: Cores = 1 << core;
        let sharers = self.several.entry(line).or_default();
        sharers.touched |= me;
        if !store {
            sharers.holding |= me;
            return 0;
        }
        sharers.written |= me;
        let others = sharers.holding & !me;
        sharers.holding = me;
        others
    }

    pub(crate) fn evict(&mut self, line: u32) -> Cores {
        match self.owners[line as usize] {
            NOBODY => 0,
            SEVERAL => match self.several.get_mut(&line) {
                Some(sharers) => std::mem::take(&mut sharers.holding),
                None => 0,
            },
            own => 1 << (own & CORE),
        }
    }

    pub(crate) fn shared(&self) -> Shared {
        let mut shared = Shared {
            touched: self.owners.iter().filter(|owner| **owner != NOBODY).count() as u64,
            ..Shared::default()
        };
        for sharers in self.several.values() {
            shared.by_several += 1;
            shared.written_by_several += u64::from(sharers.written.count_ones() > 1);
        }
        shared
    }
}

/// Many times faster than the standard library's hasher on small numbers.
#[derive(Debug, Default)]
pub(crate) struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes
            .iter()
            .for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        let mixed = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}
