//! Variants that this machine does not have are left out; what was asked for by name must be had.

use std::collections::BTreeMap;

use flow::{Allocator, Variant};
use machine::Machine;

use super::capacity;
use super::request::{Context, Plan, PlanError};
use crate::data::axis::{AXES, Axis};
use crate::data::{LabelledVariant, Preset, Settings, Study};

/// Trying what the machine has takes memory: it is done last, and once for each value.
pub(super) fn had_and_rounds(plan: &mut Plan, context: &Context<'_>) -> Result<(), PlanError> {
    let mut tried = Tried::default();
    let alone = plan.studies.len() == 1;
    let is_usual = context.settings.max_rounds == Settings::USUAL_ROUNDS;
    plan.each(|study| {
        let (study, why) = tried.had(study, context.settings)?;
        let study = match is_usual {
            true => with_rounds_of_maps(study, alone),
            false => study,
        };
        Ok((study, why))
    })?;
    let cases = plan.studies.iter().flat_map(|study| &study.cases);
    let variants: Vec<&LabelledVariant> = cases.flat_map(|case| &case.variants).collect();
    let notes = Axis::laid().filter_map(|(axis, laid)| {
        let mut own = variants.iter();
        let has = own.any(|one| (axis.word)(&one.variant).is_some());
        has.then(laid.idle)?
    });
    plan.notes.extend(notes);
    Ok(())
}

/// The study without what this machine lacks, programs, room and axes, and why.
#[must_use]
pub fn fitted_here(study: Study, machine: &Machine) -> (Study, Vec<String>) {
    let cpus = u32::try_from(machine.usable_cpus()).unwrap_or(u32::MAX);
    let (study, mut why) = capacity::equipped(study.for_cpus(cpus));
    let (study, no_room) = capacity::fitted(study, machine);
    why.extend(no_room);
    let settings = Settings::usual(Preset::Quick, 1);
    let name = study.name.clone();
    match Tried::default().had(study, &settings) {
        Ok((study, not_had)) => {
            why.extend(not_had);
            (study, why)
        }
        Err(refused) => {
            why.push(refused);
            (Study::new(&name, String::new(), "", Vec::new()), why)
        }
    }
}

/// Rounds at the most of a case behind the rows: points of a map are many, and each asks for little.
const MAP_ROUNDS: usize = 20;

/// Gives cases behind the rows [`MAP_ROUNDS`] at the most, if they ask for no other number.
pub(crate) fn with_rounds_of_maps(mut study: Study, alone: bool) -> Study {
    let rows = study.rows(alone);
    let cases = study.cases.iter_mut().enumerate();
    for (_, case) in cases.filter(|(place, _)| !rows.contains(place)) {
        case.max_rounds.get_or_insert(MAP_ROUNDS);
    }
    study
}

#[derive(Default)]
pub(super) struct Tried(pub(super) BTreeMap<OnAxis, Result<(), String>>);

/// An axis by its key, a word on it, and the allocator, on which others may depend.
pub(super) type OnAxis = (&'static str, Option<String>, Option<String>);

impl Tried {
    pub(super) fn had(
        &mut self,
        mut study: Study,
        settings: &Settings,
    ) -> Result<(Study, Vec<String>), String> {
        let mut reasons: Vec<String> = Vec::new();
        let (name, mut kept) = (study.name.clone(), Vec::new());
        for mut case in std::mem::take(&mut study.cases) {
            let mut refused = None;
            case.retain(|one| match self.missing(&one.variant) {
                None => true,
                Some((axis, why)) if is_asked(axis, &one.variant, settings) => {
                    refused.get_or_insert(why);
                    false
                }
                Some((_, why)) => {
                    reasons.extend((!reasons.contains(&why)).then_some(why));
                    false
                }
            });
            if let Some(why) = refused {
                return Err(why);
            }
            if case.variants.is_empty() && settings.parent_memory.is_some() {
                return Err(format!("{name}/{}: {}", case.name, reasons.join("; ")));
            }
            kept.extend((!case.variants.is_empty()).then_some(case));
        }
        Ok((study.with_cases(kept), reasons))
    }

    fn missing(&mut self, variant: &Variant) -> Option<(&'static Axis, String)> {
        AXES.iter().find_map(|axis| {
            let allocator = variant.allocator.as_ref().map(Allocator::to_string);
            let key = (axis.key, (axis.word)(variant), allocator);
            let tried = self.0.entry(key).or_insert_with(|| (axis.check)(variant));
            Some((axis, tried.as_ref().err()?.clone()))
        })
    }
}

fn is_asked(axis: &Axis, variant: &Variant, settings: &Settings) -> bool {
    let (laid, word) = (axis.laid.as_ref(), (axis.word)(variant));
    let words = laid.map_or(&[][..], |laid| settings.axes.on(laid));
    word.is_some_and(|word| words.contains(&word))
}
