//! Reading a journal: whole lines only, and each one understood or named.
//!
//! # Theory
//!
//! A line is written in one go and ends with a newline. A run that is killed while it
//! writes therefore leaves at most one line without its newline, the last one: it is
//! dropped, and said so. A line that *has* its newline and cannot be understood was never
//! written by us, or was changed since; that is an error and not a thing to skip.

use std::mem;
use std::path::Path;

use memchr::{memchr_iter, memrchr};
use serde::Deserialize;

use super::{Entry, Header, JournalError, SCHEMA, brief};

/// How much of a journal is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// All that can be said.
    All,
    /// Findings, noise and warnings alone: what an answer over many machines is made of. What would
    /// cost time beside them is empty.
    Verdicts,
}

/// A journal as it was found.
#[derive(Debug)]
pub(crate) struct Found<T> {
    /// What was made of its entries.
    pub(crate) made: T,
    /// Length of all whole lines, in bytes.
    pub(crate) whole: u64,
    /// What the reader must know.
    pub(crate) warnings: Vec<String>,
}

/// Reads the text of a journal, and lets `take` have each entry in turn; `path` is its name in errors.
pub(crate) fn read<T>(
    (text, path): (&[u8], &Path),
    depth: Depth,
    begin: impl FnOnce(Header) -> Result<T, String>,
    take: impl Fn(&mut T, Entry) -> Result<(), String>,
) -> Result<Found<T>, JournalError> {
    let whole = memrchr(b'\n', text).map_or(0, |end| end + 1);
    let ends = memchr_iter(b'\n', text).map(|end| end + 1);
    let mut begins = 0;
    let mut lines = ends.map(|end| &text[mem::replace(&mut begins, end)..end]);
    let first = lines.next().ok_or_else(|| JournalError::Empty {
        path: path.to_owned(),
    })?;
    let malformed = |line: usize, message: String| JournalError::Malformed {
        path: path.to_owned(),
        line,
        message,
    };
    let header = header(first, path)?;
    let mut made = begin(header.clone()).map_err(|message| malformed(1, message))?;
    for (i, line) in lines.enumerate() {
        entry(line, &header, depth)
            .map_err(|error| in_its_line(&error))
            .and_then(|entry| take(&mut made, entry))
            .map_err(|message| malformed(i + 2, message))?;
    }
    let torn = text.len() - whole;
    Ok(Found {
        made,
        whole: whole as u64,
        warnings: (torn > 0).then(|| torn_line(torn)).into_iter().collect(),
    })
}

/// How the line of a slot begins.
const SLOT: &[u8] = br#"{"line":"slot","#;

/// Reads a line. One that may be any entry is held in memory as it stands until its kind is known; of
/// slots, which are most of a journal, that is twice the work, so they are read as what they are.
fn entry(line: &[u8], header: &Header, depth: Depth) -> serde_json::Result<Entry> {
    let brief = match depth {
        Depth::All => None,
        Depth::Verdicts => brief::entry(line, header),
    };
    match brief {
        Some(entry) => Ok(entry),
        None if line.starts_with(SLOT) => serde_json::from_slice(line).map(Entry::Slot),
        None => serde_json::from_slice(line),
    }
}

/// Each line is read as a text of its own, in which all errors are in line 1.
fn in_its_line(error: &serde_json::Error) -> String {
    error
        .to_string()
        .replace(" at line 1 column ", " at column ")
}

fn torn_line(bytes: usize) -> String {
    format!(
        "the journal's last line was cut off after {bytes} bytes while it was written, and is left out"
    )
}

/// Reads the first line by the schema that it names.
fn header(line: &[u8], path: &Path) -> Result<Header, JournalError> {
    #[derive(Deserialize)]
    struct OnlySchema {
        schema: u32,
    }
    let malformed = |error: serde_json::Error| JournalError::Malformed {
        path: path.to_owned(),
        line: 1,
        message: in_its_line(&error),
    };
    let OnlySchema { schema } = serde_json::from_slice(line).map_err(malformed)?;
    match schema {
        // A later schema adds its arm here; those before it stay and convert. The first one
        // has no notes and no probes, and all flows one by one: entries read both.
        1 | 2 => serde_json::from_slice(line).map_err(malformed),
        _ => Err(JournalError::Schema {
            path: path.to_owned(),
            schema,
            known: SCHEMA,
        }),
    }
}
