use super::{
    BEGIN, DISTANCE_BITS, DISTANCE_SHIFT, END, Event, FAR, FORK, MAGIC, MAP_OWN, MAP_PRIVATE_FILE,
    MAP_SHARED, MORE, ONE_MORE, UNMAP, WROTE, kind,
};
use crate::memory::Backing;

/// Folds accesses into tokens; its owner takes the bytes while there is [`Writer::room`].
#[derive(Debug)]
pub struct Writer {
    bytes: Box<[u8]>,
    length: usize,
    /// The last word, if the next access may be folded into it.
    last: u32,
    before: u64,
}

const FAR_BYTES: usize = size_of::<u32>() + size_of::<u64>();
const CLOSED: u32 = MORE;

impl Writer {
    const SPARE: usize = 128;

    /// A trace of a thread of that address space.
    #[must_use]
    pub fn new(space: u32, capacity: usize) -> Self {
        let mut writer = Self {
            bytes: vec![0; capacity.max(2 * Self::SPARE)].into(),
            length: MAGIC.len(),
            last: CLOSED,
            before: 0,
        };
        writer.bytes[..MAGIC.len()].copy_from_slice(&MAGIC);
        writer.put(space.to_le_bytes());
        writer
    }

    /// One access within a granule. Folding has no pattern that a host could foresee: no branch.
    #[inline]
    pub fn access(&mut self, granule: u64, store: bool) {
        let kind = kind(store);
        let distance = granule.wrapping_sub(self.before).cast_signed();
        let zigzag = ((distance << 1) ^ (distance >> 63)).cast_unsigned();
        self.before = granule;
        if zigzag >> DISTANCE_BITS != 0 {
            return self.far(granule, kind);
        }
        let again = (zigzag == 0) & (self.last & MORE != MORE);
        let (folded, fresh) = (
            (self.last | kind).wrapping_add(ONE_MORE),
            (zigzag as u32) << DISTANCE_SHIFT | kind,
        );
        self.last = if again { folded } else { fresh };
        self.length += if again { 0 } else { size_of::<u32>() };
        let from = self.length - size_of::<u32>();
        self.bytes[from..self.length].copy_from_slice(&self.last.to_le_bytes());
    }

    #[cold]
    fn far(&mut self, granule: u64, kind: u32) {
        self.tokens(FAR, &[granule << 2 | u64::from(kind)]);
    }

    /// Something else.
    pub fn event(&mut self, event: Event) {
        match event {
            Event::Begin { flow } => self.tokens(BEGIN, &[flow]),
            Event::End { accesses } => {
                self.tokens(END, &[accesses]);
                self.put((END << 2).to_le_bytes());
            }
            Event::Map {
                first,
                pages,
                backing,
            } => match backing {
                Backing::Own | Backing::Inherited { .. } => self.tokens(MAP_OWN, &[first, pages]),
                Backing::Object {
                    object,
                    page,
                    private,
                } => {
                    let code = if private {
                        MAP_PRIVATE_FILE
                    } else {
                        MAP_SHARED
                    };
                    self.tokens(code, &[first, pages, object, page]);
                }
            },
            Event::Unmap { first, pages } => self.tokens(UNMAP, &[first, pages]),
            Event::Fork { child } => self.tokens(FORK, &[child.into()]),
            Event::Wrote { page } => self.tokens(WROTE, &[page]),
        }
    }

    /// Accesses that fit, however far apart, with an event or two.
    #[must_use]
    pub fn room(&self) -> u64 {
        ((self.bytes.len() - self.length).saturating_sub(Self::SPARE) / FAR_BYTES) as u64
    }

    /// What is written so far.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Clears the bytes after they were taken away.
    pub fn clear(&mut self) {
        self.length = 0;
        self.last = CLOSED;
    }

    fn tokens(&mut self, code: u32, numbers: &[u64]) {
        self.last = CLOSED;
        self.put((code << 2).to_le_bytes());
        for number in numbers {
            self.put(number.to_le_bytes());
        }
    }

    fn put<const BYTES: usize>(&mut self, bytes: [u8; BYTES]) {
        self.bytes[self.length..][..BYTES].copy_from_slice(&bytes);
        self.length += BYTES;
    }
}
