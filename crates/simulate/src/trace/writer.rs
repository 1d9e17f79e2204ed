//! Writing a trace into memory.

use super::{
    Access, BEGIN, END, Event, FORK, MAGIC, MAP_OWN, MAP_PRIVATE_FILE, MAP_SHARED, UNMAP, WROTE,
};
use crate::memory::Backing;

/// No granule.
const NOWHERE: u64 = u64::MAX;

/// Folds accesses and appends tokens to bytes that its owner takes away. It asks for no memory
/// after it was made: its owner takes the bytes away while [`Writer::SPARE`] are left.
#[derive(Debug)]
pub struct Writer {
    bytes: Box<[u8]>,
    /// How many of them are written.
    length: usize,
    /// Accesses that may be folded with the next.
    open: Access,
    /// The granule of the token before.
    before: u64,
}

impl Writer {
    /// Bytes that an access and an event take at the most.
    pub const SPARE: usize = 128;

    /// A trace of a thread of that address space.
    #[must_use]
    pub fn new(space: u32, capacity: usize) -> Self {
        let mut writer = Self {
            bytes: vec![0; capacity.max(2 * Self::SPARE)].into(),
            length: MAGIC.len(),
            open: Access {
                granule: NOWHERE,
                load: false,
                store: false,
                times: 0,
            },
            before: 0,
        };
        writer.bytes[..MAGIC.len()].copy_from_slice(&MAGIC);
        writer.number(space.into());
        writer
    }

    /// One access within a granule.
    #[inline]
    pub fn access(&mut self, granule: u64, store: bool) {
        if self.open.granule == granule {
            self.open.times += 1;
            self.open.load |= !store;
            self.open.store |= store;
            return;
        }
        self.close();
        self.open = Access {
            granule,
            load: !store,
            store,
            times: 1,
        };
    }

    /// Something else.
    pub fn event(&mut self, event: Event) {
        self.close();
        let mut numbers = |code: u64, numbers: &[u64]| {
            self.number(code << 2);
            numbers.iter().for_each(|number| self.number(*number));
        };
        match event {
            Event::Begin { flow } => numbers(BEGIN, &[flow]),
            Event::End { accesses } => numbers(END, &[accesses]),
            Event::Map {
                first,
                pages,
                backing,
            } => match backing {
                Backing::Own | Backing::Inherited { .. } => numbers(MAP_OWN, &[first, pages]),
                Backing::PrivateFile { object, page } => {
                    numbers(MAP_PRIVATE_FILE, &[first, pages, object, page]);
                }
                Backing::Shared { object, page } => {
                    numbers(MAP_SHARED, &[first, pages, object, page]);
                }
            },
            Event::Unmap { first, pages } => numbers(UNMAP, &[first, pages]),
            Event::Fork { child } => numbers(FORK, &[child.into()]),
            Event::Wrote { page } => numbers(WROTE, &[page]),
        }
    }

    /// Whether the next access and event may not fit.
    #[inline]
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.bytes.len() - self.length < Self::SPARE
    }

    /// What is written so far.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Ends the accesses that could still be folded.
    #[inline]
    pub fn close(&mut self) {
        let Access {
            granule,
            load,
            store,
            times,
        } = self.open;
        if times == 0 {
            return;
        }
        let distance = granule.wrapping_sub(self.before).cast_signed();
        let zigzag = ((distance << 1) ^ (distance >> 63)).cast_unsigned();
        let folded = times > 1;
        let kind = u64::from(load) | u64::from(store) << 1 | u64::from(folded) << 2;
        self.before = granule;
        self.open.granule = NOWHERE;
        self.open.times = 0;
        self.token(zigzag << 3 | kind, times - 1, folded);
    }

    /// A token of accesses, in one piece where its numbers are short: whether accesses were folded, and how
    /// far they are away, has no pattern, so there is no choice and no loop.
    #[inline]
    fn token(&mut self, head: u64, more: u64, folded: bool) {
        let room = self.bytes.get_mut(self.length..);
        let room = room.and_then(|room| room.first_chunk_mut::<9>());
        if let Some(room) = room.filter(|_| head >> 56 == 0 && more < 0x80) {
            let (word, length) = short_number(head);
            room[..8].copy_from_slice(&word.to_le_bytes());
            room[length] = more as u8;
            self.length += length + usize::from(folded);
            return;
        }
        self.number(head);
        if folded {
            self.number(more);
        }
    }

    /// Forgets what is written: it was taken away.
    pub fn clear(&mut self) {
        self.length = 0;
    }

    #[cold]
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.byte(number as u8 | 0x80);
            number >>= 7;
        }
        self.byte(number as u8);
    }

    fn byte(&mut self, byte: u8) {
        self.bytes[self.length] = byte;
        self.length += 1;
    }
}

/// The bytes of a number below 2 to the 56th, the first one lowest, and how many they are.
///
/// Groups of 7 bits are moved apart: two of four, then four of two, then eight.
#[inline]
fn short_number(number: u64) -> (u64, usize) {
    let fours = number & 0x0fff_ffff | (number & 0x00ff_ffff_f000_0000) << 4;
    let pairs = fours & 0x0000_3fff_0000_3fff | (fours & 0x0fff_c000_0fff_c000) << 2;
    let own = pairs & 0x007f_007f_007f_007f | (pairs & 0x3f80_3f80_3f80_3f80) << 1;
    let bits = 64 - (number | 1).leading_zeros() as usize;
    let length = bits.div_ceil(7);
    let others = (1 << (8 * (length - 1))) - 1;
    (own | others & 0x8080_8080_8080_8080, length)
}
