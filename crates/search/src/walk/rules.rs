//! Which entries are left out: globs of the query, ignore files, hidden names, as in ripgrep, from
//! whose library the globs come. The first that says something decides:
//!
//! 1. the globs of the query;
//! 2. `.rgignore`, then `.ignore`, then `.gitignore`, then `.git/info/exclude`, each from the
//!    entry's folder upwards, above the root too; then git's global excludes. Those of git count
//!    only inside a repository, and not beyond its border;
//! 3. a name that begins with a dot is left out.
//!
//! A rule that lets an entry in (a query's glob, an ignore file's `!pattern`) lets a hidden one in
//! too. Git's global excludes are read only where a repository is met: finding them takes a regular
//! expression, the most memory. A repository that holds a root, or is one, is met before any fork.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ignore::gitignore::Gitignore;
use ignore::overrides::{Override, OverrideBuilder};

use super::folder::open_place;
use super::levels::{Chain, Place, Present, Verdict, level};
use super::roots::Root;
use crate::error::SearchError;
use crate::query::Filter;

#[derive(Debug)]
pub(crate) struct Rules {
    hidden: bool,
    no_ignore: bool,
    globs: Override,
    global: OnceLock<Gitignore>,
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
            global: OnceLock::new(),
        })
    }

    fn global(&self) -> &Gitignore {
        self.global.get_or_init(|| Gitignore::global().0)
    }

    pub(crate) fn shows_hidden(&self) -> bool {
        self.hidden
    }

    pub(crate) fn reads_files(&self) -> bool {
        !self.no_ignore
    }

    pub(crate) fn asks_path(&self, chain: &Chain) -> bool {
        chain.is_some() || !self.globs.is_empty()
    }

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
        let Some(level) = chain.as_deref() else {
            return by_globs;
        };
        by_globs
            .or_else(|| level.judge(path, is_folder))
            .or_else(|| match level.in_git && !self.global().is_empty() {
                true => Verdict::of(self.global().matched(shown(), is_folder)),
                false => Verdict::Open,
            })
    }

    /// `offset`: bytes of the folder's path with its slash.
    pub(crate) fn extend(
        &self,
        above: &Chain,
        folder: BorrowedFd<'_>,
        present: Present,
        offset: usize,
    ) -> Chain {
        level(above, folder, present, Place::Below(offset))
    }

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
        let inside = chain.as_ref().is_some_and(|level| level.in_git);
        if inside || whole.join(".git").exists() || whole.join(".jj").exists() {
            self.global();
        }
        chain
    }

    /// Re-read, without its own: for a flow that shares no memory with the finder.
    pub(crate) fn again(&self, root: &Root, path: &[u8]) -> Chain {
        let mut chain = root.chain.clone();
        if !self.reads_files() || path.is_empty() {
            return chain;
        }
        let slashes = memchr::memchr_iter(b'/', path);
        let Ok(at) = root.open() else {
            return chain;
        };
        for end in std::iter::once(0).chain(slashes) {
            let (folder, offset) = match end {
                0 => (&b"."[..], 0),
                _ => (&path[..end], end + 1),
            };
            if let Ok(opened) = open_place(at.as_fd(), folder) {
                chain = self.extend(&chain, opened.as_fd(), Present::MAYBE_ALL, offset);
            }
        }
        chain
    }
}
