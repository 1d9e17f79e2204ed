//! Files that a static program carries within it. It loads no libraries, so what needs one (a body, an allocator in
//! place of the C library's, MPI) runs in a program for slots that the system's C library loads
//! ([`crate::library::slot_program`]). Other slots run there too, so that flows are what those of any program are.
//! ```text
//!   carried, packed ─▶ unpacked at the first use, its SHA-256 checked ─▶ run, loaded ─▶ removed
//! ```
//! They lie in a temporary [`tidy`] folder of the run and user, gone at its end or by the janitor.

use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use flate2::read::GzDecoder;
use nix::sys::statvfs::{FsFlags, statvfs};
use sha2::{Digest, Sha256};
use tidy::SlotFolder;
use tidy::names::{self, Kind};

/// A file within the program.
#[derive(Debug, Clone, Copy)]
pub struct Carried {
    /// Its name.
    pub name: &'static str,
    /// Of what is unpacked, in hexadecimal digits.
    pub sha256: &'static str,
    /// Packed by gzip.
    pub gzip: &'static [u8],
}

static ALL: OnceLock<&'static [Carried]> = OnceLock::new();
static FOLDER: Mutex<Option<SlotFolder>> = Mutex::new(None);

/// Says what this program carries; to be called before anything is looked for.
pub fn carry(all: &'static [Carried]) {
    let _once_is_enough = ALL.set(all);
}

fn folder() -> MutexGuard<'static, Option<SlotFolder>> {
    FOLDER.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn unpacked(name: &str) -> Option<Result<PathBuf, String>> {
    let carried = ALL.get()?.iter().find(|carried| carried.name == name)?;
    let base = std::env::temp_dir();
    Some(unpack_below(&base, carried).map_err(|error| {
        format!(
            "{name} cannot be unpacked in {}: {error}; another folder: TMPDIR=...",
            base.display()
        )
    }))
}

fn unpack_below(base: &Path, carried: &Carried) -> io::Result<PathBuf> {
    let mut folder = folder();
    let folder = match &mut *folder {
        Some(folder) => folder,
        none => none.insert(make(base)?),
    };
    let path = folder.path().join(carried.name);
    if !path.exists() {
        unpack(carried, &path).inspect_err(|_| {
            let _not_made_is_fine = std::fs::remove_file(&path);
        })?;
    }
    Ok(path)
}

fn make(base: &Path) -> io::Result<SlotFolder> {
    if statvfs(base)?.flags().contains(FsFlags::ST_NOEXEC) {
        return Err(io::Error::other("programs may not run there (noexec)"));
    }
    tidy::slot_folder::sweep(base);
    SlotFolder::make(&base.join(names::new(Kind::Folder)?))
}

fn unpack(carried: &Carried, path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let options = options.write(true).create_new(true).mode(0o500);
    let mut file = options.open(path)?;
    let mut content = Vec::new();
    GzDecoder::new(carried.gzip).read_to_end(&mut content)?;
    match digits(&Sha256::digest(&content)) == carried.sha256 {
        true => file.write_all(&content),
        false => Err(io::Error::other("it is damaged: install flowgauge again")),
    }
}

fn digits(sum: &[u8]) -> String {
    sum.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn place() -> Option<PathBuf> {
    folder().as_ref().map(|folder| folder.path().to_owned())
}

/// What is unpacked stays for the program that this process becomes by exec; a later run removes it.
pub fn keep_over_exec() -> io::Result<()> {
    folder().as_ref().map_or(Ok(()), SlotFolder::keep_over_exec)
}

/// Removes all that was unpacked.
pub fn remove() {
    if let Some(folder) = folder().take() {
        folder.remove();
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn carried(text: &[u8], sum_of: &[u8]) -> Carried {
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(text).unwrap();
        Carried {
            name: "part",
            sha256: digits(&Sha256::digest(sum_of)).leak(),
            gzip: packed.finish().unwrap().leak(),
        }
    }

    #[test]
    fn what_is_carried_is_unpacked_once_checked_and_removed() {
        let base = tempfile::tempdir().unwrap();
        let damaged = unpack_below(base.path(), &carried(b"two", b"one")).unwrap_err();
        assert!(damaged.to_string().contains("damaged"), "{damaged}");
        let text = "flows ".repeat(30_000);
        let whole = carried(text.as_bytes(), text.as_bytes());
        let path = unpack_below(base.path(), &whole).unwrap();
        assert_eq!(unpack_below(base.path(), &whole).unwrap(), path);
        assert_eq!(place().as_deref(), path.parent());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o500, 0o700));
        remove();
        assert_eq!(base.path().read_dir().unwrap().count(), 0);
        assert_eq!((place(), unpacked("nothing").is_none()), (None, true));
    }
}
