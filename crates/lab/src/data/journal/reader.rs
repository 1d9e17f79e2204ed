//! Reading a journal: whole lines only, each one understood or named. A run killed while it writes
//! leaves one line without a newline: it is dropped, and said. With checksums ([`super::checksum`])
//! a changed line is read as it was if that is known, and else left out; both are said. Without, as
//! in a journal that somebody made, it is an error.

use std::borrow::Cow;
use std::path::Path;
use std::{fs, io};

use serde::Deserialize;

use super::checksum::{self, Found as Seal};
use super::error::malformed;
use super::lines::{self, Lines};
use super::{Entry, Header, JournalError, SCHEMA, brief};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    All,
    /// Findings, noise and warnings, for an answer over many machines; slower parts stay empty.
    Verdicts,
}

#[derive(Debug)]
pub(crate) struct Found<T> {
    pub(crate) made: T,
    pub(crate) whole: u64,
    pub(crate) warnings: Vec<String>,
}

/// `take` gets each entry with the number of lost lines before it that nothing stands for.
pub(crate) fn read<T>(
    (text, path): (&[u8], &Path),
    depth: Depth,
    begin: impl FnOnce(Header) -> Result<T, String>,
    take: impl Fn(&mut T, Entry, &mut usize) -> Result<(), String>,
) -> Result<Found<T>, JournalError> {
    let has_checksums = checksum::is_in(text);
    let mut lines = Lines::of(text);
    let first = lines.next().ok_or_else(|| JournalError::Empty {
        path: path.to_owned(),
    })?;
    let mut warnings = Vec::new();
    let first = first_line(first, has_checksums, &mut warnings);
    let header = header(&first, path)?;
    let made = begin(header.clone());
    let mut made = made.map_err(|message| malformed(path, 1, message))?;
    let (mut lost, mut damaged) = (0, 0);
    for ((line, seal), number) in lines.zip(2..) {
        let mut take = |line: &[u8]| {
            let entry = entry(line, &header, depth).map_err(|error| in_its_line(&error))?;
            take(&mut made, entry, &mut lost)
        };
        let taken = match &seal {
            Seal::Mended(mended) => take(mended),
            Seal::Whole => take(line),
            Seal::Bare if !has_checksums => take(line),
            Seal::Bare | Seal::Damaged => Err(String::new()),
        };
        match taken {
            Ok(()) if matches!(seal, Seal::Mended(_)) => warnings.push(mended_line(number)),
            Ok(()) => {}
            Err(_) if has_checksums && seal != Seal::Whole => {
                lost += 1;
                damaged += 1;
                if damaged <= NAMED {
                    warnings.push(lost_line(number));
                }
            }
            Err(message) => return Err(malformed(path, number, message)),
        }
    }
    let more = damaged.saturating_sub(NAMED);
    if more > 0 {
        warnings.push(format!(
            "{more} more lines of the journal were damaged and are left out"
        ));
    }
    let whole = lines::whole(text);
    if whole < text.len() {
        warnings.push(torn_line(text.len() - whole));
    }
    Ok(Found {
        made,
        whole: whole as u64,
        warnings,
    })
}

fn first_line<'t>(
    (line, seal): (&'t [u8], Seal),
    has_checksums: bool,
    warnings: &mut Vec<String>,
) -> Cow<'t, [u8]> {
    match seal {
        Seal::Mended(mended) => {
            warnings.push(mended_line(1));
            return mended.into();
        }
        Seal::Damaged => warnings.push(changed_header()),
        Seal::Bare if has_checksums => warnings.push(changed_header()),
        Seal::Bare | Seal::Whole => {}
    }
    line.into()
}

/// Whether the header is as it was written; a flipped bit that is set right changes nothing.
pub fn has_whole_header(path: &Path) -> io::Result<bool> {
    let text = fs::read(path)?;
    let seal = Lines::of(&text).next().map(|(_, seal)| seal);
    Ok(matches!(seal, Some(Seal::Whole | Seal::Mended(_))))
}

/// Of lost lines: a damaged journal has very many.
const NAMED: usize = 10;

fn mended_line(line: usize) -> String {
    format!(
        "line {line} of the journal was damaged after it was written: its checksum shows which bit had \
         flipped, and it is read as it was"
    )
}

fn changed_header() -> String {
    "line 1 of the journal was changed after it was written (its checksum is another one, or gone): what it says \
     of the run and the machine may not be so"
        .to_owned()
}

fn lost_line(line: usize) -> String {
    format!(
        "line {line} of the journal was damaged after it was written (its checksum is another one, or gone), \
         and is left out: a slot that stood there counts as failed"
    )
}

const SLOT: &[u8] = br#"{"line":"slot","#;

/// Slots, most of a journal, are read as such: as an untyped entry they would cost twice.
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

/// Each line is parsed alone: its errors are in line 1.
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

fn header(line: &[u8], path: &Path) -> Result<Header, JournalError> {
    #[derive(Deserialize)]
    struct OnlySchema {
        schema: u32,
    }
    let unread = |error: serde_json::Error| malformed(path, 1, in_its_line(&error));
    let OnlySchema { schema } = serde_json::from_slice(line).map_err(unread)?;
    match schema {
        SCHEMA => serde_json::from_slice(line).map_err(unread),
        _ => Err(JournalError::Schema {
            path: path.to_owned(),
            schema,
            known: SCHEMA,
        }),
    }
}
