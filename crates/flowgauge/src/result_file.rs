//! The file that a user asked for with `-o`: checked before the run, written after it.
//!
//! # Theory
//!
//! While slots run, the parent of each writes into an anonymous file (one that has no
//! name, so that nothing is left of it however the run ends), which the slot process reaches
//! through this process's descriptor. After the run the content of a good slot is
//! written to the place that the user named: beside it first, then renamed over it, so
//! that no reader ever sees half a file. Something that is not a regular file
//! (`/dev/null`, a pipe) is simply written to.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// A file that results go to.
#[derive(Debug)]
pub(crate) struct ResultFile {
    target: Option<PathBuf>,
    /// What the slot processes of the run write to.
    scratch: File,
    /// The content of a good slot.
    kept: Option<File>,
    folder: PathBuf,
}

impl ResultFile {
    /// Checks that `target` can be written; without one, results are still written by
    /// each slot (it is part of the work) and then forgotten.
    pub(crate) fn prepare(target: Option<&Path>, force: bool) -> Result<Self> {
        let folder = target.map_or_else(std::env::temp_dir, folder_of);
        if let Some(path) = target {
            if path == Path::new("-") {
                bail!("-o -: standard output has the report: name a file");
            }
            check(path, force)?;
        }
        // Asked for even where it is not used here: the named pipes of slots live there.
        let temporary = temporary_file()?;
        let scratch = tempfile::tempfile_in(&folder).unwrap_or(temporary);
        Ok(Self {
            target: target.map(Path::to_owned),
            scratch,
            kept: None,
            folder,
        })
    }

    /// Where a slot process finds the file to write to.
    pub(crate) fn path_for_cells(&self) -> PathBuf {
        format!(
            "/proc/{}/fd/{}",
            std::process::id(),
            self.scratch.as_raw_fd()
        )
        .into()
    }

    /// The file that the user asked for.
    pub(crate) fn target(&self) -> Option<PathBuf> {
        self.target.clone()
    }

    /// What the parent of a slot writes: `the results for primes.csv`.
    pub(crate) fn in_words(&self) -> String {
        match &self.target {
            Some(target) => format!("the results for {}", target.display()),
            None => "the results".to_owned(),
        }
    }

    /// Keeps what a good slot wrote, if nothing is kept yet.
    pub(crate) fn keep(&mut self) -> io::Result<()> {
        if self.target.is_none() || self.kept.is_some() {
            return Ok(());
        }
        let fresh = tempfile::tempfile_in(&self.folder).or_else(|_| tempfile::tempfile())?;
        self.kept = Some(std::mem::replace(&mut self.scratch, fresh));
        Ok(())
    }

    /// Writes what was kept to its place; answers the path if there was anything.
    pub(crate) fn publish(&mut self) -> Result<Option<PathBuf>> {
        let (Some(target), Some(mut kept)) = (self.target.clone(), self.kept.take()) else {
            return Ok(None);
        };
        let written = kept
            .seek(SeekFrom::Start(0))
            .and_then(|_| write(&mut kept, &target));
        written.with_context(|| format!("cannot write {}", target.display()))?;
        Ok(Some(target))
    }
}

/// An anonymous file in the system's folder for temporary files.
fn temporary_file() -> Result<File> {
    tempfile::tempfile().with_context(|| {
        format!(
            "cannot make a temporary file in {}: set TMPDIR to a folder on a local disk that \
             can be written",
            std::env::temp_dir().display()
        )
    })
}

fn write(content: &mut File, target: &Path) -> io::Result<()> {
    match in_place(target)? {
        Some(mut device) => io::copy(content, &mut device).map(drop),
        None => tidy::whole::replace(target, content),
    }
}

/// What is written to where it is, and not replaced: a device, a pipe, and a file that is reached
/// through a descriptor, such as `/dev/stdout`.
fn in_place(target: &Path) -> io::Result<Option<File>> {
    let is_other = target.exists() && !target.is_file();
    (is_other || is_descriptor(target))
        .then(|| OpenOptions::new().append(true).open(target))
        .transpose()
}

fn is_descriptor(target: &Path) -> bool {
    let leads_to = fs::read_link(target).ok();
    let in_proc = |path: &Path| {
        let folder = fs::canonicalize(folder_of(path));
        folder.is_ok_and(|folder| folder.starts_with("/proc"))
    };
    in_proc(target) || leads_to.as_deref().is_some_and(in_proc)
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Writes a text to where the user wants it: in one step over a regular file or a link, which is
/// not followed; into a device or a pipe.
pub(crate) fn put(target: &Path, text: &str) -> Result<()> {
    let written = in_place(target).and_then(|device| match device {
        Some(mut device) => io::Write::write_all(&mut device, text.as_bytes()),
        None => tidy::whole::write(target, text),
    });
    written.with_context(|| format!("cannot write {}", target.display()))
}

/// Whether a file can be written, asked before the run; one that is there only with `force`.
pub(crate) fn check(path: &Path, force: bool) -> Result<()> {
    let shown = path.display();
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => bail!("{shown} is a folder: name a file"),
        Ok(found) if found.is_file() && !force => {
            bail!("{shown} exists: use --force to overwrite it, or name another file")
        }
        Ok(_) => {
            OpenOptions::new()
                .write(true)
                .open(path)
                .with_context(|| format!("cannot write {shown}"))?;
        }
        Err(_) => {
            tempfile::tempfile_in(folder_of(path))
                .with_context(|| format!("cannot write {shown}: its folder takes no new file"))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// What the user named was opened through any link, and what that led to was written over.
    #[test]
    fn a_link_is_replaced_and_not_followed_and_a_device_is_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let (other, link) = (folder.path().join("other"), folder.path().join("link"));
        fs::write(&other, "of somebody else").unwrap();
        std::os::unix::fs::symlink(&other, &link).unwrap();
        put(&link, "times").unwrap();
        assert_eq!(fs::read_to_string(&other).unwrap(), "of somebody else");
        assert_eq!(fs::read_to_string(&link).unwrap(), "times");
        assert!(!fs::symlink_metadata(&link).unwrap().is_symlink());
        put(Path::new("/dev/null"), "times").unwrap();
        assert!(!Path::new("/dev/null").is_file());
    }

    /// `/dev/stdout` that goes to a file would have been replaced by a file.
    #[test]
    fn a_descriptor_is_written_to_and_its_name_stays() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "the answer, ").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("stdout");
        let name = format!("/proc/self/fd/{}", file.as_file().as_raw_fd());
        std::os::unix::fs::symlink(name, &link).unwrap();
        put(&link, "times").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(
            fs::read_to_string(file.path()).unwrap(),
            "the answer, times"
        );
    }

    #[test]
    fn what_a_cell_writes_is_published_whole() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("primes.csv");
        let mut file = ResultFile::prepare(Some(&target), false).unwrap();
        fs::write(file.path_for_cells(), "first\n").unwrap();
        file.keep().unwrap();
        fs::write(file.path_for_cells(), "second\n").unwrap();
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
        fs::write(full.path_for_cells(), "row\n").unwrap();
        full.keep().unwrap();
        let error = format!("{:#}", full.publish().unwrap_err());
        assert!(
            error.contains("/dev/full") && error.contains("No space left"),
            "{error}"
        );
    }
}
