//! The tags of a set-associative structure, and which of them makes room.
//!
//! # Theory
//!
//! Tags are `u32`. Where the least recently used goes, a set holds its tags in order of recency,
//! so that the most frequent case, a hit of the tag that was used last, is one comparison, and a
//! miss is one pass that shifts the others down. Elsewhere tags keep their places: the set has a
//! used bit for each way (pseudo-LRU), and the place of the last hit is tried first.
//!
//! ```text
//!   lru         [c a b d]  touch b →  [b c a d]   touch e →  [e b c a], d goes
//!   pseudo-lru  used 1011, touch of way 2 → all set → 0100; the first clear bit goes
//!   random      an empty way, else one by a fixed sequence (xorshift)
//! ```
//!
//! The sets of a structure are chosen by the low bits of whatever the caller takes for an index.

use crate::machine::Policy;

/// No tag: an empty way.
pub(crate) const NONE: u32 = u32::MAX;

/// The first draw.
const SEED: u32 = 0x9e37_79b9;

/// What a touch found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Touch {
    Hit,
    /// It is there now; what made room for it, or [`NONE`].
    Miss {
        evicted: u32,
    },
}

/// Sets of tags.
#[derive(Debug)]
pub(crate) struct Sets {
    ways: usize,
    mask: u64,
    policy: Policy,
    tags: Vec<u32>,
    /// Used bits of each set.
    used: Vec<u32>,
    /// The way of each set that was touched last.
    last: Vec<u8>,
    draw: u32,
}

impl Sets {
    /// Empty sets; their number is a power of two.
    pub(crate) fn new(sets: u64, ways: u32, policy: Policy) -> Self {
        debug_assert!(sets.is_power_of_two());
        let (count, ways) = (sets as usize, ways as usize);
        let placed = if policy == Policy::Lru { 0 } else { count };
        Self {
            ways,
            mask: sets - 1,
            policy,
            tags: vec![NONE; count * ways],
            used: vec![0; placed],
            last: vec![0; placed],
            draw: SEED,
        }
    }

    fn set(&self, index: u64) -> usize {
        (index & self.mask) as usize
    }

    /// Uses a tag, and brings it in if it is not there.
    #[inline]
    pub(crate) fn touch(&mut self, index: u64, tag: u32) -> Touch {
        let set = self.set(index);
        match self.policy {
            Policy::Lru => self.touch_recent(set, tag),
            Policy::PseudoLru | Policy::Random => self.touch_placed(set, tag),
        }
    }

    /// Uses a tag if it is there.
    #[inline]
    pub(crate) fn touch_if_there(&mut self, index: u64, tag: u32) -> bool {
        let set = self.set(index);
        let own = &self.tags[set * self.ways..][..self.ways];
        own.contains(&tag) && self.touch(index, tag) == Touch::Hit
    }

    #[inline]
    fn touch_recent(&mut self, set: usize, tag: u32) -> Touch {
        let own = &mut self.tags[set * self.ways..][..self.ways];
        if own[0] == tag {
            return Touch::Hit;
        }
        let mut carried = tag;
        for way in own {
            std::mem::swap(way, &mut carried);
            if carried == tag {
                return Touch::Hit;
            }
        }
        Touch::Miss { evicted: carried }
    }

    #[inline]
    fn touch_placed(&mut self, set: usize, tag: u32) -> Touch {
        let own = &self.tags[set * self.ways..][..self.ways];
        match own[usize::from(self.last[set])] == tag {
            true => Touch::Hit,
            false => self.touch_elsewhere(set, tag),
        }
    }

    /// The way that was touched last has another tag.
    fn touch_elsewhere(&mut self, set: usize, tag: u32) -> Touch {
        let own = &self.tags[set * self.ways..][..self.ways];
        if let Some(way) = own.iter().position(|held| *held == tag) {
            self.use_way(set, way);
            return Touch::Hit;
        }
        let way = self.victim(set);
        let evicted = std::mem::replace(&mut self.tags[set * self.ways + way], tag);
        self.use_way(set, way);
        Touch::Miss { evicted }
    }

    fn use_way(&mut self, set: usize, way: usize) {
        self.last[set] = way as u8;
        let used = &mut self.used[set];
        *used |= 1 << way;
        if u64::from(*used) == (1_u64 << self.ways) - 1 {
            *used = 1 << way;
        }
    }

    /// The way that makes room.
    fn victim(&mut self, set: usize) -> usize {
        let own = &self.tags[set * self.ways..][..self.ways];
        match self.policy {
            Policy::Random => {
                let empty = own.iter().position(|held| *held == NONE);
                empty.unwrap_or_else(|| draw(&mut self.draw) % self.ways)
            }
            _ => (self.used[set].trailing_ones() as usize).min(self.ways - 1),
        }
    }

    /// Removes every tag of a kind.
    pub(crate) fn remove_all(&mut self, which: impl Fn(u32) -> bool) {
        for place in 0..self.tags.len() {
            // Where the oldest goes, those behind one that is removed move up into its place.
            while self.tags[place] != NONE && which(self.tags[place]) {
                self.remove((place / self.ways) as u64, self.tags[place]);
            }
        }
    }

    /// Removes a tag; whether it was there.
    pub(crate) fn remove(&mut self, index: u64, tag: u32) -> bool {
        let set = self.set(index);
        let own = &mut self.tags[set * self.ways..][..self.ways];
        let Some(way) = own.iter().position(|held| *held == tag) else {
            return false;
        };
        own[way] = NONE;
        match self.policy {
            Policy::Lru => own[way..].rotate_left(1),
            Policy::PseudoLru | Policy::Random => self.used[set] &= !(1 << way),
        }
        true
    }
}

/// The next of a fixed sequence (xorshift).
pub(crate) fn draw(state: &mut u32) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    *state as usize
}

#[cfg(test)]
mod tests;
