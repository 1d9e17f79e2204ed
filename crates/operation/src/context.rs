use std::io;
use std::path::{Path, PathBuf};

use flow::Model;

use crate::check::must;
use crate::sys::own_file::OwnFile;

#[derive(Debug, Clone)]
pub(crate) struct OperationContext {
    pub(crate) flows: u64,
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

    pub(crate) fn shared_file(&self, words: u64) -> io::Result<OwnFile> {
        OwnFile::make(self.folder()?, "shared", words)
    }

    pub(crate) fn flow_file(&self, flow: usize, words: u64) -> OwnFile {
        let folder = self.folder();
        let file = folder.and_then(|folder| OwnFile::of_flow(folder, flow, words));
        must("make a file", file)
    }

    pub(crate) fn flow_folder(&self, flow: usize) -> PathBuf {
        let make = |base: &Path| {
            let folder = base.join(format!("of-{flow}"));
            std::fs::create_dir_all(&folder).map(|()| folder)
        };
        must("make a folder", self.folder().and_then(make))
    }
}
