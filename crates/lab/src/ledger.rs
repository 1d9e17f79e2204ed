//! What a journal says so far, case by case.
//!
//! Entries come in here and nowhere else, whether they were just made or are read again.
//! A run asks the ledger what is left to do, and the results are made from it: so a run
//! that is taken up again continues as if it had never stopped, and a report made from the
//! journal years later is the one that the run itself printed.

use flow::{Outcome, Proof};
use stats::StatsError;

use crate::budget::left_s;
use crate::judge::Judge;
use crate::pilot::{Chosen, pilot_slot, slot_s};
use crate::results::RawSlot;
use crate::slot::slot_value;
use crate::{Case, CaseEnd, Entry, Header, Probe, Settings, Value};

/// All entries of one run.
#[derive(Debug, Clone)]
pub(crate) struct Ledger {
    pub(crate) header: Header,
    /// By place of the study and place of the case within it.
    pub(crate) logs: Vec<Vec<CaseLog>>,
    /// What the reader must know.
    pub(crate) notes: Vec<String>,
    /// Fenced probes of each study.
    pub(crate) probes: Vec<Vec<Probe>>,
    pub(crate) interrupted: Option<i32>,
    pub(crate) finished: bool,
    /// When the last entry was made, in seconds after the beginning of the run.
    pub(crate) last_s: f64,
    /// Rounds at the most when the run began.
    planned_rounds: usize,
}

/// The entries of one case.
#[derive(Debug, Clone)]
pub(crate) struct CaseLog {
    pub(crate) pilot: Option<Pilot>,
    pub(crate) slots: Vec<RawSlot>,
    pub(crate) judge: Judge,
    pub(crate) ended: Option<CaseEnd>,
    /// How many of the slots are of complete rounds.
    complete: usize,
    /// Seconds spent on pilots that were cut, and are to be run again with more time.
    cut_s: f64,
    variants: usize,
    /// Answers of the run that share its error with this case.
    answers: usize,
}

#[derive(Debug, Clone)]
pub(crate) struct Pilot {
    pub(crate) chosen: Chosen,
    pub(crate) outcomes: Vec<Outcome>,
}

/// Where a case is found: its study's place and its own within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct At {
    pub(crate) study: usize,
    pub(crate) case: usize,
}

impl Ledger {
    /// # Errors
    /// Settings by which nothing can be judged.
    pub(crate) fn new(header: Header) -> Result<Self, StatsError> {
        let logs = |study: &crate::Study| -> Result<Vec<CaseLog>, StatsError> {
            let cases = study.cases.iter();
            cases
                .map(|case| CaseLog::new(&header.settings, case, header.answers_with(study, case)))
                .collect()
        };
        let logs = header.studies.iter().map(logs).collect::<Result<_, _>>()?;
        Ok(Self {
            notes: Vec::new(),
            probes: vec![Vec::new(); header.studies.len()],
            planned_rounds: header.settings.max_rounds,
            header,
            logs,
            interrupted: None,
            finished: false,
            last_s: 0.0,
        })
    }

    /// Takes an entry.
    ///
    /// # Errors
    /// The entry is about nothing that the header names; in words.
    pub(crate) fn take(&mut self, entry: Entry) -> Result<(), String> {
        self.interrupted = None;
        match entry {
            Entry::Pilot {
                study,
                case,
                warmups,
                reps,
                deadline_s,
                outcomes,
            } => {
                let chosen = Chosen {
                    warmups,
                    reps,
                    deadline_s,
                };
                let at = self.find(&study, &case)?;
                self.log_mut(at).pilot = Some(Pilot { chosen, outcomes });
            }
            Entry::Slot {
                study,
                case,
                round,
                variant,
                at_s,
                outcome,
            } => {
                let at = self.find(&study, &case)?;
                self.take_slot(at, (round, variant), at_s, outcome)?;
            }
            Entry::Note { text } => self.notes.push(text),
            Entry::Probe { study, probe } => {
                let place = self.find_study(&study)?;
                self.probes[place].push(probe);
            }
            Entry::CaseEnd {
                study,
                case,
                because,
            } => {
                let at = self.find(&study, &case)?;
                self.log_mut(at).ended = Some(because);
            }
            Entry::Extended {
                budget_s,
                max_rounds,
            } => self.extend(budget_s, max_rounds)?,
            Entry::End { interrupted, at_s } => {
                self.last_s = at_s;
                self.interrupted = interrupted;
                self.finished = interrupted.is_none();
            }
        }
        Ok(())
    }

    fn take_slot(
        &mut self,
        at: At,
        (round, variant): (usize, usize),
        at_s: f64,
        outcome: Outcome,
    ) -> Result<(), String> {
        self.last_s = at_s + outcome.launch_ns as f64 / 1e9;
        let metric = self.header.studies[at.study].cases[at.case].metric;
        let value_ns = slot_value(&outcome, metric, self.header.settings.value);
        self.log_mut(at).push(RawSlot {
            round,
            variant,
            at_s,
            value_ns,
            outcome,
        })
    }

    /// The same slots valued in another way, as if the run had been asked for it: what is judged from
    /// them follows.
    ///
    /// # Errors
    /// Settings by which nothing can be judged.
    pub(crate) fn valued(mut self, value: Value) -> Result<Self, StatsError> {
        self.header.settings.value = value;
        let studies = self.header.studies.iter().zip(&mut self.logs);
        for (case, log) in studies.flat_map(|(study, logs)| study.cases.iter().zip(logs)) {
            for slot in &mut log.slots {
                slot.value_ns = slot_value(&slot.outcome, case.metric, value);
            }
            let mut planned = self.header.settings.clone();
            planned.max_rounds = self.planned_rounds;
            let complete = log.slots[..log.complete].chunk_by(|a, b| a.round == b.round);
            let rounds = complete.map(|round| values(round, log.variants)).collect();
            log.judge = log
                .judge
                .again(Judge::new(&planned, case, log.answers)?, rounds)?;
        }
        Ok(self)
    }

    fn find_study(&self, study: &str) -> Result<usize, String> {
        let mut studies = self.header.studies.iter();
        let place = studies.position(|s| s.name == study);
        place.ok_or_else(|| format!("the header has no study '{study}'"))
    }

    /// Lets the run last longer: cases that ended for want of time or rounds are open again.
    fn extend(&mut self, budget_s: Option<f64>, max_rounds: Option<usize>) -> Result<(), String> {
        let settings = &mut self.header.settings;
        let before = (settings.budget_s, settings.max_rounds);
        settings.budget_s = budget_s.or(settings.budget_s);
        settings.max_rounds = max_rounds.unwrap_or(settings.max_rounds);
        if settings.max_rounds < before.1 {
            return Err(format!(
                "{} rounds are fewer than the {} that were planned: ask for more",
                settings.max_rounds, before.1
            ));
        }
        let more_time = settings.budget_s != before.0;
        let max_rounds = max_rounds.filter(|&most| most > before.1);
        for log in self.logs.iter_mut().flatten() {
            log.go_on(more_time, max_rounds)
                .map_err(|error| error.to_string())?;
        }
        self.finished = self.finished && !self.is_open();
        Ok(())
    }

    /// Whether a run that is to go on has time for it.
    ///
    /// # Errors
    /// Every case that is open has used up its study's budget; in words.
    pub(crate) fn check_time(&self) -> Result<(), String> {
        let budget_s = self.header.settings.budget_s;
        let fits = |logs: &Vec<CaseLog>| {
            let left_s = left_s(budget_s, logs).unwrap_or(f64::INFINITY);
            let mut open = logs.iter().filter(|log| log.ended.is_none());
            left_s > 0.0 && open.any(|log| log.round_s() <= left_s)
        };
        match budget_s {
            Some(budget_s) if !self.logs.iter().any(fits) => Err(format!(
                "the budget of {budget_s} s for each study is used up, and more rounds take more \
                 time: give a longer --budget too"
            )),
            _ => Ok(()),
        }
    }

    /// Whether more rounds would change nothing: every answer is decided.
    pub(crate) fn is_decided(&self) -> bool {
        let mut logs = self.logs.iter().flatten();
        logs.all(|log| log.ended == Some(CaseEnd::Decided))
    }

    /// Whether any case has not ended.
    pub(crate) fn is_open(&self) -> bool {
        self.logs.iter().flatten().any(|log| log.ended.is_none())
    }

    fn find(&self, study: &str, case: &str) -> Result<At, String> {
        let missing = || format!("the header has no case '{case}' in a study '{study}'");
        let studies = &self.header.studies;
        let s = studies.iter().position(|s| s.name == study);
        let s = s.ok_or_else(missing)?;
        let c = studies[s].cases.iter().position(|c| c.name == case);
        Ok(At {
            study: s,
            case: c.ok_or_else(missing)?,
        })
    }

    fn log_mut(&mut self, at: At) -> &mut CaseLog {
        &mut self.logs[at.study][at.case]
    }

    pub(crate) fn at(&self, at: At) -> &CaseLog {
        &self.logs[at.study][at.case]
    }

    /// Slots in all.
    pub(crate) fn slots(&self) -> usize {
        self.logs.iter().flatten().map(|log| log.slots.len()).sum()
    }
}

impl CaseLog {
    fn new(settings: &Settings, case: &Case, answers: usize) -> Result<Self, StatsError> {
        Ok(Self {
            pilot: None,
            slots: Vec::new(),
            judge: Judge::new(settings, case, answers)?,
            answers,
            ended: None,
            complete: 0,
            cut_s: 0.0,
            variants: case.variants.len(),
        })
    }

    fn push(&mut self, slot: RawSlot) -> Result<(), String> {
        let taking = self.judge.taking();
        let known = taking.contains(&slot.variant) && slot.round == self.round();
        if !known || self.this_round().any(|other| other.variant == slot.variant) {
            return Err(format!(
                "variant {} of round {} is not what comes next in this case of {} variants and \
                 {} slots so far",
                slot.variant,
                slot.round,
                self.variants,
                self.slots.len()
            ));
        }
        self.slots.push(slot);
        if self.within_round() == taking.len() {
            let values = values(&self.slots[self.complete..], self.variants);
            self.complete = self.slots.len();
            self.judge.push(values);
        }
        Ok(())
    }

    /// The slots of the round that is not complete yet.
    fn this_round(&self) -> impl Iterator<Item = &RawSlot> {
        self.slots[self.complete..].iter()
    }

    /// The round that the next slot belongs to.
    pub(crate) fn round(&self) -> usize {
        self.judge.rounds()
    }

    /// How many slots of that round there are already.
    pub(crate) fn within_round(&self) -> usize {
        self.slots.len() - self.complete
    }

    /// Whether a slot of that round is no data point, so that the round will be none.
    pub(crate) fn has_failed_round(&self) -> bool {
        self.this_round().any(|slot| slot.value_ns.is_none())
    }

    /// Whether any slot of a round is a data point.
    pub(crate) fn has_good_slot(&self) -> bool {
        self.slots.iter().any(|slot| slot.value_ns.is_some())
    }

    /// What a slot of this case must prove: what the first good one did.
    pub(crate) fn proof(&self) -> Option<Proof> {
        let pilots = self.pilot.iter().flat_map(|pilot| &pilot.outcomes);
        let outcomes = pilots.chain(self.slots.iter().map(|slot| &slot.outcome));
        outcomes
            .filter_map(|outcome| outcome.answer.done())
            .map(|record| record.proof)
            .next()
    }

    /// How many slots of one variant have failed since its last good one: the worst
    /// variant's count.
    pub(crate) fn failures_in_a_row(&self) -> usize {
        let count = |variant| {
            let slots = self.slots.iter().rev();
            slots
                .filter(|slot| slot.variant == variant)
                .take_while(|slot| slot.outcome.answer.done().is_none())
                .count()
        };
        (0..self.variants).map(count).max().unwrap_or(0)
    }

    /// How the slots of this case are: as the pilot chose, or as it is itself before it.
    pub(crate) fn chosen(&self, settings: &Settings) -> Chosen {
        let chosen = self.pilot.as_ref().map(|pilot| pilot.chosen);
        chosen.unwrap_or_else(|| pilot_slot(settings, settings.budget_s))
    }

    /// The run was shown and is taken up again, with more time or more rounds: a case that ended
    /// for want of them is open again, unless all is decided.
    fn go_on(&mut self, more_time: bool, max_rounds: Option<usize>) -> Result<(), StatsError> {
        let max_rounds = max_rounds.filter(|&most| most > self.judge.max_rounds());
        if !self.judge.is_decided() {
            self.judge.go_on(max_rounds)?;
        }
        if more_time {
            self.forget_cut_pilot();
        }
        self.ended = self.ended.filter(|ended| match ended {
            CaseEnd::Budget => !more_time || self.judge.is_decided(),
            CaseEnd::Rounds => self.judge.is_settled() || self.round() >= self.judge.max_rounds(),
            CaseEnd::Decided | CaseEnd::Failures => true,
        });
        Ok(())
    }

    /// A pilot that ended with a slot that was cut has chosen nothing for the slots.
    fn forget_cut_pilot(&mut self) {
        if self.pilot_was_cut() {
            self.cut_s = self.pilot_s();
            self.pilot = None;
        }
    }

    /// Whether the pilot ended with a slot that was cut.
    pub(crate) fn pilot_was_cut(&self) -> bool {
        let outcomes = self.pilot.iter().flat_map(|pilot| &pilot.outcomes);
        let (count, last) = (outcomes.clone().count(), outcomes.last());
        let failed = last.is_some_and(|outcome| outcome.answer.done().is_none());
        failed && count < self.variants
    }

    /// Seconds spent on pilots.
    pub(crate) fn pilot_s(&self) -> f64 {
        let outcomes = self.pilot.iter().flat_map(|pilot| &pilot.outcomes);
        self.cut_s + outcomes.map(launch_s).sum::<f64>()
    }

    /// Seconds spent on slots.
    pub(crate) fn slots_s(&self) -> f64 {
        self.slots.iter().map(|slot| launch_s(&slot.outcome)).sum()
    }

    /// Seconds that a round takes: as the slots so far did, before them as the pilot
    /// makes one expect; 0 before the pilot.
    pub(crate) fn round_s(&self) -> f64 {
        if self.round() > 0 {
            let taking = self.judge.taking().into_iter();
            return taking.map(|variant| self.slot_s(variant)).sum();
        }
        let expected = |pilot: &Pilot| -> f64 {
            let repetitions = pilot.chosen.warmups + pilot.chosen.reps;
            let slots = pilot.outcomes.iter();
            slots.map(|outcome| slot_s(outcome, repetitions)).sum()
        };
        self.pilot.as_ref().map_or(0.0, expected)
    }

    /// Seconds that a slot of a variant has taken in the mean.
    fn slot_s(&self, variant: usize) -> f64 {
        let own = self.slots.iter().filter(|slot| slot.variant == variant);
        let took = own.map(|slot| launch_s(&slot.outcome));
        let (count, sum) = took.fold((0, 0.0), |(count, sum), took| (count + 1, sum + took));
        sum / f64::from(count.max(1))
    }

    /// Seconds until `rounds` rounds are complete.
    pub(crate) fn until_s(&self, rounds: usize) -> f64 {
        let taking = self.judge.taking().len();
        let slots = rounds.saturating_sub(self.round()) * taking;
        let slots = slots.saturating_sub(self.within_round());
        slots as f64 / taking.max(1) as f64 * self.round_s()
    }
}

/// The values of a complete round of a case of this many variants, in the case's order.
fn values(round: &[RawSlot], variants: usize) -> Vec<Option<f64>> {
    let mut values = vec![None; variants];
    for slot in round {
        values[slot.variant] = slot.value_ns;
    }
    values
}

fn launch_s(outcome: &Outcome) -> f64 {
    outcome.launch_ns as f64 / 1e9
}
