//! Which entries are left out: globs of the query, ignore files, hidden names.
//!
//! # Theory
//!
//! The same as ripgrep's, from whose library the globs come. For one entry, the first of
//! these that says something decides:
//!
//! 1. the globs of the query;
//! 2. `.rgignore`, then `.ignore`, then `.gitignore`, then `.git/info/exclude`, each from the
//!    folder of the entry upwards, above the root too; then git's global excludes. Those of
//!    git count only inside a repository, and not beyond its border;
//! 3. a name that begins with a dot is left out.
//!
//! A rule that lets an entry in (a glob of the query, `!pattern` in an ignore file) lets a
//! hidden one in too.
//!
//! Rules form a chain of levels, a level for each folder that has any, shared by all folders
//! below it. A level only needs the part of a path below its own folder, so that no path is
//! ever put together from the root of the file system: a level remembers how many bytes of
//! the path (which begins at the root of the search) stand for its folder, or, above the
//! root, which bytes to put before it.
//!
//! What it deliberately does not do: complain about lines in ignore files that are no globs.
//! They are left out, as git does.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::Gitignore;
use ignore::overrides::{Override, OverrideBuilder};

use super::folder::open_place;
use super::ignore_files::{exclude_of, is_there, read_if};
use super::roots::Root;
use crate::error::SearchError;
use crate::query::Filter;

/// The rules of the query.
#[derive(Debug)]
pub(crate) struct Rules {
    hidden: bool,
    no_ignore: bool,
    globs: Override,
    global: Gitignore,
}

/// The rules of a folder and of all above it; `None` where there are none.
pub(crate) type Chain = Option<Arc<Level>>;

/// The rules of one folder.
#[derive(Debug)]
pub(crate) struct Level {
    above: Chain,
    custom: Gitignore,
    plain: Gitignore,
    git: Gitignore,
    exclude: Gitignore,
    /// A repository begins here.
    has_git: bool,
    /// One begins here or above.
    in_git: bool,
    place: Place,
}

/// Where the folder of a level is, seen from the root of the search.
#[derive(Debug)]
enum Place {
    /// Below it, so many bytes into the path.
    Below(usize),
    /// Above it: this stands before the path.
    Above(Vec<u8>),
}

/// What the rules say of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is left out.
    Out,
    /// It is let in.
    In,
    /// Nothing.
    Open,
}

impl Verdict {
    fn of<T>(found: Match<T>) -> Verdict {
        match found {
            Match::None => Verdict::Open,
            Match::Ignore(_) => Verdict::Out,
            Match::Whitelist(_) => Verdict::In,
        }
    }

    fn or_else(self, next: impl FnOnce() -> Verdict) -> Verdict {
        match self {
            Verdict::Open => next(),
            told => told,
        }
    }
}

/// Which names that carry rules a folder has.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Present {
    git: bool,
    jj: bool,
    custom: bool,
    plain: bool,
    gitignore: bool,
}

impl Present {
    /// Each may be there.
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

impl Rules {
    pub(crate) fn new(filter: &Filter) -> Result<Rules, SearchError> {
        let here = std::env::current_dir().unwrap_or_default();
        let mut globs = OverrideBuilder::new(here);
        let wrong = |glob: &str, error: &ignore::Error| SearchError::Glob {
            glob: glob.to_owned(),
            reason: error.to_string(),
        };
        for glob in &filter.globs {
            globs.add(glob).map_err(|error| wrong(glob, &error))?;
        }
        let together = filter.globs.join(" ");
        Ok(Rules {
            hidden: filter.hidden,
            no_ignore: filter.no_ignore,
            globs: globs.build().map_err(|error| wrong(&together, &error))?,
            global: match filter.no_ignore {
                true => Gitignore::empty(),
                false => Gitignore::global().0,
            },
        })
    }

    pub(crate) fn shows_hidden(&self) -> bool {
        self.hidden
    }

    pub(crate) fn reads_files(&self) -> bool {
        !self.no_ignore
    }

    /// Whether anything but its name decides about an entry of a folder with these rules.
    pub(crate) fn asks_path(&self, chain: &Chain) -> bool {
        chain.is_some() || !self.globs.is_empty()
    }

    /// What globs and ignore files say about `path` below `root`.
    pub(crate) fn judge(
        &self,
        root: &Root,
        path: &[u8],
        chain: &Chain,
        is_folder: bool,
    ) -> Verdict {
        let shown = || {
            let mut shown = Vec::with_capacity(root.prefix.len() + path.len());
            root.show(b"", path, &mut shown);
            PathBuf::from(OsStr::from_bytes(&shown))
        };
        let by_globs = match self.globs.is_empty() {
            true => Verdict::Open,
            false => Verdict::of(self.globs.matched(shown(), is_folder)),
        };
        let level = chain.as_deref();
        by_globs
            .or_else(|| level.map_or(Verdict::Open, |level| level.judge(path, is_folder)))
            .or_else(
                || match level.is_some_and(|level| level.in_git) && !self.global.is_empty() {
                    true => Verdict::of(self.global.matched(shown(), is_folder)),
                    false => Verdict::Open,
                },
            )
    }

    /// The rules of a folder: those above it, and its own. `offset`: how many bytes of paths
    /// stand for the folder and its slash.
    pub(crate) fn extend(
        &self,
        above: &Chain,
        folder: BorrowedFd<'_>,
        present: Present,
        offset: usize,
    ) -> Chain {
        level(above, folder, present, Place::Below(offset))
    }

    /// The rules of the folders above `root`.
    pub(crate) fn above(&self, root: &Path) -> Chain {
        let whole = match root.canonicalize() {
            Ok(whole) if self.reads_files() => whole,
            _ => return None,
        };
        let mut chain = None;
        let mut folders: Vec<&Path> = whole.ancestors().skip(1).collect();
        folders.reverse();
        for folder in folders {
            let Ok(opened) = File::open(folder) else {
                continue;
            };
            let below = whole.strip_prefix(folder).unwrap_or(&whole);
            let mut before = below.as_os_str().as_bytes().to_vec();
            before.push(b'/');
            chain = level(
                &chain,
                opened.as_fd(),
                Present::MAYBE_ALL,
                Place::Above(before),
            );
        }
        chain
    }

    /// The rules for the folder at `path` below `root`, without its own, read anew: for a flow
    /// that was told of the folder by one that shares no memory with it.
    pub(crate) fn again(&self, root: &Root, path: &[u8]) -> Chain {
        let mut chain = root.chain.clone();
        if !self.reads_files() || path.is_empty() {
            return chain;
        }
        let slashes = memchr::memchr_iter(b'/', path);
        for end in std::iter::once(0).chain(slashes) {
            let (folder, offset) = match end {
                0 => (&b"."[..], 0),
                _ => (&path[..end], end + 1),
            };
            if let Ok(opened) = open_place(root.fd(), folder) {
                chain = self.extend(&chain, opened.as_fd(), Present::MAYBE_ALL, offset);
            }
        }
        chain
    }
}

impl Level {
    fn judge(&self, path: &[u8], is_folder: bool) -> Verdict {
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

    /// Asks the files of this folder that none below has answered.
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

/// Reads the rules of a folder; gives those above it where it has none.
fn level(above: &Chain, folder: BorrowedFd<'_>, present: Present, place: Place) -> Chain {
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
