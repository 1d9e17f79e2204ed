//! A search as all its flows see it, and its pieces of work.

use std::sync::atomic::AtomicBool;

use crate::large::Large;
use crate::lines::Lines;
use crate::output_buffer::Style;
use crate::place::{Place, join};
use crate::plan::{FileId, Io};
use crate::walk::{Chain, Listing, Root, Rules};

pub(crate) struct Job<'j> {
    pub(crate) roots: &'j [Root],
    pub(crate) rules: &'j Rules,
    pub(crate) lines: &'j Lines,
    pub(crate) style: Style,
    pub(crate) io: Io,
    pub(crate) text: bool,
    pub(crate) profile: bool,
    pub(crate) proof: bool,
    pub(crate) skip: Option<FileId>,
    pub(crate) block: usize,
    pub(crate) large: Option<&'j Large<'j>>,
    pub(crate) stop: &'j AtomicBool,
}

#[derive(Debug)]
pub(crate) enum Task {
    Folder(FolderTask),
    Files(FilesTask),
    Root(u32),
    Large,
}

#[derive(Debug)]
pub(crate) struct FolderTask {
    pub(crate) root: u32,
    pub(crate) path: Box<[u8]>,
    /// Rules of the folders above, if known to this process.
    pub(crate) chain: Option<Chain>,
}

#[derive(Debug)]
pub(crate) struct FilesTask {
    pub(crate) root: u32,
    pub(crate) path: Box<[u8]>,
    pub(crate) names: Vec<u8>,
    pub(crate) heavy: bool,
}

impl Task {
    pub(crate) fn at(&self) -> (u32, &[u8]) {
        match self {
            Task::Folder(folder) => (folder.root, &folder.path),
            Task::Files(files) => (files.root, &files.path),
            Task::Root(root) => (*root, b""),
            Task::Large => (u32::MAX, b""),
        }
    }

    pub(crate) fn is_large(&self) -> bool {
        matches!(self, Task::Large)
    }

    pub(crate) fn of_roots(roots: &[Root]) -> Vec<Task> {
        let task = |(index, root): (usize, &Root)| {
            let number = u32::try_from(index).unwrap_or(u32::MAX);
            match root.kind {
                crate::walk::RootKind::Folder => Task::Folder(FolderTask {
                    root: number,
                    path: Box::default(),
                    chain: Some(root.chain.clone()),
                }),
                _ => Task::Root(number),
            }
        };
        roots.iter().enumerate().map(task).collect()
    }
}

impl FolderTask {
    pub(crate) fn place(&self) -> Place<'_> {
        Place {
            root: self.root,
            path: &self.path,
        }
    }

    pub(crate) fn folders_in(
        &self,
        listing: &Listing,
        chain: &Chain,
    ) -> impl Iterator<Item = FolderTask> {
        let names = listing.folders.split_inclusive(|&byte| byte == 0).rev();
        names.map(|name| FolderTask {
            root: self.root,
            path: join(&self.path, &name[..name.len() - 1]),
            chain: Some(chain.clone()),
        })
    }
}
