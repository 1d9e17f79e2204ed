//! A TLB: sets of tags, or one set of all entries that is found by a table by tag, with its least
//! recently used at the end of a linked list. An entry's tag is a small number for a page of an
//! address space (and for the hardware thread where entries belong to one, [`crate::model`]).

use crate::machine::{Policy, Tlb};
use crate::sets::{NONE, Sets, Touch, draw};

#[derive(Debug)]
pub(crate) enum TlbState {
    Sets(Sets),
    Full(Full),
}

impl TlbState {
    pub(crate) fn new(tlb: &Tlb) -> Self {
        match tlb.ways == tlb.entries && tlb.policy != Policy::PseudoLru {
            true => Self::Full(Full::new(tlb.entries as usize, tlb.policy)),
            false => {
                let sets = u64::from(tlb.entries / tlb.ways);
                Self::Sets(Sets::new(sets, tlb.ways, tlb.policy))
            }
        }
    }

    #[inline]
    pub(crate) fn touch(&mut self, page: u64, tag: u32) -> bool {
        match self {
            Self::Sets(sets) => sets.touch(page, tag) == Touch::Hit,
            Self::Full(full) => full.touch(tag),
        }
    }

    pub(crate) fn remove_all(&mut self, which: impl Fn(u32) -> bool) {
        match self {
            Self::Sets(sets) => sets.remove_all(which),
            Self::Full(full) => full.remove_all(which),
        }
    }
}

const NOWHERE: u16 = u16::MAX;

#[derive(Debug)]
pub(crate) struct Full {
    policy: Policy,
    places: Vec<u16>,
    tags: Vec<u32>,
    /// A ring in order of use; the head was used last.
    after: Vec<u16>,
    before: Vec<u16>,
    head: u16,
    filled: usize,
    draw: u32,
}

impl Full {
    fn new(entries: usize, policy: Policy) -> Self {
        let ring = |by: usize| {
            (0..entries)
                .map(|at| ((at + by) % entries) as u16)
                .collect()
        };
        Self {
            policy,
            places: Vec::new(),
            tags: vec![NONE; entries],
            after: ring(1),
            before: ring(entries - 1),
            head: 0,
            filled: 0,
            draw: 1,
        }
    }

    #[inline]
    fn touch(&mut self, tag: u32) -> bool {
        match self.places.get(tag as usize) {
            Some(&place) if place != NOWHERE => {
                self.used_last(place);
                true
            }
            _ => self.bring_in(tag),
        }
    }

    fn bring_in(&mut self, tag: u32) -> bool {
        let at = tag as usize;
        if at >= self.places.len() {
            self.places.resize((at + 1).next_power_of_two(), NOWHERE);
        }
        let place = self.victim();
        let out = std::mem::replace(&mut self.tags[usize::from(place)], tag);
        if out != NONE {
            self.places[out as usize] = NOWHERE;
        }
        self.places[at] = place;
        self.used_last(place);
        false
    }

    /// Removed entries stay empty in their places and are refilled in the usual order.
    fn remove_all(&mut self, which: impl Fn(u32) -> bool) {
        for tag in &mut self.tags {
            if *tag != NONE && which(*tag) {
                self.places[*tag as usize] = NOWHERE;
                *tag = NONE;
            }
        }
        if self.tags.iter().all(|tag| *tag == NONE) {
            self.filled = 0;
        }
    }

    fn victim(&mut self) -> u16 {
        if self.policy == Policy::Lru {
            return self.before[usize::from(self.head)];
        }
        if self.filled < self.tags.len() {
            self.filled += 1;
            return (self.filled - 1) as u16;
        }
        (draw(&mut self.draw) % self.tags.len()) as u16
    }

    #[inline]
    fn used_last(&mut self, place: u16) {
        if self.policy == Policy::Lru && place != self.head {
            self.make_head(place);
        }
    }

    fn make_head(&mut self, place: u16) {
        let at = usize::from(place);
        let (before, after) = (self.before[at], self.after[at]);
        self.after[usize::from(before)] = after;
        self.before[usize::from(after)] = before;
        let end = self.before[usize::from(self.head)];
        self.after[usize::from(end)] = place;
        self.before[at] = end;
        self.after[at] = self.head;
        self.before[usize::from(self.head)] = place;
        self.head = place;
    }
}
