//! What the user named: folders, files, standard input. All that is listed is opened relative to
//! its root. A command line may name more paths than a process may have files open, so files are
//! opened in their turn, and a bounded number of folders is kept open.

use std::ffi::CStr;
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use nix::errno::Errno;

use super::folder::{errno_of, open_below, open_place};
use super::levels::Chain;
use super::rules::Rules;
use crate::problem::Problem;
use crate::query::Query;

#[derive(Debug)]
pub(crate) struct Root {
    /// Before its paths: empty, or with a final slash.
    pub(crate) prefix: Vec<u8>,
    pub(crate) shown: PathBuf,
    pub(crate) kind: RootKind,
    kept: Option<File>,
    pub(crate) chain: Chain,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RootKind {
    Folder,
    File,
    Input,
}

#[derive(Debug)]
pub(crate) enum Opened<'r> {
    Kept(BorrowedFd<'r>),
    Anew(File),
}

impl AsFd for Opened<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Opened::Kept(file) => *file,
            Opened::Anew(file) => file.as_fd(),
        }
    }
}

impl Root {
    pub(crate) fn open(&self) -> io::Result<Opened<'_>> {
        match &self.kept {
            Some(file) => Ok(Opened::Kept(file.as_fd())),
            None => File::open(&self.shown).map(Opened::Anew),
        }
    }

    pub(crate) fn folder(&self, path: &[u8]) -> io::Result<OwnedFd> {
        let path = if path.is_empty() { b"." } else { path };
        open_place(self.open()?.as_fd(), path)
    }

    pub(crate) fn file_below(&self, path: &[u8], name: &CStr) -> Result<OwnedFd, Errno> {
        let root = self.open().map_err(|error| errno_of(&error))?;
        open_below(root.as_fd(), path, name)
    }

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

/// Missing ones are reported. At most `keep` folders stay open; files are opened when searched.
pub(crate) fn open_roots(
    query: &Query,
    rules: &Rules,
    keep: usize,
    tell: &mut dyn FnMut(Problem),
) -> Vec<Root> {
    let named = query
        .roots
        .iter()
        .map(|path| (path.as_path(), prefix_of(path)));
    let mut named: Vec<(&Path, Vec<u8>)> = named.collect();
    if named.is_empty() {
        named.push((Path::new("."), Vec::new()));
    }
    let (mut roots, mut kept) = (Vec::new(), 0);
    for (path, prefix) in named {
        match root(path, prefix, rules, kept < keep) {
            Ok(root) => {
                kept += usize::from(root.kept.is_some());
                roots.push(root);
            }
            Err(error) => tell(Problem::on(path, &error)),
        }
    }
    roots
}

fn prefix_of(path: &Path) -> Vec<u8> {
    let mut prefix = path.as_os_str().as_bytes().to_vec();
    if prefix.last() != Some(&b'/') {
        prefix.push(b'/');
    }
    prefix
}

fn root(path: &Path, prefix: Vec<u8>, rules: &Rules, keeps: bool) -> io::Result<Root> {
    let mut root = Root {
        prefix,
        shown: path.to_owned(),
        kind: RootKind::Input,
        kept: None,
        chain: None,
    };
    if path == Path::new("-") {
        let input = io::stdin().as_fd().try_clone_to_owned()?;
        root.shown = PathBuf::from("<stdin>");
        root.kept = Some(File::from(input));
        return Ok(root);
    }
    root.kind = kind_of(&path.metadata()?);
    if root.kind == RootKind::Folder {
        root.kept = keeps.then(|| File::open(path)).transpose()?;
        root.chain = rules.above(path);
    }
    Ok(root)
}

fn kind_of(metadata: &Metadata) -> RootKind {
    if metadata.is_dir() {
        RootKind::Folder
    } else if metadata.is_file() {
        RootKind::File
    } else {
        RootKind::Input
    }
}
