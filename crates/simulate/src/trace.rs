//! The format of a trace: what one thread of the recorded program did to memory.
//!
//! # Theory
//!
//! A trace is a header and tokens, each a few bytes:
//!
//! ```text
//!   header   "flowtrc" version   space
//!   token    LEB128 number n
//!              n & 3 = 1 load, 2 store, 3 both    one granule of 16 bytes
//!                  n >> 3   distance to the granule before, zigzag
//!                  n & 4    there were more accesses in a row: their number follows
//!              n & 3 = 0    an event: n >> 2 says which, its numbers follow
//! ```
//!
//! *Folded*: accesses in a row to one granule are one token. A cache line is never smaller than a
//! granule, so nothing of what a model could see is lost but the order of loads and stores
//! within a granule. *Compact*: programs work on memory near to what they worked on last, so a
//! distance is short; 2 to 3 bytes a token are usual. *Hashed*: the reader hashes what it has
//! read ([`Reader::hash`]), so that counts can be traced to the very traces they are from.
//!
//! The window of a trace opens with [`Event::Begin`]; accesses before it are not recorded, events
//! are. A trace that ends in the middle of a token was cut, and is an error.

pub mod mark;
mod reader;
mod writer;

pub use reader::Reader;
pub use writer::Writer;

use crate::memory::Backing;

/// Bytes whose accesses are folded.
pub const GRANULE: u64 = 16;
/// Their bits.
pub const GRANULE_BITS: u32 = GRANULE.trailing_zeros();
/// Bits of a frame.
pub const PAGE_BITS: u32 = 12;

/// Begins every trace; the last byte is the version.
pub(crate) const MAGIC: [u8; 8] = *b"flowtrc\x01";

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
    /// The flow has done its work, with so many accesses since [`Event::Begin`], recorded or not.
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

const BEGIN: u64 = 1;
const END: u64 = 2;
const MAP_OWN: u64 = 3;
const MAP_PRIVATE_FILE: u64 = 4;
const MAP_SHARED: u64 = 5;
const UNMAP: u64 = 6;
const FORK: u64 = 7;
const WROTE: u64 = 8;

/// The accesses that [`Event::End`] tells of, where that is the last token of a trace that ends with
/// these bytes.
#[must_use]
pub fn accesses_at_end(tail: &[u8]) -> Option<u64> {
    // The bytes of a number but its last have their high bit set.
    let (last, before) = tail.split_last()?;
    let more = before
        .iter()
        .rev()
        .take_while(|byte| **byte >= 0x80)
        .count();
    let (rest, bytes) = before.split_at(before.len() - more);
    let is_end = *last < 0x80 && u64::from(*rest.last()?) == END << 2;
    let mut number = bytes.iter().chain([last]).rev();
    let number = number.try_fold(0_u64, |number, byte| {
        Some(number.checked_mul(128)? | u64::from(byte & 0x7f))
    });
    number.filter(|_| is_end)
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
    Unknown(u64),
}

#[cfg(test)]
mod tests;
