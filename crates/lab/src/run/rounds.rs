//! A run: for each study the rounds of its cases, each case after its pilot.
//!
//! ```text
//!  for each study ─▶ which case is next? (budget.rs) ◀──────────────┐
//!                      │                                            │
//!                      ├─▶ over? (settled, rounds, budget, failures): its end
//!                      ├─▶ no pilot yet: its pilot                  │
//!                      └─▶ next slot: order, launch, check, journal │
//! ```
//!
//! The run keeps no books of its own. What to do next is asked of the journal's ledger
//! each time, so a run that was cut continues by simply being started on its journal.

use std::collections::BTreeSet;

use flow::placement::Cpus;
use flow::{Outcome, Proof, SlotSpec};
use workload::Work;

use crate::data::{Case, CaseEnd, Chosen, Entry, LabelledVariant, SlotEntry, Study, failure};
use crate::findings::Results;
use crate::findings::ledger::{At, CaseLog, left_s, spent_s};
use crate::plan::order::order;
use crate::plan::simulated::{anywhere, with_counts};
use crate::plan::{check, cpus};
use crate::run::budget::{PendingCases, remaining_s};
use crate::run::error::Stop;
use crate::run::pilot::{choose, cut_by_budget, of_case, pilot_slot, stopped_by_budget, within};
use crate::run::progress::{Event, Observer, Place, SlotPlace};
use crate::run::proof::checked;
use crate::run::{Clock, Journal, Launch, RunError};

/// A case ends after this many failed slots of one variant in a row.
const FAILURES: usize = 3;

/// In this many rounds slots have a repetition with timers, where their work has timers: enough
/// for a median, and no further round pays for it.
const TIMED_ROUNDS: usize = 6;

/// A budget that is advised has so much more than the pilot makes one expect, and one more round:
/// rounds take longer than the pilot on a machine that has become busier.
const SPARE: f64 = 1.3;

/// Runs what the journal's header asks for and the journal does not hold yet.
///
/// `clock` stamps the journal; nothing is decided by it. A run that is cut by a signal is
/// no error: its results say so.
///
/// # Errors
/// The journal cannot be written, slots cannot be launched, or a case cannot be run on
/// this machine (said before the first slot).
pub fn run(
    journal: &mut Journal,
    launch: &mut dyn Launch,
    clock: &dyn Clock,
    observer: &mut dyn Observer,
) -> Result<Results, RunError> {
    let studies = journal.header().studies.clone();
    check(&studies, &journal.header().machine)?;
    let cpus = cpus(&journal.header().machine);
    let offset_s = journal.ledger().last_s;
    let mut run = Run {
        journal,
        launch,
        clock,
        observer,
        cpus,
        offset_s,
    };
    let interrupted = match run.studies(&studies) {
        Ok(()) => None,
        Err(Stop::Interrupted(signal)) => Some(signal),
        Err(Stop::Error(error)) => return Err(error),
    };
    let at_s = run.now_s();
    run.journal.append(Entry::End { interrupted, at_s })?;
    run.observer.event(&Event::RunEnded { interrupted });
    Ok(run.journal.results())
}

struct Run<'a> {
    journal: &'a mut Journal,
    launch: &'a mut dyn Launch,
    clock: &'a dyn Clock,
    observer: &'a mut dyn Observer,
    cpus: Cpus,
    /// When this part of the run began, in seconds after the beginning of the whole.
    offset_s: f64,
}

impl Run<'_> {
    fn log(&self, at: At) -> &CaseLog {
        self.journal.ledger().at(at)
    }

    fn now_s(&self) -> f64 {
        self.offset_s + self.clock.elapsed_s()
    }

    fn studies(&mut self, studies: &[Study]) -> Result<(), Stop> {
        let slots_done = self.journal.ledger().slots();
        self.observer.event(&Event::RunBegins {
            studies,
            slots_done,
        });
        for (number, study) in studies.iter().enumerate() {
            self.study(number, study)?;
        }
        Ok(())
    }

    fn study(&mut self, number: usize, study: &Study) -> Result<(), Stop> {
        if self.open_cases(number).next().is_none() {
            return Ok(());
        }
        self.observer.event(&Event::StudyBegins { study });
        // What the work can tell of its proof, found once: it may take a while.
        let known: Vec<_> = study
            .cases
            .iter()
            .map(|case| case.work.expected())
            .collect();
        let place = |at: At| Place {
            study,
            case: &study.cases[at.case],
        };
        let pending = PendingCases::of_study(study);
        let mut begun = BTreeSet::new();
        while let Some((at, end)) = self.next_case(number, &pending) {
            let place = place(at);
            if begun.insert(at.case) {
                let rounds_done = self.log(at).round();
                self.observer
                    .event(&Event::CaseBegins { place, rounds_done });
            }
            match end {
                Some(because) => self.end(at, place, because)?,
                None if self.log(at).pilot.is_none() => {
                    self.pilot(at, place, known[at.case])?;
                    self.tell_too_short(at, place, &pending);
                }
                None => {
                    self.slot(at, place, known[at.case])?;
                    self.tell_progress(at, place);
                }
            }
        }
        Ok(())
    }

    fn open_cases(&self, study: usize) -> impl Iterator<Item = At> {
        let logs = self.journal.ledger().logs[study].iter().enumerate();
        logs.filter(|(_, log)| log.ended.is_none())
            .map(move |(case, _)| At { study, case })
    }

    /// The case to go on with, of those that have time left; if none has, the first that is
    /// open. With it whether it is over.
    fn next_case(&self, study: usize, pending: &PendingCases) -> Option<(At, Option<CaseEnd>)> {
        let ledger = self.journal.ledger();
        let logs = &ledger.logs[study];
        let left_s = left_s(ledger.header.settings.budget_s, logs);
        let has_time = |case| left_s.is_none_or(|left| pending.next_round_s(logs, case) <= left);
        let open = || {
            let open = self.open_cases(study);
            let is_over = left_s.is_some_and(|left| left <= 0.0);
            open.map(move |at| (at, self.end_of(at, is_over, || has_time(at.case))))
        };
        let able = open().filter(|(_, end)| *end != Some(CaseEnd::Budget));
        let able = able.min_by_key(|(at, _)| pending.precedence(logs, at.case, left_s));
        able.or_else(|| open().next())
    }

    /// Seconds that are left of the budget of a study; `None` without one.
    fn left_s(&self, study: usize) -> Option<f64> {
        let ledger = self.journal.ledger();
        left_s(ledger.header.settings.budget_s, &ledger.logs[study])
    }

    fn pilot(&mut self, at: At, place: Place<'_>, known: Option<Proof>) -> Result<(), Stop> {
        self.observer.event(&Event::PilotBegins { place });
        let mut left_s = self.left_s(at.study);
        let mut reference = known;
        let mut outcomes = Vec::new();
        // A slot of a simulated machine has one repetition, whatever a pilot found.
        let piloted = self.journal.header().settings.simulate.is_none();
        for labelled in place.case.variants.iter().filter(|_| piloted) {
            let slot = pilot_slot(&self.journal.header().settings, left_s);
            let outcome = self.launch_one(place.case, labelled, slot, true)?;
            left_s = left_s.map(|left_s| left_s - outcome.launch_ns as f64 / 1e9);
            let outcome = checked(outcome, reference, &place.case.work);
            reference = reference.or(outcome.answer.done().map(|record| record.proof));
            let settings = &self.journal.header().settings;
            let cut = cut_by_budget(settings, slot, &outcome);
            outcomes.push(outcome);
            let is_last = outcomes.len() == place.case.variants.len();
            let stopped = || stopped_by_budget(settings, &outcomes, left_s).filter(|_| !is_last);
            if let Some(why) = cut.or_else(stopped) {
                self.tell_cut(place, &labelled.label, &why)?;
                break;
            }
        }
        let chosen = choose(&self.journal.header().settings, place.case, &outcomes);
        self.journal.append(Entry::Pilot {
            study: place.study.name.clone(),
            case: place.case.name.clone(),
            warmups: chosen.warmups,
            reps: chosen.reps,
            deadline_s: chosen.deadline_s,
            outcomes,
        })?;
        self.observer.event(&Event::PilotEnded { place, chosen });
        Ok(())
    }

    /// Names a budget that gives a question no interval, and one that does, before it is spent.
    fn tell_too_short(&mut self, at: At, place: Place<'_>, pending: &PendingCases) {
        let logs = &self.journal.ledger().logs[at.study];
        let Some(left_s) = self.left_s(at.study) else {
            return;
        };
        // A pilot that was cut has said why already.
        if logs[at.case].pilot_was_cut() {
            return;
        }
        let Some(needs) = pending.lacks_time(logs, at.case, Some(left_s)) else {
            return;
        };
        let with_spare = SPARE * needs.seconds + needs.seconds / needs.rounds.max(1) as f64;
        let enough_s = (spent_s(logs) + with_spare).ceil();
        self.observer.event(&Event::BudgetTooShort {
            place,
            rounds: needs.rounds,
            needs_s: needs.seconds,
            left_s: left_s.max(0.0),
            enough_s,
        });
    }

    /// Keeps why a case has no rounds for the results.
    fn tell_cut(&mut self, place: Place<'_>, label: &str, why: &str) -> Result<(), Stop> {
        let (study, case) = (&place.study.name, &place.case.name);
        self.journal
            .note(&format!("{study}, {case}, {label}: {why}"))?;
        Ok(())
    }

    fn end(&mut self, at: At, place: Place<'_>, because: CaseEnd) -> Result<(), Stop> {
        let failed = self.log(at).failed_pilots();
        let failed: Vec<_> = failed.map(|(of, why)| (of, why.to_string())).collect();
        for (variant, why) in failed {
            let label = &place.case.variants[variant].label;
            self.tell_cut(place, label, &format!("its pilot failed: {why}"))?;
        }
        self.journal.append(Entry::CaseEnd {
            study: place.study.name.clone(),
            case: place.case.name.clone(),
            because,
        })?;
        self.observer.event(&Event::CaseEnded { place, because });
        Ok(())
    }

    /// Whether the case is over: asked before each slot, answered from the journal. A round that
    /// was begun is finished, unless it has failed and the budget is over.
    fn end_of(&self, at: At, is_over: bool, has_time: impl Fn() -> bool) -> Option<CaseEnd> {
        let log = self.log(at);
        if log.failures_in_a_row() >= FAILURES {
            return Some(CaseEnd::Failures);
        }
        if log.within_round() > 0 {
            return (is_over && log.has_failed_round()).then_some(CaseEnd::Budget);
        }
        let all_run = log.judge.is_settled() || log.round() >= log.judge.max_rounds();
        if all_run && !log.each_has_a_good_slot() {
            return Some(CaseEnd::Failures);
        }
        if log.judge.is_settled() && log.judge.is_decided() {
            return Some(CaseEnd::Decided);
        }
        if all_run {
            return Some(CaseEnd::Rounds);
        }
        let has_failed = || log.failed_pilots().next().is_some();
        (!has_time()).then(|| match has_failed() {
            true => CaseEnd::Failures,
            false => CaseEnd::Budget,
        })
    }

    fn slot(&mut self, at: At, place: Place<'_>, known: Option<Proof>) -> Result<(), Stop> {
        let Place { study, case } = place;
        let log = self.log(at);
        let round = log.round();
        let seed = self.journal.header().settings.seed;
        let mut order = order(seed, &study.name, &case.name, round, case.variants.len());
        let taking = log.judge.taking();
        order.retain(|variant| taking.contains(variant));
        let variant = order[log.within_round()];
        let reference = known.or_else(|| log.proof());
        let chosen = of_case(log, &self.journal.header().settings);
        // No pilot says how long a slot in an emulator takes, and one that is cut counts nothing.
        let left_s = self.left_s(at.study);
        let left_s = left_s.filter(|_| self.journal.header().settings.simulate.is_none());
        let chosen = within(chosen, left_s, log.round_s());
        let slot = slot_place(log, place, variant);
        self.observer.event(&Event::SlotBegins { slot });
        let at_s = self.now_s();
        let timers = round < TIMED_ROUNDS;
        let outcome = self.launch_one(case, &case.variants[variant], chosen, timers)?;
        self.journal.append(Entry::Slot(SlotEntry {
            study: study.name.clone(),
            case: case.name.clone(),
            round,
            variant,
            at_s,
            outcome: checked(outcome, reference, &case.work),
        }))?;
        Ok(())
    }

    fn launch_one(
        &mut self,
        case: &Case,
        labelled: &LabelledVariant,
        slot: Chosen,
        timers: bool,
    ) -> Result<Outcome, Stop> {
        // Checked for every variant before the run began; free is what is left of an error.
        let LabelledVariant { variant, work, .. } = labelled;
        let mut cpus = variant.placement.resolve(&self.cpus).unwrap_or_default();
        let simulate = self.journal.header().settings.simulate.clone();
        if let Some(simulation) = simulate.as_ref().filter(|_| cpus.is_empty()) {
            cpus = anywhere(simulation);
        }
        let sampling = labelled.sample.as_ref();
        let sampling = sampling.or(self.journal.header().settings.sample.as_ref());
        let work = work.as_ref().unwrap_or(&case.work);
        let has_timers = work.has_timers();
        let mut spec = SlotSpec {
            work: work.clone(),
            variant: variant.clone(),
            cpus,
            warmups: slot.warmups,
            reps: slot.reps,
            deadline_s: slot.deadline_s,
            narrate: None,
            output: None,
            scratch: None,
            sample: None,
            count: self.journal.header().settings.events.clone(),
            timers: timers && has_timers && simulate.is_none(),
            grace_s: work.program().map_or(0.0, |program| program.grace_s),
            simulate,
        };
        let aside = self.cpus.aside(spec.measured_cpus());
        spec.sample = sampling.map(|sampling| sampling.spec(aside));
        match spec.simulate {
            Some(_) => self.launch_simulated(spec),
            None => Ok(self.launch.launch(&spec)?),
        }
    }

    /// A slot whose accesses are recorded, in which events would be the emulator's. So where there are
    /// some to count, which is on this machine's own model alone, the same slot runs on it too.
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
            simulate: None,
            ..spec
        };
        let here = self.launch.launch(&here)?;
        Ok(with_counts(simulated, here))
    }

    /// Tells of the slot just run, of the look that followed it, and of what is left.
    fn tell_progress(&mut self, at: At, place: Place<'_>) {
        let ledger = self.journal.ledger();
        let log = ledger.at(at);
        let Some(last) = log.slots.last() else {
            return;
        };
        let standings = log.judge.standings(place.case);
        let mut slot = slot_place(log, place, last.variant);
        slot.round = last.round;
        self.observer.event(&Event::SlotEnded {
            slot,
            value_ns: last.value_ns,
            failure: failure(&last.outcome),
            standings: standings.clone(),
        });
        if log.within_round() == 0 && log.judge.at_look() {
            self.observer.event(&Event::LookTaken {
                place,
                rounds: log.judge.rounds(),
                standings,
            });
        }
        let budget_s = ledger.header.settings.budget_s;
        self.observer.event(&Event::Remaining {
            next_look_s: log.until_s(log.judge.next_look()),
            study_s: remaining_s(budget_s, &ledger.logs[at.study]),
        });
    }
}

fn slot_place<'a>(log: &CaseLog, place: Place<'a>, variant: usize) -> SlotPlace<'a> {
    SlotPlace {
        study: place.study,
        case: place.case,
        round: log.round(),
        max_rounds: log.judge.max_rounds(),
        variant: &place.case.variants[variant].label,
    }
}

#[cfg(test)]
mod tests;
