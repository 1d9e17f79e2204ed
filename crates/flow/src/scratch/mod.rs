//! A folder for the files of one slot.
//!
//! # Theory
//!
//! Work that is about files needs names on a real disk, and names outlive processes. So the
//! files of a slot all lie in one folder, whose own name tells which run it belongs to, and
//! there is somebody to remove it however the slot ends:
//!
//! | who is left                     | who removes the folder                                  |
//! |---------------------------------|---------------------------------------------------------|
//! | the main process                | it does, after it has killed the slot's group            |
//! | the cell (the main one is dead) | a [janitor](last_breath) that the cell's `SIGTERM` makes |
//! | nobody                          | the next run that looks there ([`sweep`])                |
//!
//! Flows that were killed may still be inside a system call that makes a file. Removal
//! therefore tries again until the folder stays away, for [`PATIENCE`] at the most.

pub(crate) mod last_breath;
pub(crate) mod names;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use names::Kind;
pub use names::is_alive;

/// For how long removing is tried again.
const PATIENCE: Duration = Duration::from_secs(2);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(2);

/// Makes the folder of a run's n-th slot in `base`.
///
/// # Errors
/// The folder cannot be made: `base` is missing, full or read-only.
pub(crate) fn make(base: &Path, slot: u64) -> io::Result<PathBuf> {
    let folder = base.join(names::of(Kind::Folder, std::process::id(), slot));
    fs::create_dir(&folder).map_err(|error| {
        io::Error::new(
            error.kind(),
            format!(
                "cannot make a folder for the files of a slot in {}: {error}",
                base.display()
            ),
        )
    })?;
    fs::canonicalize(folder)
}

/// Removes a slot's folder with all that is in it.
pub(crate) fn remove(folder: &Path) {
    let until = Instant::now() + PATIENCE;
    while fs::remove_dir_all(folder).is_err() && folder.exists() && Instant::now() < until {
        std::thread::sleep(PAUSE);
    }
}

/// Removes what runs that are no more left in `base`: named pipes and folders of slots.
/// Anything else there stays.
pub fn sweep(base: &Path) {
    for (kind, path) in orphans(base) {
        match kind {
            Kind::Fifo => {
                let _raced_is_fine = fs::remove_file(path);
            }
            Kind::Folder => remove(&path),
        }
    }
}

/// Whether [`sweep`] would find anything in `base`.
#[must_use]
pub fn has_leftovers(base: &Path) -> bool {
    orphans(base).next().is_some()
}

fn orphans(base: &Path) -> impl Iterator<Item = (Kind, PathBuf)> {
    let entries = fs::read_dir(base).into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let kind = names::orphan(entry.file_name().to_str()?)?;
        Some((kind, entry.path()))
    })
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn only_what_dead_runs_left_is_swept() {
        let base = tempfile::tempdir().unwrap();
        let alive = format!("flowgauge-{}-1.fifo", std::process::id());
        for name in [
            alive.as_str(),
            "flowgauge-2147483646-1.fifo",
            "flowgauge-x-1.fifo",
            "other",
        ] {
            File::create(base.path().join(name)).unwrap();
        }
        let dead = base.path().join("flowgauge-2147483646-2.files");
        fs::create_dir_all(dead.join("below")).unwrap();
        File::create(dead.join("below/inOut_0.dat")).unwrap();
        let own = make(base.path(), 3).unwrap();
        sweep(base.path());
        assert!(base.path().join(alive).exists());
        assert!(base.path().join("flowgauge-x-1.fifo").exists());
        assert!(base.path().join("other").exists());
        assert!(own.exists());
        assert!(!base.path().join("flowgauge-2147483646-1.fifo").exists());
        assert!(!dead.exists());
    }

    #[test]
    fn a_folder_is_made_for_a_slot_and_goes_with_its_files() {
        let base = tempfile::tempdir().unwrap();
        let folder = make(base.path(), 1).unwrap();
        File::create(folder.join("a")).unwrap();
        remove(&folder);
        assert!(!folder.exists());
        let error = make(&base.path().join("missing"), 1).unwrap_err();
        assert!(error.to_string().contains("missing"), "{error}");
    }
}
