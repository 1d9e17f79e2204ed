//! The journal: one JSON object a line, appended as each slot ends.
//!
//! The first line is the [`Header`], every other one an [`Entry`]. Each line goes to the
//! file in a single write, so that a run that is cut off loses at most the slot it was in.

mod brief;
mod error;
mod reader;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use flow::Outcome;
use machine::{Filesystem, Machine};
use serde::{Deserialize, Serialize};

use crate::ledger::Ledger;
use crate::results::Depth;
use crate::{Case, Probe, Results, Settings, Study, Value};

pub use error::JournalError;

/// Name of the journal in a folder of results.
pub const FILE_NAME: &str = "journal.jsonl";

/// Version of the journal's schema. Readers open every version up to theirs.
pub const SCHEMA: u32 = 2;

/// The first line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// [`SCHEMA`] of the writer.
    pub schema: u32,
    /// Version of flowgauge.
    pub version: String,
    /// Seconds since the epoch when the run began.
    pub began_unix_s: u64,
    /// The command as it was given, for "run it again".
    pub command: Vec<String>,
    /// How it is run.
    pub settings: Settings,
    /// Where it is run.
    pub machine: Machine,
    /// What the folders are on that slots write files to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files_on: Vec<Filesystem>,
    /// What is run.
    pub studies: Vec<Study>,
}

/// The line of a slot: most lines of a journal are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SlotEntry {
    /// Study by name.
    pub study: String,
    /// Case by name.
    pub case: String,
    /// Round, from 0.
    pub round: usize,
    /// Variant by its place in the case.
    pub variant: usize,
    /// Seconds after the beginning of the run when it was launched.
    pub at_s: f64,
    /// How it went.
    pub outcome: Outcome,
}

/// Every other line.
#[expect(
    clippy::large_enum_variant,
    reason = "the large variant is nearly every line, and one is held at a time"
)]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
pub enum Entry {
    /// What the pilot of a case chose.
    Pilot {
        /// Study and case by name.
        study: String,
        /// Case.
        case: String,
        /// Warm-ups in each slot.
        warmups: u32,
        /// Repetitions in each slot.
        reps: u32,
        /// Deadline of each slot, in seconds.
        deadline_s: f64,
        /// Outcomes, one a variant; never data points.
        outcomes: Vec<Outcome>,
    },
    /// A slot.
    Slot(SlotEntry),
    /// What the reader of the results must know, as it was known before the first slot.
    Note {
        /// One sentence.
        text: String,
    },
    /// A fenced probe.
    Probe {
        /// Study by name.
        study: String,
        /// What came of it.
        probe: Probe,
    },
    /// A case has ended, and why.
    CaseEnd {
        /// Study by name.
        study: String,
        /// Case by name.
        case: String,
        /// Why no more rounds were run.
        because: CaseEnd,
    },
    /// A run that was shown is taken up again, and may last longer than was planned.
    Extended {
        /// Seconds at the most for each study from here on; null: as before.
        budget_s: Option<f64>,
        /// Rounds at the most for each case from here on; null: as before.
        max_rounds: Option<usize>,
    },
    /// The run has ended.
    End {
        /// The signal that cut it, if one did.
        interrupted: Option<i32>,
        /// Seconds after the beginning.
        at_s: f64,
    },
}

/// Why a case ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseEnd {
    /// Every comparison was decided at a look.
    Decided,
    /// All rounds were run.
    Rounds,
    /// The budget was used up.
    Budget,
    /// Too many slots failed.
    Failures,
}

/// How much longer a run may last than was planned.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ResumeOverrides {
    /// Seconds at the most for each study, those already spent included.
    pub budget_s: Option<f64>,
    /// Rounds at the most for each case, those already run included.
    pub max_rounds: Option<usize>,
}

impl ResumeOverrides {
    /// What is written down; nothing where nothing changes and nothing was shown.
    fn entry(self, ledger: &Ledger) -> Option<Entry> {
        let shown = ledger.finished || ledger.interrupted.is_some();
        (shown || self != Self::default()).then_some(Entry::Extended {
            budget_s: self.budget_s,
            max_rounds: self.max_rounds,
        })
    }
}

impl Header {
    /// The headline answers of the run: their studies, each with its case.
    pub(crate) fn answers(&self) -> impl Iterator<Item = (&Study, &Case)> {
        self.studies.iter().filter_map(|study| {
            let mut cases = study.cases.iter();
            let case = cases.find(|case| case.name == study.headline)?;
            (case.variants.len() > 1).then_some((study, case))
        })
    }

    /// With how many answers of the run a case shares its error: all of them where it is the
    /// headline of its study, else with itself alone.
    pub(crate) fn answers_with(&self, study: &Study, case: &Case) -> usize {
        let is_headline = self.settings.together && case.name == study.headline;
        match is_headline {
            true => self.answers().count().max(1),
            false => 1,
        }
    }
}

/// The journal of a run: the file, and what it says so far.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    ledger: Ledger,
    warnings: Vec<String>,
}

impl Journal {
    /// Begins a journal in `folder`, which is made if it is not there.
    ///
    /// # Errors
    /// The folder holds a journal already, cannot be written, or the settings allow no
    /// judgement.
    pub fn create(folder: &Path, header: Header) -> Result<Self, JournalError> {
        let path = folder.join(FILE_NAME);
        let line = line_of(&header).map_err(failed("write", &path))?;
        let ledger = Ledger::new(header)?;
        fs::create_dir_all(folder).map_err(failed("create", folder))?;
        let mut options = OpenOptions::new();
        let file = options.append(true).create_new(true).open(&path);
        let mut file = file.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => JournalError::Exists { path: path.clone() },
            _ => failed("create", &path)(error),
        })?;
        let begun =
            lock(&file, &path).and_then(|()| file.write_all(&line).map_err(failed("write", &path)));
        if let Err(error) = begun {
            // Nobody but this process can have made it.
            let _gone_is_fine = fs::remove_file(&path);
            return Err(error);
        }
        Ok(Self {
            path,
            file,
            ledger,
            warnings: Vec::new(),
        })
    }

    /// Takes up a journal that was cut short, after dropping a torn last line; with `overrides`
    /// also one that its budget or its rounds ended.
    ///
    /// # Errors
    /// There is nothing left to run, fewer rounds are asked for than there were to be, or the
    /// file cannot be read, understood or written.
    pub fn resume(path: &Path, overrides: ResumeOverrides) -> Result<Self, JournalError> {
        let path = path.to_owned();
        let mut file = tidy::whole::open_to_append(&path).map_err(failed("open", &path))?;
        lock(&file, &path)?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(failed("read", &path))?;
        let found = reader::read(&text, &path, Depth::All)?;
        let mut ledger = found.ledger.clone();
        let entry = overrides.entry(&found.ledger);
        let refused = |message| JournalError::ResumeOverrides {
            path: path.clone(),
            message,
        };
        if let Some(entry) = entry.clone() {
            ledger.take(entry).map_err(refused)?;
        }
        if found.ledger.finished {
            match ledger.is_open() {
                true => ledger.check_time().map_err(refused)?,
                false => {
                    let decided = ledger.is_decided();
                    return Err(JournalError::Finished { path, decided });
                }
            }
        }
        file.set_len(found.whole)
            .map_err(failed("shorten", &path))?;
        let mut journal = Self {
            path,
            file,
            ledger: found.ledger,
            warnings: found.warnings,
        };
        if let Some(entry) = entry {
            journal.append(entry)?;
        }
        Ok(journal)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its first line.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.ledger.header
    }

    /// What the reader of the file must know: of a torn last line, say.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// What the run has found so far.
    #[must_use]
    pub fn results(&self) -> Results {
        Results::of(self.ledger.clone(), self.warnings.clone(), Depth::All)
    }

    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Writes down what the reader of the results must know: it is one of their warnings.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn note(&mut self, text: &str) -> Result<(), JournalError> {
        self.append(Entry::Note {
            text: text.to_owned(),
        })
    }

    /// Writes a fenced probe of a study down.
    ///
    /// # Errors
    /// The journal cannot be written, or has no such study.
    pub fn probed(&mut self, study: &str, probe: Probe) -> Result<(), JournalError> {
        self.append(Entry::Probe {
            study: study.to_owned(),
            probe,
        })
    }

    /// A file that was removed takes every line and keeps none.
    fn still_named(&self) -> io::Result<()> {
        match self.file.metadata()?.nlink() {
            0 => Err(io::Error::other(
                "it was removed while the run went on; what was measured is lost but for what \
                 is shown",
            )),
            _ => Ok(()),
        }
    }

    /// Writes an entry down and takes it into account.
    pub(crate) fn append(&mut self, entry: Entry) -> Result<(), JournalError> {
        let line = line_of(&entry).map_err(failed("write", &self.path))?;
        self.file
            .write_all(&line)
            .and_then(|()| self.still_named())
            .map_err(failed("write", &self.path))?;
        let taken = self.ledger.take(entry);
        taken.map_err(|message| failed("continue", &self.path)(io::Error::other(message)))
    }
}

impl Results {
    /// Makes the results of a run again from its journal, finished or not.
    ///
    /// # Errors
    /// The file cannot be read or understood.
    pub fn from_journal(path: &Path) -> Result<Self, JournalError> {
        let found = read_file(path)?;
        Ok(Self::of(found.ledger, found.warnings, Depth::All))
    }

    /// The findings, noise and warnings alone, of the text of a journal: all that a fleet asks of each of
    /// its machines. `path` is the journal's name in errors.
    ///
    /// # Errors
    /// The text cannot be understood.
    pub fn verdicts_of_journal(text: &[u8], path: &Path) -> Result<Self, JournalError> {
        let found = reader::read(text, path, Depth::Verdicts)?;
        Ok(Self::of(found.ledger, found.warnings, Depth::Verdicts))
    }

    /// The same, with every slot valued in this way whatever the run was asked for, so that it can be
    /// laid beside runs that were valued so; a warning says where that is another way.
    ///
    /// # Errors
    /// As [`Results::from_journal`].
    pub fn from_journal_valued(path: &Path, value: Value) -> Result<Self, JournalError> {
        let found = read_file(path)?;
        let own = found.ledger.header.settings.value;
        let mut warnings = found.warnings;
        if own != value {
            warnings.push(format!(
                "its slots were valued {} when it ran; here they are valued {}, as those of the run \
                 that it stands beside",
                own.word(),
                value.word()
            ));
        }
        Ok(Self::of(found.ledger.valued(value)?, warnings, Depth::All))
    }
}

/// Takes the journal for this process alone: two runs that wrote to one would mix their
/// slots. The lock goes with the process, however it ends.
fn lock(file: &File, path: &Path) -> Result<(), JournalError> {
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => JournalError::Locked {
            path: path.to_owned(),
        },
        TryLockError::Error(error) => failed("lock", path)(error),
    })
}

fn read_file(path: &Path) -> Result<reader::Found, JournalError> {
    let text = fs::read(path).map_err(failed("read", path))?;
    reader::read(&text, path, Depth::All)
}

fn line_of(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    Ok(line)
}

fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> JournalError {
    let path = path.to_owned();
    move |source| JournalError::Io {
        action,
        path,
        source,
    }
}

#[cfg(test)]
mod tests;
