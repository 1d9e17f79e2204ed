//! A run on its way: the journal that it writes, and how it launches a slot.

use flow::placement::Cpus;
use flow::profile::ProfileSpec;
use flow::{Answer, Proof, SlotSpec};
use workload::Work;

use crate::data::{Case, Chosen, Entry, LabelledVariant, Outcome, SlotEntry};
use crate::findings::ledger::{At, CaseLog};
use crate::plan::simulated::{anywhere, with_counts};
use crate::run::error::Stop;
use crate::run::profiling;
use crate::run::progress::{Observer, Place};
use crate::run::{Clock, Journal, Launch};

#[derive(Debug, Clone)]
pub(super) struct Take {
    pub(super) timers: bool,
    pub(super) film: bool,
    pub(super) profile: Option<ProfileSpec>,
    pub(super) seed: u64,
}

impl Take {
    pub(super) fn slot(timers: bool, seed: u64) -> Self {
        Self {
            timers,
            film: false,
            profile: None,
            seed,
        }
    }
}

pub(super) struct Run<'a> {
    pub(super) journal: &'a mut Journal,
    pub(super) launch: &'a mut dyn Launch,
    pub(super) clock: &'a dyn Clock,
    pub(super) observer: &'a mut dyn Observer,
    pub(super) cpus: Cpus,
    /// When this part of the run began, in seconds after the beginning of the whole.
    pub(super) offset_s: f64,
}

impl Run<'_> {
    pub(super) fn log(&self, at: At) -> &CaseLog {
        self.journal.ledger().at(at)
    }

    pub(super) fn now_s(&self) -> f64 {
        self.offset_s + self.clock.elapsed_s()
    }

    pub(super) fn tell_cut(
        &mut self,
        place: Place<'_>,
        label: &str,
        why: &str,
    ) -> Result<(), Stop> {
        let (study, case) = (&place.study.name, &place.case.name);
        self.journal
            .note(&format!("{study}, {case}, {label}: {why}"))?;
        Ok(())
    }

    pub(super) fn launch_and_note(
        &mut self,
        Place { study, case }: Place<'_>,
        (round, variant): (usize, usize),
        reference: Option<Proof>,
        (chosen, take): (Chosen, Take),
        entry: fn(SlotEntry) -> Entry,
    ) -> Result<f64, Stop> {
        let at_s = self.now_s();
        let outcome = self.launch_one(case, &case.variants[variant], chosen, take)?;
        let took_s = outcome.launch_ns as f64 / 1e9;
        self.journal.append(entry(SlotEntry {
            study: study.name.clone(),
            case: case.name.clone(),
            round,
            variant,
            at_s,
            outcome: checked(outcome, reference, &case.work),
        }))?;
        Ok(took_s)
    }

    pub(super) fn launch_one(
        &mut self,
        case: &Case,
        labelled: &LabelledVariant,
        slot: Chosen,
        take: Take,
    ) -> Result<Outcome, Stop> {
        let LabelledVariant { variant, work, .. } = labelled;
        let mut cpus = variant.placement.resolve(&self.cpus).unwrap_or_default();
        let simulate = self.journal.header().settings.simulate.as_ref();
        if let Some(simulation) = simulate.filter(|_| cpus.is_empty()) {
            cpus = anywhere(simulation);
        }
        let sampling = labelled.sample.as_ref();
        let sampling = sampling.or(self.journal.header().settings.sample.as_ref());
        let work = work.as_ref().unwrap_or(&case.work);
        let has_timers = work.has_timers();
        let mut spec = SlotSpec {
            cpus,
            warmups: slot.warmups,
            reps: slot.reps,
            deadline_s: slot.deadline_s,
            count: self.journal.header().settings.events.clone(),
            timers: take.timers && has_timers && simulate.is_none(),
            film: take.film,
            grace_s: work.program().map_or(0.0, |program| program.grace_s),
            record: simulate.map(|simulation| simulation.recording()),
            seed: take.seed,
            ..SlotSpec::new(work.clone(), variant.clone())
        };
        let aside = self.cpus.aside(spec.measured_cpus());
        let faster = variant.faster.as_ref();
        let faster = faster.filter(|_| spec.work.program().is_some());
        let stopping = faster.map(|faster| profiling::stopping(faster, case.metric));
        spec.profile = take.profile.or(stopping).map(|profile| ProfileSpec {
            cpus: aside.clone(),
            ..profile
        });
        if let Some(profile) = &mut spec.profile {
            profile.stacks |= profiling::name_functions(&mut spec.work);
        }
        let sampling = sampling.filter(|_| spec.profile.is_none());
        spec.sample = sampling.map(|sampling| sampling.spec(aside));
        match spec.record {
            Some(_) => self.launch_simulated(spec),
            None => Ok(self.launch.launch(&spec)?),
        }
    }

    /// A slot that is recorded. On this machine's own model it runs here too, for its events.
    fn launch_simulated(&mut self, mut spec: SlotSpec<Work>) -> Result<Outcome, Stop> {
        let count = std::mem::take(&mut spec.count);
        let simulated = self.launch.launch(&spec)?;
        if count.is_empty() {
            return Ok(simulated);
        }
        let cpus = spec.variant.placement.resolve(&self.launch.cpus());
        let here = SlotSpec {
            cpus: cpus.unwrap_or_default(),
            count,
            record: None,
            ..spec
        };
        let here = self.launch.launch(&here)?;
        Ok(with_counts(simulated, here))
    }
}

/// No ratio without the same proof on both sides: a slot that proved other work is a failure.
pub(super) fn checked(outcome: Outcome, reference: Option<Proof>, work: &Work) -> Outcome {
    let answer = match (outcome.answer, reference) {
        (Answer::Done(mut record), Some(expected)) if record.proof != expected => Answer::Failed {
            reason: work.differs(expected, record.proof),
            begun: None,
            kept: record.reps.pop(),
        },
        (answer, _) => answer,
    };
    Outcome { answer, ..outcome }
}
