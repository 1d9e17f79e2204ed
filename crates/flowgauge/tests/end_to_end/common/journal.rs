//! Results: journals as raw lines, for what must be in the file, and as the lab reads them; tables.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;

use lab::{CaseResult, Results};
use serde_json::Value;

use super::Home;

/// A slot's place, in the order of the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) case: String,
    pub(crate) round: u64,
    pub(crate) variant: u64,
}

/// A row of a table, by the names of its columns.
pub(crate) type Row = BTreeMap<String, String>;

/// Every whole line but the header. There is none before the file is there.
pub(crate) fn entries(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("journal.jsonl")).unwrap_or_default();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let lines = whole.lines().skip(1);
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The slots that the journal in `folder` holds.
pub(crate) fn slots(folder: &Path) -> Vec<Slot> {
    let slot = |entry: Value| {
        (entry["line"] == "slot").then(|| Slot {
            case: entry["case"].as_str().unwrap().to_owned(),
            round: entry["round"].as_u64().unwrap(),
            variant: entry["variant"].as_u64().unwrap(),
        })
    };
    entries(folder).into_iter().filter_map(slot).collect()
}

/// The signal in the journal's last line, which must be the end of the run.
pub(crate) fn end_signal(folder: &Path) -> Option<i64> {
    let entries = entries(folder);
    let last = entries.last().unwrap();
    assert_eq!(last["line"], "end", "{last}");
    last["interrupted"].as_i64()
}

/// The results as the lab makes them from the journal in `folder`.
pub(crate) fn results(folder: &Path) -> Results {
    Results::from_journal(&folder.join("journal.jsonl")).unwrap()
}

/// The run into `out`.
impl Home {
    pub(crate) fn results(&self) -> Results {
        results(&self.path("out"))
    }

    /// The first case of its first study.
    pub(crate) fn case(&self) -> CaseResult {
        self.results().studies.swap_remove(0).cases.swap_remove(0)
    }

    /// A table of it.
    pub(crate) fn table(&self, name: &str) -> Vec<Row> {
        table(fs::File::open(self.path("out").join(name)).unwrap())
    }

    pub(crate) fn slots(&self) -> Vec<Slot> {
        slots(&self.path("out"))
    }
}

/// The rows of a table, each by the names of its columns.
pub(crate) fn table(text: impl Read) -> Vec<Row> {
    let mut reader = csv::Reader::from_reader(text);
    reader.deserialize().map(Result::unwrap).collect()
}

/// The labels of the variants of a case.
pub(crate) fn labels(case: &CaseResult) -> Vec<&str> {
    let variants = case.variants.iter();
    variants.map(|variant| variant.label.as_str()).collect()
}
