//! The format of a trace: what one thread of the recorded program did to memory, as a header and
//! tokens, all in words of 32 bits, the lowest byte first:
//! ```text
//!   header   "flowtrc" version   space
//!   token    a word n
//!              n & 3 = 1 load, 2 store, 3 both    one granule of 16 bytes
//!                  n >> 5       distance to the granule before, zigzag
//!                  n >> 2 & 7   how many more accesses in a row there were
//!              n & 3 = 0    something else: n >> 2 says what, its numbers follow in two words each
//! ```
//! *Folded*: up to 8 accesses in a row to one granule are one token: only the order of loads and
//! stores within one is lost. *Words*: nearly every distance fits (up to 1 GB); else the granule
//! follows. Numbers of as many bytes as they need would be a quarter shorter, and took several
//! times as long. *Hashed* by the reader ([`Reader::hash`]): counts can be traced to their traces.
//!
//! The window of a trace opens with [`Event::Begin`]; accesses before it are not recorded, events
//! are. A trace that ends in the middle of a token was cut, and is an error.

mod hash;
mod reader;
mod writer;

pub use reader::Reader;
pub use writer::Writer;

use crate::memory::Backing;

/// File beside the traces that reports an exec: the new program was not recorded.
pub const EXEC: &str = "exec";

/// Bytes whose accesses are folded.
pub const GRANULE: u64 = 16;
/// Their bits.
pub const GRANULE_BITS: u32 = GRANULE.trailing_zeros();
/// Bits of a frame.
pub const PAGE_BITS: u32 = 12;

/// Begins every trace; the last byte is the version.
pub(crate) const MAGIC: [u8; 8] = *b"flowtrc\x02";

/// One thing that a thread did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// Accesses to a granule.
    Access(Access),
    /// Something else.
    Event(Event),
}

/// Accesses in a row to one granule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// Address divided by [`GRANULE`].
    pub granule: u64,
    /// Whether any was a load.
    pub load: bool,
    /// Whether any was a store.
    pub store: bool,
    /// How many; at least 1.
    pub times: u64,
}

/// What is no access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The window opens: from here on the thread is that flow.
    Begin {
        /// Its number.
        flow: u64,
    },
    /// The flow has done its work, with so many accesses since [`Event::Begin`].
    End {
        /// All of them.
        accesses: u64,
    },
    /// Pages have something new behind them.
    Map {
        /// The first page (address divided by 4 KB).
        first: u64,
        /// How many.
        pages: u64,
        /// What.
        backing: Backing,
    },
    /// Pages are gone.
    Unmap {
        /// The first page.
        first: u64,
        /// How many.
        pages: u64,
    },
    /// The process was copied.
    Fork {
        /// The address space of the child.
        child: u32,
    },
    /// A page was written while no accesses were recorded.
    Wrote {
        /// The page.
        page: u64,
    },
}

const DISTANCE_BITS: u32 = u32::BITS - DISTANCE_SHIFT;
const DISTANCE_SHIFT: u32 = 5;
const MORE: u32 = 7 * ONE_MORE;
const ONE_MORE: u32 = 1 << 2;
const LOAD: u32 = 1;
const STORE: u32 = 2;

const BEGIN: u32 = 1;
const END: u32 = 2;
const MAP_OWN: u32 = 3;
const MAP_PRIVATE_FILE: u32 = 4;
const MAP_SHARED: u32 = 5;
const UNMAP: u32 = 6;
const FORK: u32 = 7;
const WROTE: u32 = 8;
/// Granule and kind follow.
const FAR: u32 = 9;

fn kind(store: bool) -> u32 {
    if store { STORE } else { LOAD }
}

/// The accesses that [`Event::End`] reports, if a trace ends with it and with these bytes.
#[must_use]
pub fn accesses_at_end(tail: &[u8]) -> Option<u64> {
    let (rest, last) = tail.split_last_chunk::<4>()?;
    let (rest, accesses) = rest.split_last_chunk::<8>()?;
    let first = rest.last_chunk::<4>()?;
    let end = (END << 2).to_le_bytes();
    (*first == end && *last == end).then(|| u64::from_le_bytes(*accesses))
}

/// A trace that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The file cannot be read.
    #[error("a trace cannot be read: {0}")]
    Read(#[from] std::io::Error),
    /// It is no trace of this version.
    #[error("not a trace of this version of flowgauge: record it again")]
    Version,
    /// It ends in the middle of a token.
    #[error("a trace was cut: the recorded program was killed, or the disk is full")]
    Cut,
    /// It has a token that this version does not know.
    #[error("a trace holds an unknown event {0}: record it again")]
    Unknown(u32),
}

#[cfg(test)]
mod tests;
