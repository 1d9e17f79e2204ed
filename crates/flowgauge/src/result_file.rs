//! The file of `-o`, checked before the run. Slots' parents write into an anonymous file, whose
//! descriptor the slot process inherits; a good slot's goes to the [`Target`].

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use lab::study::command::OfRun;

use crate::args::{self, Command, StudyArgs};
use crate::target::{Over, Target, folder_of};

#[derive(Debug)]
pub(crate) struct ResultFile {
    target: Option<Target>,
    scratch: File,
    kept: Option<File>,
    folder: PathBuf,
}

impl ResultFile {
    /// Without a target, slots still write results (part of the work).
    pub(crate) fn prepare(target: Option<&Path>, force: bool) -> Result<Self> {
        let folder = target.map_or_else(std::env::temp_dir, folder_of);
        if target == Some(Path::new("-")) {
            bail!("-o -: standard output has the report: name a file");
        }
        let over = if force { Over::All } else { Over::Nothing };
        let target = target.map(|path| Target::prepare(path, over)).transpose()?;
        // Slots' named pipes are there too: checked in any case.
        let temporary = temporary_file()?;
        let scratch = tempfile::tempfile_in(&folder).unwrap_or(temporary);
        Ok(Self {
            target,
            scratch,
            kept: None,
            folder,
        })
    }

    pub(crate) fn of(args: &StudyArgs) -> Result<Self> {
        let flags = args.flags();
        let file = flags.of_run(OfRun::Output);
        let file = file.map(|given| Path::new(given.shown.as_str()));
        Self::prepare(file, flags.of_run(OfRun::Force).is_some())
    }

    pub(crate) fn of_command(command: &[String]) -> Result<Self> {
        match args::parsed(command) {
            Some(Command::Study(args)) => Self::of(&args),
            _ => Self::prepare(None, false),
        }
    }

    pub(crate) fn for_slots(&self) -> &File {
        &self.scratch
    }

    pub(crate) fn target(&self) -> Option<PathBuf> {
        let target = self.target.as_ref()?;
        Some(target.path().to_owned())
    }

    pub(crate) fn in_words(&self) -> String {
        match &self.target {
            Some(target) => format!("the results for {}", target.path().display()),
            None => "the results".to_owned(),
        }
    }

    pub(crate) fn keep(&mut self) -> io::Result<()> {
        if self.target.is_none() || self.kept.is_some() {
            return Ok(());
        }
        let fresh = tempfile::tempfile_in(&self.folder).or_else(|_| tempfile::tempfile())?;
        self.kept = Some(std::mem::replace(&mut self.scratch, fresh));
        Ok(())
    }

    pub(crate) fn publish(&mut self) -> Result<Option<PathBuf>> {
        let (Some(target), Some(mut kept)) = (&mut self.target, self.kept.take()) else {
            return Ok(None);
        };
        let begun = kept.seek(SeekFrom::Start(0));
        begun.with_context(|| format!("cannot write {}", target.path().display()))?;
        target.write(&mut kept)?;
        Ok(Some(target.path().to_owned()))
    }
}

fn temporary_file() -> Result<File> {
    tempfile::tempfile().with_context(|| {
        format!(
            "cannot make a temporary file in {}: set TMPDIR to a folder on a local disk that \
             can be written",
            std::env::temp_dir().display()
        )
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    #[test]
    fn what_a_slot_writes_is_published_whole() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("primes.csv");
        let mut file = ResultFile::prepare(Some(&target), false).unwrap();
        file.for_slots().write_all(b"first\n").unwrap();
        file.keep().unwrap();
        file.for_slots().write_all(b"second\n").unwrap();
        file.keep().unwrap();
        assert!(!target.exists());
        assert_eq!(file.publish().unwrap(), Some(target.clone()));
        assert_eq!(fs::read_to_string(&target).unwrap(), "first\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_existing_file_needs_force() {
        let mut existing = tempfile::NamedTempFile::new().unwrap();
        existing.write_all(b"precious").unwrap();
        let error = ResultFile::prepare(Some(existing.path()), false).unwrap_err();
        assert!(error.to_string().contains("--force"), "{error}");
        assert!(ResultFile::prepare(Some(existing.path()), true).is_ok());
        assert_eq!(fs::read(existing.path()).unwrap(), b"precious");
    }

    #[test]
    fn folders_and_full_devices_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(ResultFile::prepare(Some(folder.path()), true).is_err());
        assert!(ResultFile::prepare(Some(&folder.path().join("missing/all.csv")), false).is_err());
        let mut full = ResultFile::prepare(Some(Path::new("/dev/full")), false).unwrap();
        full.for_slots().write_all(b"row\n").unwrap();
        full.keep().unwrap();
        let error = format!("{:#}", full.publish().unwrap_err());
        assert!(
            error.contains("/dev/full") && error.contains("No space left"),
            "{error}"
        );
    }
}
