//! The entries of one case: its pilot, its slots, and what they say of what comes next.

use flow::{Answer, Failure, Proof};
use stats::StatsError;

use crate::data::{
    Case, CaseEnd, Chosen, ConfirmEntry, Outcome, PredictEntry, RawSlot, Settings, slot_value,
};
use crate::findings::judge::Judge;
use crate::findings::paired::of;

/// A variant is given up after this many failed slots in a row, of which one that hangs counts for two.
const FAILURES: usize = 3;

#[derive(Debug, Clone)]
pub(crate) struct CaseLog {
    pub(crate) pilot: Option<Pilot>,
    pub(crate) slots: Vec<RawSlot>,
    pub(crate) films: Vec<RawSlot>,
    /// Slots with a profiler beside them; no data points.
    pub(crate) profiled: Vec<RawSlot>,
    /// How its causes are tried, and the slots of that; no data points.
    pub(crate) confirm: Option<ConfirmEntry>,
    pub(crate) confirmed: Vec<RawSlot>,
    pub(crate) predict: Option<PredictEntry>,
    pub(crate) predicted: Vec<RawSlot>,
    pub(crate) judge: Judge,
    pub(crate) ended: Option<CaseEnd>,
    complete: usize,
    /// Seconds spent on pilots that were cut, and are to be run again with more time.
    cut_s: f64,
    variants: usize,
    answers: usize,
    claims: usize,
    pub(crate) in_vain: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Pilot {
    pub(crate) chosen: Chosen,
    pub(crate) outcomes: Vec<Outcome>,
}

fn lost_slot() -> Outcome {
    let what = "its line in the journal was damaged".to_owned();
    Outcome::new(
        Answer::Failed {
            reason: Failure::Error { what },
            kept: None,
            begun: None,
        },
        0,
    )
}

impl CaseLog {
    pub(super) fn new(
        settings: &Settings,
        case: &Case,
        answers: usize,
        claims: usize,
    ) -> Result<Self, StatsError> {
        Ok(Self {
            pilot: None,
            slots: Vec::new(),
            films: Vec::new(),
            profiled: Vec::new(),
            confirm: None,
            confirmed: Vec::new(),
            predict: None,
            predicted: Vec::new(),
            judge: Judge::new(settings, case, answers, claims)?,
            answers,
            claims,
            in_vain: false,
            ended: None,
            complete: 0,
            cut_s: 0.0,
            variants: case.variants.len(),
        })
    }

    pub(super) fn push(&mut self, slot: RawSlot) -> Result<(), String> {
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

    /// The variants to be given up: between rounds those whose slots fail; before them those at work at a deadline that
    /// another one met, and where the best of several is sought those whose pilot failed.
    pub(crate) fn failing(&self) -> Vec<usize> {
        let taking = self.judge.taking().into_iter();
        if self.within_round() > 0 {
            return Vec::new();
        }
        let pilot = self.pilot.iter().filter(|_| self.slots.is_empty());
        let pilot = pilot.flat_map(|pilot| &pilot.outcomes);
        let pilot: Vec<&Outcome> = pilot.collect();
        let is_met = pilot.len() == self.variants && pilot.iter().any(|one| reason(one).is_none());
        let fails = |one: &Outcome| is_late(one) || self.judge.is_search() && reason(one).is_some();
        let is_out = |at: usize| is_met && fails(pilot[at]);
        taking
            .filter(|&at| is_out(at) || self.failures_in_a_row(at) >= FAILURES)
            .collect()
    }

    pub(super) fn give_up(&mut self, variant: usize) -> Result<(), String> {
        if variant >= self.variants {
            let of = self.variants;
            return Err(format!(
                "variant {variant} is none of the {of} of this case"
            ));
        }
        self.judge.give_up(variant);
        Ok(())
    }

    pub(super) fn fill_up(
        &mut self,
        round: usize,
        at_s: f64,
        lost: &mut usize,
    ) -> Result<(), String> {
        while *lost > 0 && self.round() < round {
            let taking = self.judge.taking();
            let has = |variant: &usize| self.this_round().any(|slot| slot.variant == *variant);
            let Some(variant) = taking.into_iter().find(|variant| !has(variant)) else {
                return Ok(());
            };
            *lost -= 1;
            self.push(RawSlot {
                round: self.round(),
                variant,
                at_s,
                value_ns: None,
                outcome: lost_slot(),
            })?;
        }
        Ok(())
    }

    pub(super) fn value(&mut self, settings: &Settings, case: &Case) -> Result<(), StatsError> {
        for slot in &mut self.slots {
            slot.value_ns = slot_value(&slot.outcome, case.metric, settings.value);
        }
        let complete = self.slots[..self.complete].chunk_by(|a, b| a.round == b.round);
        let rounds = complete.map(|round| values(round, self.variants)).collect();
        let judge = Judge::new(settings, case, self.answers, self.claims)?;
        self.judge = self.judge.again(judge, rounds)?;
        Ok(())
    }

    fn this_round(&self) -> impl Iterator<Item = &RawSlot> {
        self.slots[self.complete..].iter()
    }

    pub(crate) fn round(&self) -> usize {
        self.judge.rounds()
    }

    pub(crate) fn within_round(&self) -> usize {
        self.slots.len() - self.complete
    }

    pub(crate) fn has_failed_round(&self) -> bool {
        self.this_round().any(|slot| slot.value_ns.is_none())
    }

    /// For a comparison, or a measurement; `with_data`: those alone that have a data point.
    pub(crate) fn has_enough(&self, with_data: bool) -> bool {
        let kept = (0..self.variants).filter(|&at| !self.judge.is_given_up(at));
        let left = kept.filter(|&at| !with_data || self.has_data(at));
        left.count() >= self.variants.min(2)
    }

    pub(crate) fn has_data(&self, variant: usize) -> bool {
        of(&self.slots, variant).any(|slot| slot.value_ns.is_some())
    }

    fn lost(&self, variant: usize) -> Option<String> {
        let own = of(&self.slots, variant);
        let last = own.filter_map(|slot| reason(&slot.outcome)).next_back();
        let pilot = || said_of_pilot(self.pilot.as_ref()?.outcomes.get(variant)?);
        let is_kept = !self.judge.is_given_up(variant);
        match last {
            _ if is_kept && self.has_data(variant) => None,
            Some(last) => Some(last.to_string()),
            None if is_kept && !self.in_vain => None,
            None => pilot(),
        }
    }

    pub(crate) fn with_reference_first(mut self, case: &Case) -> (Case, Self, Vec<Option<String>>) {
        let mut case = case.clone();
        let reference = self.judge.reference();
        let places = (0..self.variants).map(|at| self.judge.place(at));
        let lost = places.map(|at| self.lost(at)).collect();
        if reference > 0 {
            case.variants.swap(0, reference);
            let outcomes = self.pilot.iter_mut().map(|pilot| &mut pilot.outcomes);
            let whole = outcomes.filter(|outcomes| outcomes.len() > reference);
            whole.for_each(|outcomes| outcomes.swap(0, reference));
            let slots = [&mut self.slots, &mut self.films, &mut self.profiled];
            for slot in slots.into_iter().flatten() {
                slot.variant = self.judge.place(slot.variant);
            }
        }
        (case, self, lost)
    }

    pub(crate) fn proof(&self) -> Option<Proof> {
        let pilots = self.pilot.iter().flat_map(|pilot| &pilot.outcomes);
        let outcomes = pilots.chain(self.slots.iter().map(|slot| &slot.outcome));
        outcomes
            .filter_map(|outcome| outcome.answer.done())
            .map(|record| record.proof)
            .next()
    }

    fn failures_in_a_row(&self, variant: usize) -> usize {
        let own = of(&self.slots, variant).rev();
        let failed = own.take_while(|slot| slot.outcome.answer.done().is_none());
        failed
            .map(|slot| 1 + usize::from(is_late(&slot.outcome)))
            .sum()
    }

    /// A case that ended for want of time or rounds is open again, unless all is decided.
    pub(super) fn go_on(
        &mut self,
        more_time: bool,
        max_rounds: Option<usize>,
    ) -> Result<(), StatsError> {
        let max_rounds = max_rounds.filter(|&most| most > self.judge.max_rounds());
        if !self.judge.is_decided() {
            self.judge.go_on(max_rounds, self.ended.is_none())?;
        }
        if more_time {
            self.forget_cut_pilot();
        }
        self.ended = self.ended.filter(|ended| match ended {
            CaseEnd::Budget => !more_time || self.judge.is_decided(),
            CaseEnd::Rounds => self.judge.is_settled() || self.round() >= self.judge.max_rounds(),
            CaseEnd::Failures => !more_time || !self.slots.is_empty(),
            CaseEnd::Decided => true,
        });
        Ok(())
    }

    fn forget_cut_pilot(&mut self) {
        if self.pilot_was_cut() {
            self.cut_s = self.pilot_s();
            self.pilot = None;
        }
    }

    /// Whether the budget ended the pilot before it had a slot of every variant, or all of them.
    pub(crate) fn pilot_was_cut(&self) -> bool {
        let outcomes = self.pilot.as_ref().map(|pilot| &pilot.outcomes);
        outcomes.is_some_and(|all| {
            !all.is_empty() && (all.len() < self.variants || all.iter().all(is_late))
        })
    }

    /// A pilot that was cut for its time is none of them.
    pub(crate) fn failed_pilots(&self) -> impl Iterator<Item = (usize, &Failure)> {
        let pilots = self.pilot.iter().filter(|_| self.slots.is_empty());
        let outcomes = pilots.flat_map(|pilot| pilot.outcomes.iter().enumerate());
        let failed = outcomes.filter(|(_, outcome)| !is_late(outcome));
        failed.filter_map(|(variant, outcome)| Some((variant, reason(outcome)?)))
    }

    pub(crate) fn pilot_s(&self) -> f64 {
        let outcomes = self.pilot.iter().flat_map(|pilot| &pilot.outcomes);
        self.cut_s + outcomes.map(launch_s).sum::<f64>()
    }

    pub(crate) fn slots_s(&self) -> f64 {
        self.slots.iter().map(|slot| launch_s(&slot.outcome)).sum()
    }

    /// As the slots so far did, before them as the pilot makes one expect; 0 before the pilot.
    pub(crate) fn round_s(&self) -> f64 {
        if self.round() > 0 {
            let taking = self.judge.taking().into_iter();
            return taking.map(|variant| self.slot_s(variant)).sum();
        }
        let expected = |pilot: &Pilot| -> f64 {
            let repetitions = pilot.chosen.warmups + pilot.chosen.reps;
            let taking = self.judge.taking().into_iter();
            let slots = taking.filter_map(|place| pilot.outcomes.get(place));
            slots.map(|outcome| slot_s(outcome, repetitions)).sum()
        };
        self.pilot.as_ref().map_or(0.0, expected)
    }

    fn slot_s(&self, variant: usize) -> f64 {
        let took = of(&self.slots, variant).map(|slot| launch_s(&slot.outcome));
        let (count, sum) = took.fold((0, 0.0), |(count, sum), took| (count + 1, sum + took));
        sum / f64::from(count.max(1))
    }

    pub(crate) fn until_s(&self, rounds: usize) -> f64 {
        let taking = self.judge.taking().len();
        let slots = rounds.saturating_sub(self.round()) * taking;
        let slots = slots.saturating_sub(self.within_round());
        slots as f64 / taking.max(1) as f64 * self.round_s()
    }
}

fn values(round: &[RawSlot], variants: usize) -> Vec<Option<f64>> {
    let mut values = vec![None; variants];
    for slot in round {
        values[slot.variant] = slot.value_ns;
    }
    values
}

fn said_of_pilot(pilot: &Outcome) -> Option<String> {
    let reason = reason(pilot)?;
    Some(match is_late(pilot) {
        true => reason.with_advice("if it is slow and does not hang, allow more time (--budget)"),
        false => reason.to_string(),
    })
}

fn reason(outcome: &Outcome) -> Option<&Failure> {
    match &outcome.answer {
        Answer::Failed { reason, .. } => Some(reason),
        Answer::Done(_) => None,
    }
}

pub(crate) fn is_late(outcome: &Outcome) -> bool {
    reason(outcome).is_some_and(Failure::is_of_time)
}

fn launch_s(outcome: &Outcome) -> f64 {
    outcome.launch_ns as f64 / 1e9
}

pub(crate) fn slot_s(pilot: &Outcome, repetitions: u32) -> f64 {
    let further = f64::from(repetitions.saturating_sub(1));
    pilot.launch_ns as f64 / 1e9 + further * rep_s(pilot).unwrap_or(0.0)
}

pub(crate) fn rep_s(pilot: &Outcome) -> Option<f64> {
    let record = pilot.answer.done()?;
    record.reps.first().map(|rep| rep.total_ns() as f64 / 1e9)
}
