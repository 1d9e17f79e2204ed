//! The names on disk of one slot.

use std::io;
use std::path::{Path, PathBuf};

use nix::sched::{CpuSet, sched_getaffinity};
use nix::unistd::Pid;

use crate::scratch;
use crate::scratch::names::{self, Kind};
use crate::{SampleSpec, SlotSpec};

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
    pub(super) fn sampled<W>(&self, spec: &SlotSpec<W>) -> Option<SampleSpec> {
        let sample = spec.sample.as_ref()?;
        Some(SampleSpec {
            folder: sample.folder.clone().or_else(|| self.scratch.clone()),
            most_cpus: sample.most_cpus.or_else(|| most_cpus(spec)),
            ..sample.clone()
        })
    }

    /// Removes what is there of them.
    pub(super) fn remove(&self) {
        let _gone_is_fine = std::fs::remove_file(&self.fifo);
        self.scratch
            .iter()
            .for_each(|folder| scratch::remove(folder));
    }
}

/// CPUs that a slot can have at once: one where its parent is bound as well, else all that
/// this process may use.
fn most_cpus<W>(spec: &SlotSpec<W>) -> Option<u32> {
    if spec.variant.placement.is_one_cpu() {
        return Some(1);
    }
    let allowed = sched_getaffinity(Pid::from_raw(0)).ok()?;
    let is_allowed = |&cpu: &usize| allowed.is_set(cpu).unwrap_or(false);
    let count = (0..CpuSet::count()).filter(is_allowed).count();
    u32::try_from(count).ok().filter(|&count| count > 0)
}
