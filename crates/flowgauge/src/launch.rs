//! Real slots for the lab: a fresh process for each.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use flow::{Answer, Interrupt, Launcher, Outcome, SlotSpec};
use lab::{Launch, LaunchError};
use workload::Work;

use crate::result_file::ResultFile;

/// Launches cells of this program.
#[derive(Debug)]
pub(crate) struct CellLauncher {
    cells: Launcher,
    results: ResultFile,
    /// Where slots make folders for their files.
    files: PathBuf,
}

impl CellLauncher {
    /// A launcher whose slots write their results into `results`.
    pub(crate) fn new(results: ResultFile) -> Result<Self> {
        Ok(Self {
            cells: Launcher::new(Interrupt::install().context(
                "cannot listen for signals (if files are the limit, raise it: ulimit -n 256)",
            )?),
            results,
            files: PathBuf::from("."),
        })
    }

    /// From now on slots make their files in folders of `folder`.
    pub(crate) fn keep_files_in(&mut self, folder: &Path) {
        folder.clone_into(&mut self.files);
    }

    /// Writes what was kept of a good slot to where the user wants it.
    pub(crate) fn publish(&mut self) -> Result<Option<PathBuf>> {
        self.results.publish()
    }

    /// The file that the user asked for, while nothing has been written to it.
    pub(crate) fn unpublished(&self) -> Option<PathBuf> {
        self.results.target()
    }
}

impl Launch for CellLauncher {
    fn launch(&mut self, spec: &SlotSpec<Work>) -> Result<Outcome, LaunchError> {
        let spec = SlotSpec {
            output: Some(self.results.path_for_cells()),
            scratch: spec.work.needs_folder().then(|| self.files.clone()),
            ..spec.clone()
        };
        let outcome = self.cells.launch(&spec).map_err(|error| match error {
            flow::LaunchError::Interrupted(signal) => LaunchError::Interrupted { signal },
            other => LaunchError::Fatal(other.to_string()),
        })?;
        if matches!(outcome.answer, Answer::Done(_)) && !spec.narrate {
            self.results.keep().map_err(|error| {
                LaunchError::Fatal(format!("cannot keep the results of a slot: {error}"))
            })?;
        }
        Ok(outcome)
    }
}
