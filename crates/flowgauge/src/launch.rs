use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use flow::placement::Cpus;
use flow::{Answer, Emulator, Failure, Interrupt, Launcher, Onlooker, ProbeSpec, Probed, SlotSpec};
use lab::{LabelledVariant, Launch, LaunchError, Outcome, Simulation};
use machine::Ceiling;
use workload::Work;

use crate::output::tell;
use crate::result_file::ResultFile;
use crate::watch::Watch;

/// Nearly everything goes through `/proc`, slots too: it must be of this namespace.
fn proc_is_there() -> Result<()> {
    ensure!(
        Path::new("/proc/self/exe").exists(),
        "/proc is empty here, and flows are started and measured through it: mount it (mount -t \
         proc proc /proc), or have the container do so"
    );
    ensure!(
        flow::proc_is_own(),
        "/proc shows the processes of another PID namespace, so what it says under a number here is \
         of a stranger's process: mount the one of this namespace (unshare --mount-proc, or mount -t \
         proc proc /proc)"
    );
    Ok(())
}

/// What slots rest on beside this machine, such as the nodes of a job.
pub(crate) trait Beside: std::fmt::Debug {
    /// Children of this process that live on between slots.
    fn pids(&self) -> Vec<i32>;
    /// Why this slot cannot be, where that is known before.
    fn refusal(&self, spec: &SlotSpec<Work>) -> Option<String>;
    /// Why this slot failed for that reason, where it lies there.
    fn cause(&mut self, spec: &SlotSpec<Work>, reason: &Failure) -> Option<String>;
}

#[derive(Debug)]
pub(crate) struct SlotLauncher {
    pub(crate) slots: Launcher,
    pub(crate) results: ResultFile,
    pub(crate) files: PathBuf,
    pub(crate) watch: Option<Watch>,
    narrated: VecDeque<LabelledVariant>,
    here: Cpus,
    heard: BTreeSet<String>,
    /// Until it ends.
    pub(crate) beside: Option<Box<dyn Beside>>,
    simulation: Option<Box<Simulation>>,
}

impl SlotLauncher {
    pub(crate) fn new(results: ResultFile, here: Cpus) -> Result<Self> {
        proc_is_there()?;
        Ok(Self {
            slots: Launcher::new(Interrupt::install().context(
                "cannot listen for signals (if files are the limit, raise it: ulimit -n 256)",
            )?),
            results,
            files: PathBuf::from("."),
            watch: None,
            narrated: VecDeque::new(),
            here,
            heard: BTreeSet::new(),
            beside: None,
            simulation: None,
        })
    }

    pub(crate) fn emulate(&mut self, emulator: Emulator, simulation: Box<Simulation>) {
        self.slots.emulate(emulator);
        self.simulation = Some(simulation);
    }

    pub(crate) fn probe(&mut self, spec: &ProbeSpec) -> Result<Option<Probed<Ceiling>>> {
        self.slots.begin();
        match self.slots.probe(spec) {
            Ok(probed) => Ok(Some(probed)),
            Err(flow::LaunchError::Interrupted(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Their first launches narrate: pilots, if the run has them.
    pub(crate) fn narrate(&mut self, variants: &[LabelledVariant]) {
        self.narrated = variants.to_vec().into();
    }

    /// The label, if this launch narrates. Any other launch ends narration.
    fn narrator(&mut self, spec: &SlotSpec<Work>) -> Option<String> {
        let next = self.narrated.pop_front()?;
        if next.variant == spec.variant {
            return Some(next.label);
        }
        self.narrated.clear();
        None
    }

    pub(crate) fn cost_of_watching(&self) -> Vec<String> {
        self.watch.as_ref().map(Watch::cost).unwrap_or_default()
    }

    fn launch_and_clear(&mut self, spec: &SlotSpec<Work>) -> Result<Outcome, flow::LaunchError> {
        let is_users = spec.work.program().is_some() || spec.work.library().is_some();
        if !is_users {
            let outcome = self.launch_slot(spec);
            if spec.variant.quota.is_some() {
                flow::cgroup::sweep();
            }
            return outcome;
        }
        let adopting = program::tree::adopt_orphans();
        adopting.map_err(|source| flow::LaunchError::Start { source })?;
        let outcome = self.launch_slot(spec);
        self.tell_said(spec, outcome.as_ref().ok());
        let spared = self.beside.as_ref().map(|beside| beside.pids());
        program::tree::end_orphans(&spared.unwrap_or_default());
        flow::cgroup::sweep();
        outcome
    }

    /// What a library of the user prints, once for each variant. Of what fails it is in the reason.
    fn tell_said(&mut self, spec: &SlotSpec<Work>, outcome: Option<&Outcome>) {
        let is_in_reason = outcome.is_none_or(|outcome| match &outcome.answer {
            Answer::Failed { reason, .. } => !reason.is_of_time(),
            Answer::Done(_) => false,
        });
        if is_in_reason {
            return;
        }
        let said = String::from_utf8_lossy(self.slots.said());
        let name = spec.work.library().and_then(Path::file_name);
        let (Some(name), false) = (name, said.trim().is_empty()) else {
            return;
        };
        let who = format!("{} as {}", name.display(), spec.variant.model);
        if self.heard.insert(who.clone()) {
            said.trim_end()
                .lines()
                .for_each(|line| tell(&format!("{who}: {line}")));
        }
    }

    fn launch_slot(&mut self, spec: &SlotSpec<Work>) -> Result<Outcome, flow::LaunchError> {
        let watch = self.watch.as_mut().filter(|_| spec.narrate.is_none());
        let onlooker = watch.map(|watch| -> &mut dyn Onlooker {
            watch.comes(spec);
            watch
        });
        let simulation = self.simulation.as_ref();
        self.slots
            .launch_seen_by(onlooker, spec, |traces, stopped| {
                simulation?.of_slot(traces, &spec.cpus, stopped)
            })
    }
}

fn failed(what: String) -> Answer {
    Answer::Failed {
        reason: Failure::Error { what },
        kept: None,
        begun: None,
    }
}

impl Launch for SlotLauncher {
    fn launch(&mut self, spec: &SlotSpec<Work>) -> Result<Outcome, LaunchError> {
        let beside = self.beside.as_ref();
        if let Some(what) = beside.and_then(|beside| beside.refusal(spec)) {
            return Ok(Outcome::new(failed(what), 0));
        }
        let narrator = self.narrator(spec);
        let folder = spec.work.folder().unwrap_or(&self.files);
        let files = spec.work.needs_folder().then(|| folder.to_owned());
        let output = self.slots.lend(self.results.for_slots());
        let output = output.map_err(|error| {
            LaunchError::Fatal(format!("the results of a slot cannot be kept: {error}"))
        })?;
        let spec = SlotSpec {
            output: Some(output),
            scratch: files,
            narrate: narrator.is_some().then(|| self.results.in_words()),
            ..spec.clone()
        };
        if let Some(label) = &narrator {
            tell(&format!("{label}: one launch that is not counted"));
        }
        if let Some(allocator) = &spec.variant.allocator {
            let library = flow::library::of(allocator).map_err(LaunchError::Fatal)?;
            self.slots.load_allocator(library);
        }
        let mut outcome = self.launch_and_clear(&spec).map_err(|error| match error {
            flow::LaunchError::Interrupted(signal) => LaunchError::Interrupted { signal },
            other => LaunchError::Fatal(other.to_string()),
        })?;
        if let (Some(beside), Answer::Failed { reason, .. }) = (&mut self.beside, &outcome.answer)
            && let Some(what) = beside.cause(&spec, reason)
        {
            outcome.answer = failed(what);
        }
        if let (Some(label), Answer::Failed { reason, .. }) = (&narrator, &outcome.answer) {
            tell(&format!("{label}: that launch failed: {reason}"));
        }
        if matches!(outcome.answer, Answer::Done(_)) && spec.narrate.is_none() {
            self.results.keep().map_err(|error| {
                LaunchError::Fatal(format!("cannot keep the results of a slot: {error}"))
            })?;
        }
        Ok(outcome)
    }

    fn cpus(&self) -> Cpus {
        self.here.clone()
    }
}
