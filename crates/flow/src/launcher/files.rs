use std::io;
use std::path::{Path, PathBuf};

use nix::sched::{CpuSet, sched_getaffinity};
use nix::unistd::Pid;

use tidy::SlotFolder;
use tidy::names::{self, Kind};

use crate::janitor::{self, Janitor};
use crate::{SampleSpec, SlotSpec};

#[derive(Debug)]
pub(super) struct Files {
    pub(super) fifo: PathBuf,
    pub(super) scratch: Option<SlotFolder>,
    pub(super) traces: Option<SlotFolder>,
}

impl Files {
    /// The janitor hears of them first.
    pub(super) fn make(
        folder: &Path,
        base: Option<&PathBuf>,
        recorded: bool,
        janitor: &mut Option<Janitor>,
    ) -> io::Result<Self> {
        let fifo = folder.join(names::new(Kind::Fifo)?);
        let own = |base: &Path| -> io::Result<PathBuf> {
            Ok(std::path::absolute(base)?.join(names::new(Kind::Folder)?))
        };
        let scratch = base.map(|base| own(base)).transpose()?;
        let traces = recorded.then(|| own(folder)).transpose()?;
        let mut names = vec![&fifo];
        names.extend(scratch.iter().chain(&traces));
        janitor::tell(janitor, &names);
        let made = |path: Option<PathBuf>| path.map(|path| SlotFolder::make(&path)).transpose();
        Ok(Self {
            fifo,
            scratch: made(scratch)?,
            traces: made(traces)?,
        })
    }

    /// The folder to be sampled is the slot's, unless another was named.
    pub(super) fn sampled<W>(&self, spec: &SlotSpec<W>) -> Option<SampleSpec> {
        let sample = spec.sample.as_ref()?;
        Some(SampleSpec {
            folder: sample.folder.clone().or_else(|| self.scratch_path()),
            most_cpus: sample.most_cpus.or_else(|| most_cpus(spec)),
            ..sample.clone()
        })
    }

    pub(super) fn scratch_path(&self) -> Option<PathBuf> {
        let folder = self.scratch.as_ref()?;
        Some(folder.path().to_owned())
    }

    pub(super) fn remove(&self, janitor: &mut Option<Janitor>) {
        let _gone_is_fine = std::fs::remove_file(&self.fifo);
        let folders = self.scratch.iter().chain(&self.traces);
        folders.for_each(SlotFolder::remove);
        janitor::tell(janitor, &[]);
    }
}

/// One if its parent is bound too.
fn most_cpus<W>(spec: &SlotSpec<W>) -> Option<u32> {
    if spec.variant.placement.is_one_cpu() {
        return Some(1);
    }
    let allowed = sched_getaffinity(Pid::from_raw(0)).ok()?;
    let is_allowed = |&cpu: &usize| allowed.is_set(cpu).unwrap_or(false);
    let count = (0..CpuSet::count()).filter(is_allowed).count();
    u32::try_from(count).ok().filter(|&count| count > 0)
}
