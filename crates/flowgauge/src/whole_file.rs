use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;

use anyhow::{Context, Result};

pub(crate) fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<()> {
    tidy::whole::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

pub(crate) fn make_folder(folder: &Path) -> Result<()> {
    let made = match folder.is_symlink() && !folder.exists() {
        true => Err(io::Error::other("it is a link that leads to nothing")),
        false => std::fs::create_dir_all(folder),
    };
    made.with_context(|| format!("cannot create {}", folder.display()))
}

/// Makes each text when its turn comes: it may be large. A folder that somebody removed meanwhile is not made again.
pub(crate) fn write_all<N: AsRef<Path>>(
    folder: &Path,
    files: impl IntoIterator<Item = (N, String)>,
) -> Result<()> {
    tidy::whole::sweep(folder);
    let mut files = files.into_iter();
    files.try_for_each(|(name, text)| write(&folder.join(name), text))
}

/// The last `most` bytes of what a program wrote to it.
pub(crate) fn end_of(file: &mut File, most: usize) -> io::Result<String> {
    let mut text = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut text)?;
    let from = text.len().saturating_sub(most);
    Ok(String::from_utf8_lossy(&text[from..]).into_owned())
}

/// Another user's folder, or a read-only disk.
pub(crate) fn is_forbidden(error: &anyhow::Error) -> bool {
    let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
    matches!(
        kind,
        Some(io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_written_is_named_and_forbidden_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a folder");
        std::fs::create_dir(&path).unwrap();
        let error = write(&path, "text").unwrap_err();
        assert!(error.to_string().contains("cannot write"), "{error}");
        assert!(!is_forbidden(&error));
        let denied = io::Error::from(io::ErrorKind::ReadOnlyFilesystem);
        let denied = anyhow::Error::from(denied).context("cannot write x");
        assert!(is_forbidden(&denied));
    }
}
