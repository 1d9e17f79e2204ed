use std::fs;
use std::path::Path;

use super::Results;
use super::ledger::Ledger;
use crate::data::journal::{Depth, Found};
use crate::data::{JournalError, Value};

impl Results {
    /// Makes the results of a run again from its journal, finished or not; fails if it cannot be read or understood.
    pub fn from_journal(path: &Path) -> Result<Self, JournalError> {
        let found = read_file(path)?;
        Ok(Self::of(found.made, found.warnings, Depth::All))
    }

    /// The findings, noise and warnings alone, of the text of a journal: all that a fleet asks of each machine. `path`
    /// is its name in errors; fails if the text cannot be understood.
    pub fn verdicts_of_journal(text: &[u8], path: &Path) -> Result<Self, JournalError> {
        let found = Ledger::read(text, path, Depth::Verdicts)?;
        Ok(Self::of(found.made, found.warnings, Depth::Verdicts))
    }

    /// The same, with every slot valued in this way whatever the run was asked for; a warning says where that is
    /// another way. Errors as of [`Results::from_journal`].
    pub fn from_journal_valued(path: &Path, value: Value) -> Result<Self, JournalError> {
        let found = read_file(path)?;
        let own = found.made.header.settings.value;
        let mut warnings = found.warnings;
        if own != value {
            warnings.push(format!(
                "its slots were valued {} when it ran; here they are valued {}, as those of the run \
                 that it stands beside",
                own.word(),
                value.word()
            ));
        }
        Ok(Self::of(found.made.valued(value)?, warnings, Depth::All))
    }
}

fn read_file(path: &Path) -> Result<Found<Ledger>, JournalError> {
    let text = fs::read(path).map_err(JournalError::io("read", path))?;
    Ledger::read(&text, path, Depth::All)
}
