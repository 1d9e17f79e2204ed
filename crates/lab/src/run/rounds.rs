//! A run: the rounds of all its cases, each case after its pilot.
//! ```text
//!  which case is next? (schedule.rs) ◀──────────────┐
//!      │                                            │
//!      ├─▶ over? (settled, rounds, budget, failures): its end
//!      ├─▶ no pilot yet: its pilot                  │
//!      └─▶ next slot: order, launch, check, journal │
//! ```
//! What to do next is asked of the journal's ledger each time, so a run that was cut is just started again.

mod aside;
mod confirming;
mod films;
mod piloting;
mod predicting;

use std::collections::{BTreeMap, BTreeSet};

use flow::Proof;

use crate::data::{CaseEnd, Entry, Study, failure};
use crate::findings::Results;
use crate::findings::ledger::{At, CaseLog};
use crate::plan::order::{order, slot_seed};
use crate::plan::{check, cpus};
use crate::run::error::Stop;
use crate::run::launching::{Run, Take};
use crate::run::pilot::{of_case, within};
use crate::run::profiling;
use crate::run::progress::{Event, Observer, Place, SlotPlace};
use crate::run::schedule::{Order, remaining_s};
use crate::run::{Clock, Journal, Launch, RunError};
use piloting::Built;

/// Rounds with a repetition with timers, where work has them: enough for a median.
const TIMED_ROUNDS: usize = 6;

/// An advised budget has so much more than the pilot makes one expect, and a round: machines become busier.
const SPARE: f64 = 1.3;

/// Runs what the journal's header asks for and the journal does not hold yet. `clock` stamps the journal; nothing is
/// decided by it. A run that is cut by a signal is no error: its results say so. Fails if the journal cannot be
/// written, slots cannot be launched, or (before the first slot) a case cannot be run on this machine.
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
    if let Some(load) = clock.load() {
        run.journal.append(Entry::Load { load })?;
    }
    let at_s = run.now_s();
    run.journal.append(Entry::End { interrupted, at_s })?;
    run.observer.event(&Event::RunEnded { interrupted });
    Ok(run.journal.results())
}

#[derive(Default)]
struct Heard {
    studies: BTreeSet<usize>,
    cases: BTreeSet<At>,
    expected: bool,
    /// What the work of a case can tell of its proof.
    proofs: BTreeMap<At, Option<Proof>>,
    built: BTreeSet<Built>,
}

impl Run<'_> {
    fn studies(&mut self, studies: &[Study]) -> Result<(), Stop> {
        let slots_done = self.journal.ledger().slots();
        self.observer.event(&Event::RunBegins {
            studies,
            slots_done,
        });
        let order = Order::of(self.journal.header());
        let mut heard = Heard::default();
        while let Some((at, end)) = order.next(self.journal.ledger()) {
            let study = &studies[at.study];
            let case = &study.cases[at.case];
            let place = Place { study, case };
            self.tell_begins(at, place, &mut heard);
            if let Some(because) = end {
                if self.profile(at, place)? {
                    continue;
                }
                self.end(at, place, because)?;
                continue;
            }
            self.tell_expected(&order, &mut heard);
            let known = *heard
                .proofs
                .entry(at)
                .or_insert_with(|| case.work.expected());
            if self.log(at).pilot.is_none() {
                self.build(case, &mut heard.built)?;
                let rows = order.rows_without_pilot(self.journal.ledger());
                self.pilot(place, known, rows)?;
                self.give_up(at, place)?;
                self.tell_too_short(at, place, &order);
            } else {
                self.slot(at, place, known)?;
                self.give_up(at, place)?;
                self.tell_progress(at, place);
            }
        }
        confirming::confirm(self, studies)?;
        predicting::predict(self, studies)?;
        films::record(self, studies)
    }

    fn tell_begins(&mut self, at: At, place: Place<'_>, heard: &mut Heard) {
        if heard.studies.insert(at.study) {
            let study = place.study;
            self.observer.event(&Event::StudyBegins { study });
        }
        if heard.cases.insert(at) {
            let rounds_done = self.log(at).round();
            self.observer
                .event(&Event::CaseBegins { place, rounds_done });
        }
    }

    /// Says once, as soon as every row has its pilot, how long answers will take.
    fn tell_expected(&mut self, order: &Order, heard: &mut Heard) {
        let expected = order.expected(self.journal.ledger());
        if let Some((first_s, most_s)) = expected.filter(|_| !heard.expected) {
            heard.expected = true;
            self.observer.event(&Event::Expected { first_s, most_s });
        }
    }

    fn give_up(&mut self, at: At, place: Place<'_>) -> Result<(), Stop> {
        for variant in self.log(at).failing() {
            self.journal.append(Entry::GivenUp {
                study: place.study.name.clone(),
                case: place.case.name.clone(),
                variant,
            })?;
        }
        Ok(())
    }

    /// Names a budget that gives a case no interval, and one that does, before it is spent.
    fn tell_too_short(&mut self, at: At, place: Place<'_>, order: &Order) {
        let ledger = self.journal.ledger();
        let Some(left_s) = ledger.left_s() else {
            return;
        };
        if ledger.at(at).pilot_was_cut() {
            return;
        }
        let Some(needs) = order.lacks_time(ledger, at) else {
            return;
        };
        let with_spare = SPARE * needs.seconds + needs.seconds / needs.rounds.max(1) as f64;
        let enough_s = (ledger.spent_s() + with_spare).ceil();
        self.observer.event(&Event::BudgetTooShort {
            place,
            rounds: needs.rounds,
            needs_s: needs.seconds,
            left_s: left_s.max(0.0),
            enough_s,
        });
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
        let left_s = self.journal.ledger().left_s();
        let left_s = left_s.filter(|_| self.journal.header().settings.simulate.is_none());
        let chosen = within(chosen, left_s, log.round_s());
        let slot = slot_place(log, place, variant);
        self.observer.event(&Event::SlotBegins { slot });
        let timers = round < TIMED_ROUNDS;
        let drawn = slot_seed((seed, round), &study.name, &case.name, variant);
        let launch = (chosen, Take::slot(timers, drawn));
        self.launch_and_note(place, (round, variant), reference, launch, Entry::Slot)?;
        Ok(())
    }

    /// Runs the next slot with a profiler beside it, of a case whose verdict stands; whether there was one.
    fn profile(&mut self, at: At, place: Place<'_>) -> Result<bool, Stop> {
        let Place { study, case } = place;
        let log = self.log(at);
        let settings = &self.journal.header().settings;
        let Some((round, within)) = profiling::next(log, settings) else {
            return Ok(false);
        };
        let variants = profiling::variants(log);
        let name = format!("{} (profile)", case.name);
        let order = order(settings.seed, &study.name, &name, round, variants.len());
        let variant = variants[order[within]];
        let drawn = slot_seed((settings.seed, round), &study.name, &name, variant);
        let launched = case.work_of(variant).program().is_some();
        let spec = profiling::spec(log, variant, (case.metric, launched), drawn);
        let chosen = profiling::chosen(log, variant, of_case(log, settings));
        let reference = log.proof();
        let rounds = settings.profile.map_or(0, |profile| profile.rounds);
        if within == 0 {
            let at = (round, rounds);
            let what = "profile";
            self.observer.event(&Event::RoundAside { place, what, at });
        }
        let take = Take {
            profile: Some(spec),
            ..Take::slot(false, drawn)
        };
        let launch = (chosen, take);
        self.launch_and_note(place, (round, variant), reference, launch, Entry::Profiled)?;
        Ok(true)
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
        self.observer.event(&Event::Remaining {
            next_look_s: log.until_s(log.judge.next_look()),
            run_s: remaining_s(ledger),
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
