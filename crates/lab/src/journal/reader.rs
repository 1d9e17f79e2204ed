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
use crate::ledger::Ledger;
use crate::results::Depth;

/// A journal as it was found.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) ledger: Ledger,
    /// Length of all whole lines, in bytes.
    pub(super) whole: u64,
    /// What the reader must know.
    pub(super) warnings: Vec<String>,
}

/// Reads the text of a journal; `path` is its name in errors.
pub(super) fn read(text: &[u8], path: &Path, depth: Depth) -> Result<Found, JournalError> {
    let whole = memrchr(b'\n', text).map_or(0, |end| end + 1);
    let ends = memchr_iter(b'\n', text).map(|end| end + 1);
    let mut begin = 0;
    let mut lines = ends.map(|end| &text[mem::replace(&mut begin, end)..end]);
    let first = lines.next().ok_or_else(|| JournalError::Empty {
        path: path.to_owned(),
    })?;
    let malformed = |line: usize, message: String| JournalError::Malformed {
        path: path.to_owned(),
        line,
        message,
    };
    let header = header(first, path)?;
    let mut ledger = Ledger::new(header).map_err(|error| malformed(1, error.to_string()))?;
    for (i, line) in lines.enumerate() {
        entry(line, &ledger, depth)
            .map_err(|error| in_its_line(&error))
            .and_then(|entry| ledger.take(entry))
            .map_err(|message| malformed(i + 2, message))?;
    }
    let torn = text.len() - whole;
    Ok(Found {
        ledger,
        whole: whole as u64,
        warnings: (torn > 0).then(|| torn_line(torn)).into_iter().collect(),
    })
}

/// How the line of a slot begins.
const SLOT: &[u8] = br#"{"line":"slot","#;

/// Reads a line. One that may be any entry is held in memory as it stands until its kind is known; of
/// slots, which are most of a journal, that is twice the work, so they are read as what they are.
fn entry(line: &[u8], ledger: &Ledger, depth: Depth) -> serde_json::Result<Entry> {
    let brief = match depth {
        Depth::All => None,
        Depth::Verdicts => brief::entry(line, ledger),
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
