//! Where and as what an operation is repeated.

use std::io;
use std::path::Path;

use flow::Model;

use crate::sys::own_file::OwnFile;

/// What an operation knows of the slot that it is repeated in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OperationContext<'a> {
    /// How many flows repeat it.
    pub(crate) flows: u64,
    /// What they are made of. Only operations whose flows make further flows ask.
    pub(crate) model: Model,
    folder: Option<&'a Path>,
}

impl<'a> OperationContext<'a> {
    pub(crate) fn new(flows: u64, model: Model, folder: Option<&'a Path>) -> Self {
        Self {
            flows,
            model,
            folder,
        }
    }

    /// The slot's folder.
    pub(crate) fn folder(&self) -> io::Result<&'a Path> {
        let missing = || io::Error::other("this operation needs a folder for its files");
        self.folder.ok_or_else(missing)
    }

    /// A file of `words` words that all flows use, filled with its own words.
    pub(crate) fn shared_file(&self, words: u64) -> io::Result<OwnFile> {
        OwnFile::make(self.folder()?, "shared", words)
    }
}
