//! The rules of folders: a level for each folder that has any, in a chain shared by all folders
//! below. A level needs only the part of a path below its folder: it remembers how many bytes of
//! the path (from the search's root) stand for its folder, or, above the root, which bytes to put
//! before it. As in git, lines in ignore files that are no globs are left out without complaint.

use std::ffi::OsStr;
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::Gitignore;

use super::ignore_files::{exclude_of, is_there, read_if};

pub(crate) type Chain = Option<Arc<Level>>;

#[derive(Debug)]
pub(crate) struct Level {
    above: Chain,
    /// The first that says something decides; the last two are git's.
    files: [Gitignore; 4],
    has_git: bool,
    pub(super) in_git: bool,
    place: Place,
}

#[derive(Debug)]
pub(super) enum Place {
    Below(usize),
    Above(Vec<u8>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Out,
    In,
    Open,
}

impl Verdict {
    pub(super) fn of<T>(found: Match<T>) -> Verdict {
        match found {
            Match::None => Verdict::Open,
            Match::Ignore(_) => Verdict::Out,
            Match::Whitelist(_) => Verdict::In,
        }
    }

    pub(super) fn or_else(self, next: impl FnOnce() -> Verdict) -> Verdict {
        match self {
            Verdict::Open => next(),
            told => told,
        }
    }
}

const NAMES: [&[u8]; 5] = [b".git", b".jj", b".rgignore", b".ignore", b".gitignore"];

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Present([bool; NAMES.len()]);

impl Present {
    pub(crate) const MAYBE_ALL: Present = Present([true; NAMES.len()]);

    pub(crate) fn among<'a>(names: impl Iterator<Item = &'a [u8]>) -> Present {
        let mut present = Present::default();
        for name in names.filter(|name| name.first() == Some(&b'.')) {
            if let Some(place) = NAMES.iter().position(|known| *known == name) {
                present.0[place] = true;
            }
        }
        present
    }

    pub(crate) fn any(self) -> bool {
        self.0.contains(&true)
    }
}

impl Level {
    pub(super) fn judge(&self, path: &[u8], is_folder: bool) -> Verdict {
        let mut told = [Verdict::Open; 4];
        let mut left_git = !self.in_git;
        let mut next = Some(self);
        while let Some(level) = next {
            level.ask(path, is_folder, left_git, &mut told);
            left_git |= level.has_git;
            next = level.above.as_deref();
        }
        let decides = |verdict: &Verdict| *verdict != Verdict::Open;
        told.into_iter().find(decides).unwrap_or(Verdict::Open)
    }

    fn ask(&self, path: &[u8], is_folder: bool, left_git: bool, told: &mut [Verdict; 4]) {
        let joined: Vec<u8>;
        let path = match &self.place {
            Place::Below(offset) => &path[*offset..],
            Place::Above(before) => {
                joined = [before, path].concat();
                &joined
            }
        };
        let path = Path::new(OsStr::from_bytes(path));
        for (index, (file, told)) in self.files.iter().zip(told).enumerate() {
            let of_git = index >= 2;
            if *told == Verdict::Open && !(of_git && left_git) && !file.is_empty() {
                *told = Verdict::of(file.matched(path, is_folder));
            }
        }
    }
}

pub(super) fn level(
    above: &Chain,
    folder: BorrowedFd<'_>,
    present: Present,
    place: Place,
) -> Chain {
    let Present([git, jj, custom, plain, gitignore]) = present;
    let git = git && is_there(folder, b".git");
    let has_git = git || jj && is_there(folder, b".jj");
    let in_git = has_git || above.as_ref().is_some_and(|above| above.in_git);
    let files = [
        read_if(custom, folder, b".rgignore"),
        read_if(plain, folder, b".ignore"),
        read_if(gitignore && in_git, folder, b".gitignore"),
        if git {
            exclude_of(folder)
        } else {
            Gitignore::empty()
        },
    ];
    if !has_git && files.iter().all(Gitignore::is_empty) {
        return above.clone();
    }
    Some(Arc::new(Level {
        above: above.clone(),
        files,
        has_git,
        in_git,
        place,
    }))
}
