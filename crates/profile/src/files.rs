//! Files of code that no longer have their name, or never had it here: of programs that were replaced while they ran,
//! or of another root folder. They are opened while the process is alive, and kept open until names are read.

use std::collections::HashMap;
use std::fs::{File, metadata, read_link};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use measure::ring_record::{Mapping, Record};

use crate::capture::{Event, Kept};

/// Further ones have no names.
const MOST: usize = 64;
const DELETED: &str = " (deleted)";

#[derive(Debug, Default)]
pub(crate) struct Files {
    /// `None` where it could not be opened.
    seen: HashMap<(PathBuf, u64), Option<File>>,
    /// Folders of processes of Node, which write a log there beside their map of names.
    folders: HashMap<i32, PathBuf>,
}

impl Files {
    pub(crate) fn look(&mut self, events: &[Event]) {
        for event in events {
            if let Kept::Other(Record::Map(mapping)) = &event.kept
                && mapping.path.is_absolute()
                && mapping.inode > 0
            {
                self.keep(event.pid, mapping);
                self.keep_folder(event.pid, &mapping.path);
            }
        }
    }

    fn keep_folder(&mut self, pid: i32, program: &Path) {
        if program.ends_with("node")
            && !self.folders.contains_key(&pid)
            && let Ok(folder) = read_link(format!("/proc/{pid}/cwd"))
        {
            self.folders.insert(pid, folder);
        }
    }

    pub(crate) fn folder(&self, pid: i32) -> &Path {
        self.folders
            .get(&pid)
            .map_or(Path::new("."), PathBuf::as_path)
    }

    fn keep(&mut self, pid: i32, mapping: &Mapping) {
        let key = (mapping.path.clone(), mapping.inode);
        let is_new = !self.seen.contains_key(&key);
        if is_new && self.seen.values().flatten().count() < MOST {
            // A name that is right now may be gone when it is asked for.
            let file = match is_it(&mapping.path, mapping.inode) {
                true => File::open(&mapping.path).ok(),
                false => open(pid, mapping),
            };
            self.seen.insert(key, file);
        }
    }

    pub(crate) fn of(&self, mapping: &Mapping) -> Option<&File> {
        let key = (mapping.path.clone(), mapping.inode);
        self.seen.get(&key)?.as_ref()
    }
}

fn is_it(path: &Path, inode: u64) -> bool {
    metadata(path).is_ok_and(|about| about.ino() == inode)
}

/// What a process has mapped, by whichever way there is.
fn open(pid: i32, mapping: &Mapping) -> Option<File> {
    let Mapping {
        from, to, inode, ..
    } = *mapping;
    let mapped = format!("/proc/{pid}/map_files/{from:x}-{to:x}");
    let executed = format!("/proc/{pid}/exe");
    let name = mapping.path.to_string_lossy();
    let named = name.strip_suffix(DELETED).unwrap_or(&name);
    let rooted = format!("/proc/{pid}/root{named}");
    let mut ways = [mapped, executed, rooted].into_iter();
    ways.find_map(|way| {
        let about = metadata(&way).ok()?;
        let is_it = about.is_file() && about.ino() == inode;
        is_it.then(|| File::open(&way).ok()).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped(path: &Path, inode: u64) -> Event {
        let mapping = Mapping {
            from: 0,
            to: 1,
            offset: 0,
            path: path.to_owned(),
            inode,
        };
        let own = std::process::id().cast_signed();
        Event::of(0, (own, 0), Record::Map(mapping))
    }

    /// This test itself, as if its file had been deleted.
    #[test]
    fn a_program_that_lost_its_name_is_read_by_what_the_process_has() {
        let own = metadata("/proc/self/exe").unwrap();
        // Nothing is below a file.
        let gone = &std::env::current_exe().unwrap().join("program");
        let mut files = Files::default();
        files.look(&[mapped(gone, own.ino()), mapped(gone, own.ino() + 1)]);
        let of = |inode| {
            let Kept::Other(Record::Map(mapping)) = mapped(gone, inode).kept else {
                return None;
            };
            files
                .of(&mapping)
                .map(|file| file.metadata().unwrap().ino())
        };
        assert_eq!(of(own.ino()), Some(own.ino()));
        assert_eq!(of(own.ino() + 1), None, "another file is not taken for it");
    }

    /// It had a name when its process was looked at, and none when names were read.
    #[test]
    fn a_file_that_loses_its_name_later_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let gone = folder.path().join("gone");
        std::fs::write(&gone, "").unwrap();
        let inode = metadata(&gone).unwrap().ino();
        let mut files = Files::default();
        files.look(&[mapped(&gone, inode)]);
        std::fs::remove_file(&gone).unwrap();
        assert!(files.seen.values().all(Option::is_some));
    }
}
