//! The tags of a set-associative structure, and which of them makes room. Where the least recently
//! used goes, a set holds its tags in order of recency: a hit of the last used tag is one
//! comparison, a miss one pass that shifts the others. Elsewhere tags keep their places, the set
//! has a used bit for each way (pseudo-LRU), and a small table guesses the way of a tag by its low
//! bits. A wrong guess is searched for in all ways at once, into a bit each.
//! ```text
//!   lru         [c a b d]  touch b →  [b c a d]   touch e →  [e b c a], d goes
//!   pseudo-lru  used 1011, touch of way 2 → all set → 0100; the first clear bit goes
//!   random      an empty way, else one by a fixed sequence (xorshift)
//! ```
//! The low bits of the caller's index choose the set.

use crate::machine::Policy;

pub(crate) const NONE: u32 = u32::MAX;

/// More than a first level has lines.
const GUESSES: usize = 2048;

const SEED: u32 = 0x9e37_79b9;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Touch {
    Hit,
    /// It is there now, in place of this tag or of [`NONE`].
    Miss {
        evicted: u32,
    },
}

#[derive(Debug)]
pub(crate) struct Sets {
    ways: usize,
    mask: u64,
    policy: Policy,
    tags: Vec<u32>,
    used: Vec<u32>,
    all: u32,
    /// The last way of a tag, by its low bits.
    guesses: Box<[u8; GUESSES]>,
    draw: u32,
}

impl Sets {
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
            all: u32::MAX >> (u32::BITS - ways as u32),
            guesses: Box::new([0; GUESSES]),
            draw: SEED,
        }
    }

    fn set(&self, index: u64) -> usize {
        (index & self.mask) as usize
    }

    #[inline(always)]
    pub(crate) fn touch(&mut self, index: u64, tag: u32) -> Touch {
        let set = self.set(index);
        match self.policy {
            Policy::Lru => self.touch_recent(set, tag),
            Policy::PseudoLru | Policy::Random => match self.touch_placed(set, tag) {
                true => Touch::Hit,
                false => self.bring_in(set, tag),
            },
        }
    }

    #[inline(always)]
    pub(crate) fn touch_if_there(&mut self, index: u64, tag: u32) -> bool {
        let set = self.set(index);
        match self.policy {
            Policy::Lru => {
                self.own(set).contains(&tag) && self.touch_recent(set, tag) == Touch::Hit
            }
            Policy::PseudoLru | Policy::Random => self.touch_placed(set, tag),
        }
    }

    #[inline]
    fn own(&self, set: usize) -> &[u32] {
        &self.tags[set * self.ways..][..self.ways]
    }

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
    fn touch_placed(&mut self, set: usize, tag: u32) -> bool {
        let guess = self.guesses[tag as usize % GUESSES];
        if self.tags[set * self.ways + usize::from(guess)] == tag {
            self.use_way(set, guess);
            return true;
        }
        self.search(set, tag)
    }

    #[inline(never)]
    fn search(&mut self, set: usize, tag: u32) -> bool {
        let held = holding(self.own(set), tag);
        if held != 0 {
            self.found(set, held.trailing_zeros() as u8, tag);
        }
        held != 0
    }

    #[inline]
    fn found(&mut self, set: usize, way: u8, tag: u32) {
        self.guesses[tag as usize % GUESSES] = way;
        self.use_way(set, way);
    }

    #[inline(never)]
    fn bring_in(&mut self, set: usize, tag: u32) -> Touch {
        let way = self.victim(set);
        let evicted = std::mem::replace(&mut self.tags[set * self.ways + way], tag);
        self.found(set, way as u8, tag);
        Touch::Miss { evicted }
    }

    #[inline]
    fn use_way(&mut self, set: usize, way: u8) {
        let way = 1 << way;
        let used = self.used[set] | way;
        self.used[set] = if used == self.all { way } else { used };
    }

    fn victim(&mut self, set: usize) -> usize {
        match self.policy {
            Policy::Random => {
                let empty = self.own(set).iter().position(|held| *held == NONE);
                empty.unwrap_or_else(|| draw(&mut self.draw) % self.ways)
            }
            _ => (self.used[set].trailing_ones() as usize).min(self.ways - 1),
        }
    }

    pub(crate) fn remove_all(&mut self, which: impl Fn(u32) -> bool) {
        for place in 0..self.tags.len() {
            // In order of recency, later tags move up into its place.
            while self.tags[place] != NONE && which(self.tags[place]) {
                self.remove((place / self.ways) as u64, self.tags[place]);
            }
        }
    }

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

#[inline]
fn holding(own: &[u32], tag: u32) -> u32 {
    let (fours, rest) = own.as_chunks::<4>();
    let (mut held, mut bits) = ([0; 4], [1_u32, 2, 4, 8]);
    for four in fours {
        for at in 0..4 {
            held[at] |= if four[at] == tag { bits[at] } else { 0 };
            bits[at] <<= 4;
        }
    }
    let rest = rest.iter().zip(bits);
    let held = held.iter().fold(0, |all, one| all | one);
    rest.fold(held, |all, (one, bit)| {
        all | if *one == tag { bit } else { 0 }
    })
}

pub(crate) fn draw(state: &mut u32) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    *state as usize
}

#[cfg(test)]
mod tests;
