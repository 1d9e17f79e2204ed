//! A results folder that a run is about to make, and that goes again if nothing comes of it.
//!
//! A run can fail between its journal's header and its first slot. Then the user has an
//! error message and should not have a folder too. What was there before (the folder
//! itself, a journal of another run, folders above it) is never touched, and a folder that
//! holds anything stays.

use std::fs;
use std::path::{Path, PathBuf};

/// Removes what was made for a run when dropped, until it is told to [`keep`](Self::keep).
#[derive(Debug)]
pub(crate) struct NewFolder {
    journal: PathBuf,
    /// Folders that were not there, the innermost first.
    missing: Vec<PathBuf>,
    keep: bool,
}

impl NewFolder {
    /// To be called before the folder and its journal are made.
    pub(crate) fn planned(folder: &Path) -> Self {
        let journal = folder.join(lab::journal::FILE_NAME);
        let named = folder.ancestors().filter(|p| !p.as_os_str().is_empty());
        Self {
            missing: named
                .take_while(|path| !exists(path))
                .map(Path::to_owned)
                .collect(),
            keep: exists(&journal),
            journal,
        }
    }

    /// There is something in it that is worth having.
    pub(crate) fn keep(&mut self) {
        self.keep = true;
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        if self.keep {
            return;
        }
        let _never_made_is_fine = fs::remove_file(&self.journal);
        for folder in &self.missing {
            let _not_empty_is_fine = fs::remove_dir(folder);
        }
    }
}

/// Whether there is anything of that name, be it a link to nowhere.
fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_goes_and_what_was_there_stays() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("results/today");
        let planned = NewFolder::planned(&folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(lab::journal::FILE_NAME), "{}").unwrap();
        drop(planned);
        assert!(root.path().exists() && !root.path().join("results").exists());
    }

    #[test]
    fn a_journal_of_another_run_and_a_full_folder_stay() {
        let root = tempfile::tempdir().unwrap();
        let journal = root.path().join(lab::journal::FILE_NAME);
        fs::write(&journal, "{}").unwrap();
        drop(NewFolder::planned(root.path()));
        assert!(journal.exists());

        let folder = root.path().join("new");
        let planned = NewFolder::planned(&folder);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("notes"), "mine").unwrap();
        drop(planned);
        assert!(folder.join("notes").exists());
    }

    #[test]
    fn a_folder_that_is_kept_stays() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("new");
        let mut planned = NewFolder::planned(&folder);
        fs::create_dir(&folder).unwrap();
        planned.keep();
        drop(planned);
        assert!(folder.exists());
    }
}
