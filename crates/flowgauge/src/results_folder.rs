//! A results folder that a run makes, and that goes again if nothing comes of it. Only what this
//! process made may go: another run can be at work in the same folder. So a folder is ours if
//! `mkdir` made it, the journal if it was made with `O_EXCL` (and is still the same file, by device
//! and number). A folder that holds anything stays, because `rmdir` refuses it.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Dropping it removes what was made, unless [`keep`](Self::keep) was called.
#[derive(Debug, Default)]
pub(crate) struct NewFolder {
    journal: Option<(PathBuf, (u64, u64))>,
    made: Vec<PathBuf>,
    keep: bool,
}

impl NewFolder {
    /// With missing parents. A link must be this user's or root's.
    pub(crate) fn make(folder: &Path) -> io::Result<Self> {
        let mut new = Self::default();
        let named = folder.ancestors().filter(|p| !p.as_os_str().is_empty());
        let named: Vec<&Path> = named.collect();
        for path in named.into_iter().rev() {
            new.make_one(path)?;
        }
        tidy::Folder::open_for_files(folder)?;
        Ok(new)
    }

    fn make_one(&mut self, path: &Path) -> io::Result<()> {
        if path.is_dir() {
            return Ok(());
        }
        match fs::create_dir(path) {
            Ok(()) => self.made.push(path.to_owned()),
            Err(_) if path.is_dir() => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    pub(crate) fn made(&self, folder: &Path) -> bool {
        self.made.last().is_some_and(|made| made == folder)
    }

    pub(crate) fn owns(&mut self, journal: &Path) {
        let found = fs::symlink_metadata(journal).ok();
        self.journal = found.map(|about| (journal.to_owned(), identity(&about)));
    }

    pub(crate) fn keep(&mut self) {
        self.keep = true;
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        if self.keep {
            return;
        }
        if let Some((journal, made)) = &self.journal
            && fs::symlink_metadata(journal).is_ok_and(|about| identity(&about) == *made)
        {
            let _gone_is_fine = fs::remove_file(journal);
        }
        for folder in self.made.iter().rev() {
            let _not_empty_is_fine = fs::remove_dir(folder);
        }
    }
}

fn identity(about: &Metadata) -> (u64, u64) {
    (about.dev(), about.ino())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal(folder: &Path) -> PathBuf {
        folder.join(lab::journal::FILE_NAME)
    }

    fn made() -> (tempfile::TempDir, PathBuf, NewFolder) {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("new");
        let new = NewFolder::make(&folder).unwrap();
        (root, folder, new)
    }

    #[test]
    fn what_was_made_goes_and_what_was_there_stays() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("results/today");
        let mut new = NewFolder::make(&folder).unwrap();
        assert!(new.made(&folder));
        fs::write(journal(&folder), "{}").unwrap();
        new.owns(&journal(&folder));
        drop(new);
        assert!(root.path().exists() && !root.path().join("results").exists());
    }

    /// Two runs into one new folder: the one that is refused must not take the other's.
    #[test]
    fn the_journal_of_a_run_that_was_faster_stays() {
        let (_root, folder, refused) = made();
        let mut faster = NewFolder::make(&folder).unwrap();
        assert!(refused.made(&folder) && !faster.made(&folder));
        fs::write(journal(&folder), "{}").unwrap();
        faster.owns(&journal(&folder));
        drop(refused);
        assert!(journal(&folder).exists());
        faster.keep();
    }

    #[test]
    fn a_journal_that_took_the_place_of_ours_stays() {
        let (_root, folder, mut new) = made();
        fs::write(journal(&folder), "{}").unwrap();
        new.owns(&journal(&folder));
        fs::rename(journal(&folder), folder.join("moved")).unwrap();
        fs::write(journal(&folder), "other").unwrap();
        drop(new);
        assert_eq!(fs::read(journal(&folder)).unwrap(), b"other");
    }

    #[test]
    fn a_full_folder_stays() {
        let (_root, folder, new) = made();
        fs::write(folder.join("notes"), "mine").unwrap();
        drop(new);
        assert!(folder.join("notes").exists());
    }

    #[test]
    fn a_folder_that_is_kept_stays() {
        let (_root, folder, mut new) = made();
        new.keep();
        drop(new);
        assert!(folder.exists());
    }

    #[test]
    fn folders_that_were_made_go_where_the_next_cannot_be() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("file"), "mine").unwrap();
        assert!(NewFolder::make(&root.path().join("file/out")).is_err());
        assert!(NewFolder::make(&root.path().join("a/../file/out")).is_err());
        assert!(!root.path().join("a").exists());
    }
}
