//! Where and as what an operation is repeated.

use std::io;
use std::path::{Path, PathBuf};

use flow::Model;

use crate::check::must;
use crate::sys::own_file::OwnFile;

/// What an operation knows of the slot that it is repeated in.
#[derive(Debug, Clone)]
pub(crate) struct OperationContext {
    /// How many flows repeat it.
    pub(crate) flows: u64,
    /// What they are made of. Only operations whose flows make further flows ask.
    pub(crate) model: Model,
    folder: Option<PathBuf>,
}

impl OperationContext {
    pub(crate) fn new(flows: u64, model: Model, folder: Option<&Path>) -> Self {
        Self {
            flows,
            model,
            folder: folder.map(Path::to_owned),
        }
    }

    pub(crate) fn folder(&self) -> io::Result<&Path> {
        let missing = || io::Error::other("this operation needs a folder for its files");
        self.folder.as_deref().ok_or_else(missing)
    }

    /// A file of `words` words that all flows use, filled with its own words.
    pub(crate) fn shared_file(&self, words: u64) -> io::Result<OwnFile> {
        OwnFile::make(self.folder()?, "shared", words)
    }

    /// A file of `words` words for one flow, in the slot's folder.
    pub(crate) fn flow_file(&self, flow: usize, words: u64) -> OwnFile {
        let folder = self.folder();
        let file = folder.and_then(|folder| OwnFile::of_flow(folder, flow, words));
        must("make a file", file)
    }

    /// A folder for one flow, in the slot's folder.
    pub(crate) fn flow_folder(&self, flow: usize) -> PathBuf {
        let make = |base: &Path| {
            let folder = base.join(format!("of-{flow}"));
            std::fs::create_dir_all(&folder).map(|()| folder)
        };
        must("make a folder", self.folder().and_then(make))
    }
}
