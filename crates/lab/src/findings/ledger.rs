//! What a journal says so far, case by case. Entries come in here and nowhere else, just made or
//! read again; a run asks the ledger what is left to do, and results are made from it. So a resumed
//! run continues as if never stopped, and a report made later is the run's.

mod case_log;

use std::path::Path;

use measure::load::Load;
use stats::StatsError;

use crate::data::journal::{Depth, Found, read};
use crate::data::{
    CaseEnd, Chosen, Entry, Header, JournalError, Probe, RawSlot, SlotEntry, Study, Value,
    slot_value,
};
use case_log::Pilot;
pub(crate) use case_log::{CaseLog, is_late, rep_s, slot_s};

#[derive(Debug, Clone)]
pub(crate) struct Ledger {
    pub(crate) header: Header,
    pub(crate) logs: Vec<Vec<CaseLog>>,
    pub(crate) notes: Vec<String>,
    pub(crate) probes: Vec<Vec<Probe>>,
    pub(crate) interrupted: Option<i32>,
    pub(crate) finished: bool,
    /// When the last entry was made, in seconds after the beginning of the run.
    pub(crate) last_s: f64,
    pub(crate) load: Option<Load>,
    planned_rounds: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct At {
    pub(crate) study: usize,
    pub(crate) case: usize,
}

impl Ledger {
    /// Fails on settings by which nothing can be judged.
    pub(crate) fn new(header: Header) -> Result<Self, StatsError> {
        let logs = |(study, answers): (&Study, Vec<usize>)| {
            let cases = study.cases.iter().zip(answers);
            let logs = cases.map(|(case, answers)| {
                CaseLog::new(&header.settings, case, answers, study.claims_with(case))
            });
            logs.collect::<Result<Vec<CaseLog>, StatsError>>()
        };
        let studies = header.studies.iter().zip(header.answers_with());
        let logs = studies.map(logs).collect::<Result<_, _>>()?;
        Ok(Self {
            notes: Vec::new(),
            probes: vec![Vec::new(); header.studies.len()],
            planned_rounds: header.settings.max_rounds,
            header,
            logs,
            interrupted: None,
            finished: false,
            last_s: 0.0,
            load: None,
        })
    }

    /// What the text of a journal says; `path` is its name in errors.
    pub(crate) fn read(
        text: &[u8],
        path: &Path,
        depth: Depth,
    ) -> Result<Found<Self>, JournalError> {
        let begin = |header| Self::new(header).map_err(|error| error.to_string());
        read((text, path), depth, begin, Self::take_after)
    }

    /// Fails, in words, on an entry about nothing that the header names.
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
                self.named(&study, &case)?.pilot = Some(Pilot { chosen, outcomes });
            }
            Entry::Slot(slot) => self.take_slot(slot)?,
            Entry::Film(slot) => self.take_film(slot)?,
            Entry::Profiled(slot) => self.take_aside(slot, |log| &mut log.profiled)?,
            Entry::Confirmed(slot) => self.take_aside(slot, |log| &mut log.confirmed)?,
            Entry::Confirm(plan) => {
                let log = self.named(&plan.study, &plan.case)?;
                log.confirm = Some(plan);
            }
            Entry::Predict(plan) => {
                let log = self.named(&plan.study, &plan.case)?;
                log.predict = Some(plan);
            }
            Entry::Predicted(slot) => self.take_aside(slot, |log| &mut log.predicted)?,
            Entry::Note { text } => self.notes.push(text),
            Entry::Probe { study, probe } => {
                let place = self.find_study(&study)?;
                self.probes[place].push(probe);
            }
            Entry::GivenUp {
                study,
                case,
                variant,
            } => {
                self.named(&study, &case)?.give_up(variant)?;
            }
            Entry::CaseEnd {
                study,
                case,
                because,
            } => {
                self.named(&study, &case)?.ended = Some(because);
            }
            Entry::Load { load } => {
                self.load = Some(self.load.map_or(load, |before| before.and(&load)));
            }
            Entry::Extended {
                budget_s,
                max_rounds,
            } => self.extend(budget_s, max_rounds)?,
            Entry::End { interrupted, at_s } => self.end(interrupted, at_s),
        }
        Ok(())
    }

    /// Takes an entry behind `lost` lines, whose slots have failed. Errors as [`Ledger::take`].
    pub(crate) fn take_after(&mut self, entry: Entry, lost: &mut usize) -> Result<(), String> {
        if let Entry::Slot(slot) = &entry {
            let at = self.find(&slot.study, &slot.case)?;
            self.log_mut(at).fill_up(slot.round, slot.at_s, lost)?;
        }
        self.take(entry)
    }

    fn take_film(&mut self, slot: SlotEntry) -> Result<(), String> {
        self.last_s = slot.at_s + slot.outcome.launch_ns as f64 / 1e9;
        let log = self.named(&slot.study, &slot.case)?;
        log.films.push(slot.raw(None));
        Ok(())
    }

    fn take_aside(
        &mut self,
        slot: SlotEntry,
        among: fn(&mut CaseLog) -> &mut Vec<RawSlot>,
    ) -> Result<(), String> {
        let (log, slot) = self.valued_slot(slot)?;
        among(log).push(slot);
        Ok(())
    }

    fn end(&mut self, interrupted: Option<i32>, at_s: f64) {
        self.last_s = self.last_s.max(at_s);
        self.interrupted = interrupted;
        self.finished = interrupted.is_none();
    }

    fn take_slot(&mut self, slot: SlotEntry) -> Result<(), String> {
        let (log, slot) = self.valued_slot(slot)?;
        log.push(slot)
    }

    fn valued_slot(&mut self, slot: SlotEntry) -> Result<(&mut CaseLog, RawSlot), String> {
        let at = self.find(&slot.study, &slot.case)?;
        self.last_s = slot.at_s + slot.outcome.launch_ns as f64 / 1e9;
        let metric = self.header.studies[at.study].cases[at.case].metric;
        let value_ns = slot_value(&slot.outcome, metric, self.header.settings.value);
        Ok((self.log_mut(at), slot.raw(value_ns)))
    }

    /// The same slots valued in another way, from the beginning. Errors as [`Ledger::new`].
    pub(crate) fn valued(mut self, value: Value) -> Result<Self, StatsError> {
        self.header.settings.value = value;
        let mut planned = self.header.settings.clone();
        planned.max_rounds = self.planned_rounds;
        let studies = self.header.studies.iter().zip(&mut self.logs);
        for (case, log) in studies.flat_map(|(study, logs)| study.cases.iter().zip(logs)) {
            log.value(&planned, case)?;
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

    /// Fails, in words, where the budget is used up.
    pub(crate) fn check_time(&self) -> Result<(), String> {
        let Some(left_s) = self.left_s() else {
            return Ok(());
        };
        let logs = self.logs.iter().flatten();
        let mut open = logs.filter(|log| log.ended.is_none());
        if left_s > 0.0 && open.any(|log| log.round_s() <= left_s) {
            return Ok(());
        }
        let budget_s = left_s + self.spent_s();
        Err(format!(
            "the budget of {budget_s:.0} s is used up, and more rounds take more time: give a longer \
             --budget too"
        ))
    }

    /// Of pilots and slots, no wall time: how long a resumed run lay is not counted.
    pub(crate) fn spent_s(&self) -> f64 {
        let logs = self.logs.iter().flatten();
        logs.map(|log| log.pilot_s() + log.slots_s()).sum()
    }

    /// Seconds that are left of the budget: negative where more was spent; `None` without one.
    pub(crate) fn left_s(&self) -> Option<f64> {
        let budget_s = self.header.settings.budget_s?;
        Some(budget_s - self.spent_s())
    }

    pub(crate) fn peek(&mut self) {
        let logs = self.logs.iter_mut().flatten();
        let under_way = logs.filter(|log| log.ended.is_none());
        under_way.for_each(|log| log.judge.peek());
    }

    pub(crate) fn is_decided(&self) -> bool {
        let mut logs = self.logs.iter().flatten();
        logs.all(|log| log.ended == Some(CaseEnd::Decided))
    }

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

    fn named(&mut self, study: &str, case: &str) -> Result<&mut CaseLog, String> {
        let at = self.find(study, case)?;
        Ok(self.log_mut(at))
    }

    fn log_mut(&mut self, at: At) -> &mut CaseLog {
        &mut self.logs[at.study][at.case]
    }

    pub(crate) fn at(&self, at: At) -> &CaseLog {
        &self.logs[at.study][at.case]
    }

    pub(crate) fn slots(&self) -> usize {
        self.logs.iter().flatten().map(|log| log.slots.len()).sum()
    }
}
