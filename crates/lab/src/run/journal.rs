//! The journal, one JSON object a line: first the [`Header`], then each [`Entry`], with checksums. A line goes to the
//! file in a single write, so a run that is cut off loses at most the slot it was in.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::data::journal::{Depth, FILE_NAME, seal};
use crate::data::{Entry, Header, JournalError, Probe};
use crate::findings::Results;
use crate::findings::ledger::Ledger;

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

/// The journal of a run: the file, and what it says so far.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    bytes: u64,
    ledger: Ledger,
    warnings: Vec<String>,
}

impl Journal {
    /// Begins a journal in `folder`, which is made if need be; fails if it holds one or cannot be written, or on
    /// settings without judgement.
    pub fn create(folder: &Path, header: Header) -> Result<Self, JournalError> {
        let path = folder.join(FILE_NAME);
        let line = line_of(&header).map_err(JournalError::io("write", &path))?;
        let ledger = Ledger::new(header)?;
        fs::create_dir_all(folder).map_err(JournalError::io("create", folder))?;
        let mut options = OpenOptions::new();
        let file = options.append(true).create_new(true).open(&path);
        let mut file = file.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => JournalError::Exists { path: path.clone() },
            _ => JournalError::io("create", &path)(error),
        })?;
        let begun = lock(&file, &path).and_then(|()| {
            file.write_all(&line)
                .map_err(JournalError::io("write", &path))
        });
        if let Err(error) = begun {
            // Nobody but this process can have made it.
            let _gone_is_fine = fs::remove_file(&path);
            return Err(error);
        }
        Ok(Self {
            path,
            file,
            bytes: line.len() as u64,
            ledger,
            warnings: Vec::new(),
        })
    }

    /// Takes up a journal that was cut short, after dropping a torn last line; with `overrides` also one that its
    /// budget or rounds ended. Fails if nothing is left to run, fewer rounds are asked for than there were to be, or
    /// the file cannot be read, understood or written.
    pub fn resume(path: &Path, overrides: ResumeOverrides) -> Result<Self, JournalError> {
        let path = path.to_owned();
        let mut file =
            tidy::whole::open_to_append(&path).map_err(JournalError::io("open", &path))?;
        lock(&file, &path)?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)
            .map_err(JournalError::io("read", &path))?;
        let found = Ledger::read(&text, &path, Depth::All)?;
        let mut ledger = found.made.clone();
        let entry = overrides.entry(&found.made);
        let refused = |message| JournalError::ResumeOverrides {
            path: path.clone(),
            message,
        };
        if let Some(entry) = entry.clone() {
            ledger.take(entry).map_err(refused)?;
        }
        if found.made.finished {
            match ledger.is_open() {
                true => ledger.check_time().map_err(refused)?,
                false => {
                    let decided = ledger.is_decided();
                    return Err(JournalError::Finished { path, decided });
                }
            }
        }
        file.set_len(found.whole)
            .map_err(JournalError::io("shorten", &path))?;
        let mut journal = Self {
            path,
            file,
            bytes: found.whole,
            ledger: found.made,
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

    /// Whether any slot was launched.
    #[must_use]
    pub fn holds_slots(&self) -> bool {
        let mut logs = self.ledger.logs.iter().flatten();
        logs.any(|log| !log.slots.is_empty())
    }

    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Writes down what the reader must know, as a warning; fails if the journal cannot be written.
    pub fn note(&mut self, text: &str) -> Result<(), JournalError> {
        self.append(Entry::Note {
            text: text.to_owned(),
        })
    }

    /// Writes a fenced probe down; fails if the journal cannot be written, or has no such study.
    pub fn probed(&mut self, study: &str, probe: Probe) -> Result<(), JournalError> {
        self.append(Entry::Probe {
            study: study.to_owned(),
            probe,
        })
    }

    /// A file that was removed, or cut short by another program, takes every line and keeps not all.
    fn holds_all(&self) -> io::Result<()> {
        let about = self.file.metadata()?;
        let what = match about.nlink() {
            0 => "removed",
            _ if about.len() < self.bytes => "cut short",
            _ if about.len() > self.bytes => "written to by another program",
            _ => return Ok(()),
        };
        Err(io::Error::other(format!(
            "it was {what} while the run went on; what was measured is lost but for what is shown"
        )))
    }

    pub(crate) fn append(&mut self, entry: Entry) -> Result<(), JournalError> {
        let line = line_of(&entry).map_err(JournalError::io("write", &self.path))?;
        self.bytes += line.len() as u64;
        self.file
            .write_all(&line)
            .and_then(|()| self.holds_all())
            .map_err(JournalError::io("write", &self.path))?;
        let taken = self.ledger.take(entry);
        taken.map_err(|message| JournalError::io("continue", &self.path)(io::Error::other(message)))
    }
}

/// For how long a lock is asked for after its stopped holders were ended.
const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(10);

/// Takes the journal for this process alone. The lock goes with the process and with every child that was stopped
/// before its exec: such children of dead runs are ended here.
fn lock(file: &File, path: &Path) -> Result<(), JournalError> {
    let until = Instant::now() + PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(JournalError::io("lock", path)(error)),
            Err(TryLockError::WouldBlock) => flow::end_stranded(),
        }
        let holders = flow::stopped_holders(file);
        if holders.is_empty() || Instant::now() >= until {
            let path = path.to_owned();
            return Err(JournalError::Locked { path, holders });
        }
        std::thread::sleep(PAUSE);
    }
}

fn line_of(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    seal(&mut line);
    Ok(line)
}

#[cfg(test)]
mod tests;
