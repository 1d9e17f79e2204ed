//! Reading a trace, and hashing what is read.

use std::io::Read;

use sha2::{Digest, Sha256};

use super::{
    Access, BEGIN, END, Event, FORK, MAGIC, MAP_OWN, MAP_PRIVATE_FILE, MAP_SHARED, Token,
    TraceError, UNMAP, WROTE,
};
use crate::memory::Backing;

/// Bytes that are read at a time: small, as every flow has a reader, and those of 32 flows are to stay
/// in the host's caches.
const CHUNK: usize = 1 << 14;
/// More than any token takes.
const TOKEN: usize = 64;

/// Reads the tokens of a trace.
#[derive(Debug)]
pub struct Reader<R> {
    source: R,
    bytes: Vec<u8>,
    at: usize,
    ended: bool,
    hash: Sha256,
    space: u32,
    before: u64,
}

impl<R: Read> Reader<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// It cannot be read, or is no trace of this version.
    pub fn new(source: R) -> Result<Self, TraceError> {
        let mut reader = Self {
            source,
            bytes: Vec::with_capacity(CHUNK + TOKEN),
            at: 0,
            ended: false,
            hash: Sha256::new(),
            space: 0,
            before: 0,
        };
        reader.fill()?;
        if !reader.bytes.starts_with(&MAGIC) {
            return Err(TraceError::Version);
        }
        reader.at = MAGIC.len();
        reader.space = u32::try_from(reader.number()?).map_err(|_| TraceError::Version)?;
        Ok(reader)
    }

    /// The address space of the thread.
    #[must_use]
    pub fn space(&self) -> u32 {
        self.space
    }

    /// SHA-256 of all that was read.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        self.hash.clone().finalize().into()
    }

    /// The next token; `None` at the end.
    ///
    /// # Errors
    /// The trace cannot be read, was cut, or holds what this version does not know.
    pub fn token(&mut self) -> Result<Option<Token>, TraceError> {
        if let Some(access) = self.access() {
            return Ok(Some(Token::Access(access)));
        }
        if self.at + TOKEN > self.bytes.len() && !self.ended {
            self.fill()?;
        }
        if self.at == self.bytes.len() {
            return Ok(None);
        }
        let head = self.number()?;
        if head & 3 == 0 {
            return self.event(head >> 2).map(|event| Some(Token::Event(event)));
        }
        let times = match head & 4 {
            0 => 1,
            _ => self.number()?.saturating_add(1),
        };
        Ok(Some(Token::Access(self.accesses(head, times))))
    }

    /// The next token where it is accesses whose bytes are at hand; otherwise nothing is read, and
    /// [`Reader::token`] says what there is. Most tokens come this way: it is small, and what it gives
    /// stays in registers.
    #[inline]
    pub(crate) fn access(&mut self) -> Option<Access> {
        let bytes = self.bytes.get(self.at..)?.first_chunk::<TOKEN>()?;
        let (head, length) = short_number(*bytes.first_chunk()?)?;
        let folded = (head >> 2 & 1) as u8;
        let more = *bytes.get(length)?;
        // An event, or a number of accesses that takes more than a byte.
        if head & 3 == 0 || more & folded << 7 != 0 {
            return None;
        }
        self.at += length + usize::from(folded);
        Some(self.accesses(head, 1 + u64::from(more * folded)))
    }

    /// The accesses of a token.
    #[inline]
    fn accesses(&mut self, head: u64, times: u64) -> Access {
        let zigzag = head >> 3;
        let distance = (zigzag >> 1) ^ (zigzag & 1).wrapping_neg();
        self.before = self.before.wrapping_add(distance);
        Access {
            granule: self.before,
            load: head & 1 != 0,
            store: head & 2 != 0,
            times,
        }
    }

    fn event(&mut self, code: u64) -> Result<Event, TraceError> {
        Ok(match code {
            BEGIN => Event::Begin {
                flow: self.number()?,
            },
            END => Event::End {
                accesses: self.number()?,
            },
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

    fn backing(&mut self, code: u64) -> Result<Backing, TraceError> {
        if code == MAP_OWN {
            return Ok(Backing::Own);
        }
        let (object, page) = (self.number()?, self.number()?);
        Ok(match code {
            MAP_PRIVATE_FILE => Backing::PrivateFile { object, page },
            _ => Backing::Shared { object, page },
        })
    }

    fn number(&mut self) -> Result<u64, TraceError> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let Some(&byte) = self.bytes.get(self.at) else {
                return Err(TraceError::Cut);
            };
            self.at += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
            shift += 7;
            if shift > 63 {
                return Err(TraceError::Version);
            }
        }
    }

    /// Reads on until there is a chunk, or the end.
    fn fill(&mut self) -> Result<(), TraceError> {
        self.bytes.drain(..self.at);
        self.at = 0;
        let kept = self.bytes.len();
        let wanted = (CHUNK - kept.min(CHUNK)) as u64;
        let read = (&mut self.source)
            .take(wanted)
            .read_to_end(&mut self.bytes)?;
        self.hash.update(&self.bytes[kept..]);
        self.ended = (read as u64) < wanted;
        Ok(())
    }
}

/// The number at the beginning of these bytes, and how many of them it takes; `None` where that is more
/// than there are.
///
/// How long a number is has no pattern, so there is no loop over its bytes: the first one without its high
/// bit is the last, and groups of 7 bits are pushed together, two at a time, then four, then eight.
#[inline]
fn short_number(bytes: [u8; 8]) -> Option<(u64, usize)> {
    let word = u64::from_le_bytes(bytes);
    let ends = !word & 0x8080_8080_8080_8080;
    if ends == 0 {
        return None;
    }
    let own = word & (ends ^ (ends - 1)) & 0x7f7f_7f7f_7f7f_7f7f;
    let pairs = own & 0x007f_007f_007f_007f | (own & 0x7f00_7f00_7f00_7f00) >> 1;
    let fours = pairs & 0x0000_3fff_0000_3fff | (pairs & 0x3fff_0000_3fff_0000) >> 2;
    let all = fours & 0x0fff_ffff | (fours & 0x0fff_ffff_0000_0000) >> 4;
    Some((all, ends.trailing_zeros() as usize / 8 + 1))
}
