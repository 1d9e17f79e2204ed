//! Writing a trace into memory.

use super::{
    Access, BEGIN, END, Event, FORK, MAGIC, MAP_OWN, MAP_PRIVATE_FILE, MAP_SHARED, UNMAP, WROTE,
};
use crate::memory::Backing;

/// No granule.
const NOWHERE: u64 = u64::MAX;

/// Folds accesses and appends tokens to bytes that its owner takes away. It asks for no memory
/// while the bytes have [`Writer::SPARE`] left.
#[derive(Debug)]
pub struct Writer {
    bytes: Vec<u8>,
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
            bytes: Vec::with_capacity(capacity),
            open: Access {
                granule: NOWHERE,
                load: false,
                store: false,
                times: 0,
            },
            before: 0,
        };
        writer.bytes.extend(MAGIC);
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
        self.bytes.capacity() - self.bytes.len() < Self::SPARE
    }

    /// What is written so far.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
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
        let kind = u64::from(load) | u64::from(store) << 1 | u64::from(times > 1) << 2;
        self.number(zigzag << 3 | kind);
        if times > 1 {
            self.number(times - 1);
        }
        self.before = granule;
        self.open.granule = NOWHERE;
        self.open.times = 0;
    }

    /// Forgets what is written: it was taken away.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    #[inline]
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }
}
