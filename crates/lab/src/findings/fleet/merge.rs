//! Journals of one machine, brought together. A journal is fetched while it grows, cut, fetched
//! again, and the machine may have been run twice. A run's first line is unique; of each run the
//! longest text is kept, in whole lines:
//! ```text
//!   of one run:   one text is the beginning of the other     the longer one
//!                 neither is (both were taken up again)      the longer one, then the greater bytes
//!   of two runs:  both stay
//! ```
//! The greatest of a total order and the union of runs are idempotent, commutative and associative:
//! any order and groups give the same bytes. Which run answers is decided by what is in it
//! (finished, then the longest), and by no clock.

use std::collections::BTreeMap;

use crate::data::Entry;
use crate::data::journal::FILE_NAME;

/// The journals of one machine, by their first lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Journals(BTreeMap<Vec<u8>, Vec<u8>>);

impl Journals {
    /// Takes a journal, whole or cut. False where it has no whole first line.
    pub fn take(&mut self, text: impl Into<Vec<u8>>) -> bool {
        let mut text = text.into();
        text.truncate(whole_lines(&text));
        let Some(first) = text.iter().position(|byte| *byte == b'\n') else {
            return false;
        };
        let known = self.0.entry(text[..first].to_vec()).or_default();
        if (text.len(), &text) > (known.len(), known) {
            *known = text;
        }
        true
    }

    /// Takes all of another one's.
    pub fn merge(&mut self, other: Self) {
        for text in other.0.into_values() {
            self.take(text);
        }
    }

    /// The journals, the one that answers first.
    #[must_use]
    pub fn best_first(&self) -> Vec<&[u8]> {
        let mut all: Vec<&[u8]> = self.0.values().map(Vec::as_slice).collect();
        all.sort_by_cached_key(|text| std::cmp::Reverse((is_finished(text), text.len(), *text)));
        all
    }

    /// The names of the files that hold them, each with its text.
    pub fn files(&self) -> impl Iterator<Item = (String, &[u8])> {
        let name = |place: usize| match place {
            0 => FILE_NAME.to_owned(),
            _ => format!("journal-{}.jsonl", place + 1),
        };
        let files = self.best_first().into_iter().enumerate();
        files.map(move |(place, text)| (name(place), text))
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn whole_lines(text: &[u8]) -> usize {
    let end = text.iter().rposition(|byte| *byte == b'\n');
    end.map_or(0, |end| end + 1)
}

/// Whether its last line says that the run ended by itself.
#[must_use]
pub fn is_finished(text: &[u8]) -> bool {
    let mut lines = text.trim_ascii_end().rsplit(|byte| *byte == b'\n');
    let last = lines.next().unwrap_or_default();
    let entry: Option<Entry> = serde_json::from_slice(last).ok();
    matches!(
        entry,
        Some(Entry::End {
            interrupted: None,
            ..
        })
    )
}
