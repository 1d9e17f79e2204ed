//! The pilot of a case: a launch of each variant, of which deadlines and repetitions follow.

use std::collections::{BTreeMap, BTreeSet};

use flow::Proof;

use crate::data::{Case, Entry};
use crate::findings::ledger::is_late;
use crate::run::error::Stop;
use crate::run::launching::{Run, Take, checked};
use crate::run::pilot::{choose, cut_by_budget, pilot_slot, stopped_by_budget};
use crate::run::progress::{Event, Place};

/// The files of a program, and the command that makes it of them.
pub(super) type Built = (BTreeMap<String, String>, Option<String>);

impl Run<'_> {
    /// Lets programs be built before their pilot, by a slot that counts nowhere.
    pub(super) fn build(&mut self, case: &Case, built: &mut BTreeSet<Built>) -> Result<(), Stop> {
        for (variant, labelled) in case.variants.iter().enumerate() {
            let program = case.work_of(variant).program();
            let Some(program) = program.filter(|program| program.build.is_some()) else {
                continue;
            };
            if built.insert((program.files.clone(), program.build.clone())) {
                let slot = pilot_slot(&self.journal.header().settings, None, &[]);
                self.launch_one(case, labelled, slot, Take::slot(false, 0))?;
            }
        }
        Ok(())
    }

    /// `rows`: how many want a pilot, and so a part of what is left of the budget.
    pub(super) fn pilot(
        &mut self,
        place: Place<'_>,
        known: Option<Proof>,
        rows: usize,
    ) -> Result<(), Stop> {
        self.observer.event(&Event::PilotBegins { place });
        let mut left_s = self.journal.ledger().left_s();
        let mut reference = known;
        let mut outcomes = Vec::new();
        let mut cuts = Vec::new();
        // A slot of a simulated machine has one repetition, whatever a pilot found.
        let piloted = self.journal.header().settings.simulate.is_none();
        for labelled in place.case.variants.iter().filter(|_| piloted) {
            let share_s = left_s.map(|left_s| left_s / rows.max(1) as f64);
            let slot = pilot_slot(&self.journal.header().settings, share_s, &outcomes);
            let outcome = self.launch_one(place.case, labelled, slot, Take::slot(true, 0))?;
            left_s = left_s.map(|left_s| left_s - outcome.launch_ns as f64 / 1e9);
            let outcome = checked(outcome, reference, &place.case.work);
            reference = reference.or(outcome.answer.done().map(|record| record.proof));
            let settings = &self.journal.header().settings;
            let cut = cut_by_budget(settings, slot, &outcome);
            outcomes.push(outcome);
            let is_last = outcomes.len() == place.case.variants.len();
            let stopped = || stopped_by_budget(settings, &outcomes, left_s).filter(|_| !is_last);
            let stopped = cut.is_none().then(stopped).flatten();
            let no_more = outcomes.len() > 1 || left_s.is_some_and(|left_s| left_s <= 0.0);
            let ends = stopped.is_some() || no_more && outcomes.iter().all(is_late);
            let why = cut.or(stopped);
            cuts.extend(why.map(|why| (&labelled.label, why)));
            if ends {
                break;
            }
        }
        let is_whole = outcomes.len() == place.case.variants.len();
        if !is_whole || outcomes.iter().all(is_late) {
            for (label, why) in cuts {
                self.tell_cut(place, label, &why)?;
            }
        }
        let chosen = choose(
            &self.journal.header().settings,
            place.case,
            &outcomes,
            left_s,
        );
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
}
