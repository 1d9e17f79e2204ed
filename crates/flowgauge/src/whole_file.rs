//! Files that are whole or as they were: a full disk or a signal leaves no half of one.
//!
//! The text goes into a file beside the one that is meant, which then takes its place. What a
//! killed program left of such files is removed the next time.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Ends the names of files that are being written: `.NAME.PID.part`.
const ENDING: &str = ".part";

/// Writes `bytes` to `path` in one step.
pub(crate) fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<()> {
    let part = part_of(path);
    let written = fs::write(&part, bytes).and_then(|()| fs::rename(&part, path));
    written
        .inspect_err(|_| drop(fs::remove_file(&part)))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Removes from `folder` what programs that are dead began to write.
pub(crate) fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if writer(&entry.file_name()).is_some_and(|pid| !flow::is_alive(pid)) {
            let _gone_already_is_fine = fs::remove_file(entry.path());
        }
    }
}

/// Whether a file cannot be written because this user may not: another one's folder, or a disk
/// that is read-only.
pub(crate) fn is_forbidden(error: &anyhow::Error) -> bool {
    let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
    matches!(
        kind,
        Some(io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
    )
}

fn part_of(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}{ENDING}", std::process::id()))
}

/// The process that writes a file of such a name.
fn writer(name: &OsStr) -> Option<i32> {
    let name = name.to_str()?.strip_prefix('.')?.strip_suffix(ENDING)?;
    let pid = name.rsplit_once('.')?.1.parse().ok();
    pid.filter(|pid| *pid > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
        let names = entries.map(|entry| entry.file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_and_nothing_else_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("slots.csv");
        for text in ["first", "second"] {
            write(&path, text).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(names(folder.path()), ["slots.csv"]);
    }

    #[test]
    fn what_cannot_be_written_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a folder");
        fs::create_dir(&path).unwrap();
        let error = write(&path, "text").unwrap_err();
        assert!(error.to_string().contains("cannot write"), "{error}");
        assert!(!is_forbidden(&error));
        assert_eq!(names(folder.path()), ["a folder"]);
        let denied = io::Error::from(io::ErrorKind::ReadOnlyFilesystem);
        assert!(is_forbidden(
            &anyhow::Error::from(denied).context("cannot write x")
        ));
    }

    #[test]
    fn parts_of_the_dead_are_swept_and_others_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let own = part_of(&folder.path().join("slots.csv"));
        let own = own.file_name().unwrap().to_str().unwrap().to_owned();
        for name in [&own, ".slots.csv.4194999.part", "notes.part", ".x.part"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        sweep(folder.path());
        let mut kept = [&own, ".x.part", "notes.part"];
        kept.sort();
        assert_eq!(names(folder.path()), kept);
    }
}
