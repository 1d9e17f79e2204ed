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
    custom: Gitignore,
    plain: Gitignore,
    git: Gitignore,
    exclude: Gitignore,
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

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Present {
    git: bool,
    jj: bool,
    custom: bool,
    plain: bool,
    gitignore: bool,
}

impl Present {
    pub(crate) const MAYBE_ALL: Present = Present {
        git: true,
        jj: true,
        custom: true,
        plain: true,
        gitignore: true,
    };

    pub(crate) fn among<'a>(names: impl Iterator<Item = &'a [u8]>) -> Present {
        let mut present = Present::default();
        for name in names.filter(|name| name.first() == Some(&b'.')) {
            match name {
                b".git" => present.git = true,
                b".jj" => present.jj = true,
                b".rgignore" => present.custom = true,
                b".ignore" => present.plain = true,
                b".gitignore" => present.gitignore = true,
                _ => {}
            }
        }
        present
    }

    pub(crate) fn any(self) -> bool {
        self.git || self.jj || self.custom || self.plain || self.gitignore
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
        told.into_iter()
            .find(|verdict| *verdict != Verdict::Open)
            .unwrap_or(Verdict::Open)
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
        let files = [&self.custom, &self.plain, &self.git, &self.exclude];
        for (index, (file, told)) in files.into_iter().zip(told).enumerate() {
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
    let git = present.git && is_there(folder, b".git");
    let has_git = git || present.jj && is_there(folder, b".jj");
    let in_git = has_git || above.as_ref().is_some_and(|above| above.in_git);
    let custom = read_if(present.custom, folder, b".rgignore");
    let plain = read_if(present.plain, folder, b".ignore");
    let gitignore = read_if(present.gitignore && in_git, folder, b".gitignore");
    let exclude = match git {
        true => exclude_of(folder),
        false => Gitignore::empty(),
    };
    let files = [&custom, &plain, &gitignore, &exclude];
    if !has_git && files.into_iter().all(Gitignore::is_empty) {
        return above.clone();
    }
    Some(Arc::new(Level {
        above: above.clone(),
        custom,
        plain,
        git: gitignore,
        exclude,
        has_git,
        in_git,
        place,
    }))
}
