//! What the user named: folders, files, standard input.

use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::rules::{Chain, Rules};
use crate::problem::Problem;
use crate::query::Query;

/// One path that the user named.
#[derive(Debug)]
pub(crate) struct Root {
    /// What stands before the paths below it: empty, or ending with a slash.
    pub(crate) prefix: Vec<u8>,
    /// Its own path, as shown.
    pub(crate) shown: PathBuf,
    pub(crate) kind: RootKind,
    file: File,
    /// Rules of the folders above it.
    pub(crate) chain: Chain,
}

/// What a root is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RootKind {
    /// To be walked.
    Folder,
    /// To be searched, whatever the rules say.
    File,
    /// Standard input.
    Input,
}

impl Root {
    /// The open folder, or file.
    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// The path of something below it, as shown.
    pub(crate) fn show(&self, folder: &[u8], name: &[u8], into: &mut Vec<u8>) {
        if self.kind != RootKind::Folder {
            into.extend_from_slice(self.shown.as_os_str().as_bytes());
            return;
        }
        into.extend_from_slice(&self.prefix);
        into.extend_from_slice(folder);
        if !folder.is_empty() && !name.is_empty() {
            into.push(b'/');
        }
        into.extend_from_slice(name);
    }
}

/// Opens all roots; those that cannot be opened are told of and left out.
pub(crate) fn open_roots(query: &Query, rules: &Rules, tell: &mut dyn FnMut(Problem)) -> Vec<Root> {
    if query.roots.is_empty() {
        let here = open(Path::new("."), Vec::new(), rules);
        return here.map_or_else(|error| not_opened(".", &error, tell), |root| vec![root]);
    }
    let mut roots = Vec::new();
    for path in &query.roots {
        match open(path, prefix_of(path), rules) {
            Ok(root) => roots.push(root),
            Err(error) => tell(Problem::on(path, &error)),
        }
    }
    roots
}

fn not_opened(path: &str, error: &io::Error, tell: &mut dyn FnMut(Problem)) -> Vec<Root> {
    tell(Problem::on(path, error));
    Vec::new()
}

fn prefix_of(path: &Path) -> Vec<u8> {
    let mut prefix = path.as_os_str().as_bytes().to_vec();
    if prefix.last() != Some(&b'/') {
        prefix.push(b'/');
    }
    prefix
}

fn open(path: &Path, prefix: Vec<u8>, rules: &Rules) -> io::Result<Root> {
    let (file, kind) = if path == Path::new("-") {
        let input = io::stdin().as_fd().try_clone_to_owned()?;
        (File::from(input), RootKind::Input)
    } else {
        let file = File::open(path)?;
        let kind = kind_of(&file.metadata()?);
        (file, kind)
    };
    let (shown, chain) = match kind {
        RootKind::Folder => (path.to_owned(), rules.above(path)),
        RootKind::File => (path.to_owned(), None),
        RootKind::Input => (PathBuf::from("<stdin>"), None),
    };
    Ok(Root {
        prefix,
        shown,
        kind,
        file,
        chain,
    })
}

fn kind_of(metadata: &Metadata) -> RootKind {
    if metadata.is_dir() {
        RootKind::Folder
    } else {
        RootKind::File
    }
}
