//! Files of slots that a killed run could not take away. Before its first slot the next run looks
//! into its own results folder, those beside it, and each folder that its work names;
//! [`tidy::slot_folder::sweep`] says what is ours and what a live run still uses.

use std::path::{Path, PathBuf};

use lab::Study;

pub(crate) const USUAL_PLACE: &str = "flowgauge-results";

pub(crate) fn sweep(results: &Path, studies: &[Study]) {
    let sweep = tidy::slot_folder::sweep;
    sweep(results);
    crate::files::named(studies).for_each(sweep);
    let own = results.canonicalize().ok();
    let beside = own.as_deref().and_then(Path::parent).map(Path::to_owned);
    let mut places: Vec<PathBuf> = beside.into_iter().collect();
    places.extend(Path::new(USUAL_PLACE).canonicalize());
    places.dedup();
    for place in places {
        for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && entry.path().join(lab::journal::FILE_NAME).is_file() {
                sweep(&entry.path());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use lab::journal;
    use tidy::SlotFolder;
    use tidy::names::{self, Kind};

    use super::*;

    fn files_in(folder: &Path) -> SlotFolder {
        let name = names::new(Kind::Folder).unwrap();
        let files = SlotFolder::make(&folder.join(name)).unwrap();
        fs::write(files.path().join("inOut_1.dat"), "x").unwrap();
        files
    }

    #[test]
    fn files_of_dead_runs_go_and_those_of_a_live_one_stay() {
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
        let used = files_in(&alive);
        let left = [&own, &dead, &no_results].map(|folder| files_in(folder).path().to_owned());
        sweep(&own, &[]);
        assert_eq!(left.map(|files| files.exists()), [false, false, true]);
        assert!(used.path().exists());
    }
}
