//! The names on disk of one slot.

use std::io;
use std::path::{Path, PathBuf};

use crate::SampleSpec;
use crate::scratch;
use crate::scratch::names::{self, Kind};

/// What a slot may have on disk.
#[derive(Debug)]
pub(super) struct Files {
    pub(super) fifo: PathBuf,
    pub(super) scratch: Option<PathBuf>,
}

impl Files {
    /// Names for the run's n-th slot: of its pipe in `folder`, and of a folder in `base`,
    /// which is made.
    pub(super) fn make(folder: &Path, base: Option<&PathBuf>, slot: u64) -> io::Result<Self> {
        Ok(Self {
            fifo: folder.join(names::of(Kind::Fifo, std::process::id(), slot)),
            scratch: base.map(|base| scratch::make(base, slot)).transpose()?,
        })
    }

    /// What is sampled: the space in the slot's folder, where no other one was named.
    pub(super) fn sampled(&self, sample: &SampleSpec) -> SampleSpec {
        SampleSpec {
            folder: sample.folder.clone().or_else(|| self.scratch.clone()),
            ..sample.clone()
        }
    }

    /// Removes what is there of them.
    pub(super) fn remove(&self) {
        let _gone_is_fine = std::fs::remove_file(&self.fifo);
        self.scratch
            .iter()
            .for_each(|folder| scratch::remove(folder));
    }
}
