use std::io::Read;

use super::hash::Hash;
use super::{
    Access, BEGIN, DISTANCE_SHIFT, END, Event, FAR, FORK, LOAD, MAGIC, MAP_OWN, MAP_PRIVATE_FILE,
    MAP_SHARED, MORE, ONE_MORE, STORE, Token, TraceError, UNMAP, WROTE,
};
use crate::memory::Backing;
use crate::model::AtHand;

/// Small: the host's caches must hold those of 32 flows.
const CHUNK: usize = 1 << 14;
const TOKEN: usize = 64;

/// Reads the tokens of a trace.
#[derive(Debug)]
pub struct Reader<R> {
    source: R,
    bytes: Vec<u8>,
    at: usize,
    ended: bool,
    hash: Hash,
    space: u32,
    before: u64,
}

impl<R: Read> Reader<R> {
    /// Reads the header. Errors: it cannot be read, or is no trace of this version.
    pub fn new(source: R) -> Result<Self, TraceError> {
        let mut reader = Self {
            source,
            bytes: Vec::with_capacity(CHUNK + TOKEN),
            at: 0,
            ended: false,
            hash: Hash::default(),
            space: 0,
            before: 0,
        };
        reader.fill()?;
        if !reader.bytes.starts_with(&MAGIC) {
            return Err(TraceError::Version);
        }
        reader.at = MAGIC.len();
        reader.space = u32::from_le_bytes(reader.take()?);
        Ok(reader)
    }

    /// The address space of the thread.
    #[must_use]
    pub fn space(&self) -> u32 {
        self.space
    }

    /// A hash of all that was read.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        self.hash.bytes()
    }

    /// The next token; `None` at the end. Errors: the trace is unreadable, cut, or too new.
    pub fn token(&mut self) -> Result<Option<Token>, TraceError> {
        if let Some(access) = self.next() {
            return Ok(Some(Token::Access(access)));
        }
        if self.at + TOKEN > self.bytes.len() && !self.ended {
            self.fill()?;
        }
        if self.at == self.bytes.len() {
            return Ok(None);
        }
        let word = u32::from_le_bytes(self.take()?);
        if word & (LOAD | STORE) != 0 {
            return Ok(Some(Token::Access(accesses(word, &mut self.before))));
        }
        if word >> 2 == FAR {
            let number = self.number()?;
            self.before = number >> 2;
            return Ok(Some(Token::Access(Access {
                granule: self.before,
                load: number & u64::from(LOAD) != 0,
                store: number & u64::from(STORE) != 0,
                times: 1,
            })));
        }
        self.event(word >> 2).map(|event| Some(Token::Event(event)))
    }

    fn event(&mut self, code: u32) -> Result<Event, TraceError> {
        Ok(match code {
            BEGIN => Event::Begin {
                flow: self.number()?,
            },
            END => {
                let accesses = self.number()?;
                let _it_ends_as_it_begins = self.take::<4>()?;
                Event::End { accesses }
            }
            MAP_OWN | MAP_PRIVATE_FILE | MAP_SHARED => Event::Map {
                first: self.number()?,
                pages: self.number()?,
                backing: self.backing(code)?,
            },
            UNMAP => Event::Unmap {
                first: self.number()?,
                pages: self.number()?,
            },
            FORK => Event::Fork {
                child: self.number()? as u32,
            },
            WROTE => Event::Wrote {
                page: self.number()?,
            },
            unknown => return Err(TraceError::Unknown(unknown)),
        })
    }

    fn backing(&mut self, code: u32) -> Result<Backing, TraceError> {
        if code == MAP_OWN {
            return Ok(Backing::Own);
        }
        Ok(Backing::Object {
            object: self.number()?,
            page: self.number()?,
            private: code == MAP_PRIVATE_FILE,
        })
    }

    fn number(&mut self) -> Result<u64, TraceError> {
        self.take().map(u64::from_le_bytes)
    }

    fn take<const BYTES: usize>(&mut self) -> Result<[u8; BYTES], TraceError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let taken = rest.first_chunk().ok_or(TraceError::Cut)?;
        self.at += BYTES;
        Ok(*taken)
    }

    fn fill(&mut self) -> Result<(), TraceError> {
        self.bytes.drain(..self.at);
        self.at = 0;
        let kept = self.bytes.len();
        let wanted = (CHUNK - kept.min(CHUNK)) as u64;
        let read = (&mut self.source)
            .take(wanted)
            .read_to_end(&mut self.bytes)?;
        self.hash.add(&self.bytes[kept..]);
        self.ended = (read as u64) < wanted;
        Ok(())
    }
}

impl<R> AtHand for Reader<R> {
    /// An access at hand; else [`Reader::token`] takes over. Small: its result stays in registers.
    #[inline]
    fn next(&mut self) -> Option<Access> {
        let word = u32::from_le_bytes(*self.bytes.get(self.at..)?.first_chunk()?);
        if word & (LOAD | STORE) == 0 {
            return None;
        }
        self.at += size_of::<u32>();
        Some(accesses(word, &mut self.before))
    }
}

#[inline]
fn accesses(word: u32, before: &mut u64) -> Access {
    let zigzag = u64::from(word >> DISTANCE_SHIFT);
    let distance = (zigzag >> 1) ^ (zigzag & 1).wrapping_neg();
    *before = before.wrapping_add(distance);
    Access {
        granule: *before,
        load: word & LOAD != 0,
        store: word & STORE != 0,
        times: 1 + u64::from((word & MORE) / ONE_MORE),
    }
}
