//! Files of slots that a run could not take away, because all of its processes were killed at
//! one instant: the next run does it.
//!
//! # Theory
//!
//! The folder of a slot's files tells by its name which process it belongs to, and lies in the
//! results folder of its run, or where `--folder` put it. So a run looks, before its first
//! slot, into its own results folder and those beside it, into the usual place of results, and
//! into each folder that its work names. A pid alone does not tell enough where containers
//! share a disk: each has pids of its own. Therefore the results folder of another run is left
//! alone as long as that run holds the lock of its journal, which the kernel takes back however
//! a process ends.

use std::path::{Path, PathBuf};

use lab::{Study, journal};

/// Where results go unless `--out` says otherwise.
pub(crate) const USUAL_PLACE: &str = "flowgauge-results";

/// Removes what dead runs left of slots' files, wherever the next run would see it.
pub(crate) fn sweep(results: &Path, studies: &[Study]) {
    flow::sweep(results);
    crate::files::named(studies).for_each(flow::sweep);
    let own = results.canonicalize().ok();
    let beside = own.as_deref().and_then(Path::parent).map(Path::to_owned);
    let mut places: Vec<PathBuf> = beside.into_iter().collect();
    places.extend(Path::new(USUAL_PLACE).canonicalize());
    places.dedup();
    for place in places {
        for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
            let folder = entry.path();
            if own.as_deref() != Some(&folder) && flow::has_leftovers(&folder) {
                sweep_other(&folder);
            }
        }
    }
}

/// Sweeps the results folder of another run, if that run has ended.
fn sweep_other(folder: &Path) {
    if journal::is_at_rest(folder) {
        flow::sweep(folder);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn leftover(folder: &Path) -> PathBuf {
        let files = folder.join("flowgauge-2147483646-5.files");
        fs::create_dir_all(&files).unwrap();
        fs::write(files.join("inOut_1.dat"), "x").unwrap();
        files
    }

    #[test]
    fn files_of_dead_runs_go_and_those_of_a_run_that_goes_on_stay() {
        let root = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            let folder = root.path().join(name);
            fs::create_dir(&folder).unwrap();
            folder
        };
        let (own, dead, alive) = (folder("own"), folder("dead"), folder("alive"));
        let no_results = folder("mine");
        for folder in [&dead, &alive] {
            fs::write(folder.join(journal::FILE_NAME), "{}").unwrap();
        }
        let lock = fs::File::open(alive.join(journal::FILE_NAME)).unwrap();
        lock.lock().unwrap();
        let left = [&own, &dead, &alive, &no_results].map(|folder| leftover(folder));
        sweep(&own, &[]);
        assert_eq!(left.map(|files| files.exists()), [false, false, true, true]);
    }
}
