//! Texts below `/proc`, read again and again into one buffer.

use std::fmt::{Arguments, Write as _};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::PathBuf;

#[derive(Debug)]
pub(crate) struct TextFiles {
    pub(crate) root: PathBuf,
    /// Of the file that was read last.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl TextFiles {
    pub(crate) fn below(root: impl Into<PathBuf>) -> Self {
        Self {
            root: root.into(),
            path: String::new(),
            text: String::with_capacity(4_096),
        }
    }

    pub(crate) fn read(&mut self, file: Arguments<'_>) -> io::Result<()> {
        self.path.clear();
        let _ = write!(self.path, "{}/{file}", self.root.display());
        self.text.clear();
        File::open(&self.path)?.read_to_string(&mut self.text)?;
        Ok(())
    }
}
