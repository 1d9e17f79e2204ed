//! What faster parts would bring: after the rounds, every variant as it is and with each part faster in effect.
//!
//! As for [`super::confirming`], rounds of their own and a fixed number of them. A faster part is a variant like
//! any other ([`flow::Variant::faster`]), so order, journal and resumption are those of all slots.

use flow::{Faster, Variant};

use super::aside::{self, Aside};
use crate::data::{Case, Entry, LabelledVariant, PredictEntry, Predicting, Study};
use crate::findings::ledger::At;
use crate::run::error::Stop;
use crate::run::launching::Run;
use crate::run::profiling;

const ASIDE: Aside = Aside {
    what: "predict",
    needed: 0,
    of: |log| {
        let plan = log.predict.as_ref().filter(|plan| !plan.pairs.is_empty())?;
        Some((&plan.variants, &log.predicted))
    },
    entry: Entry::Predicted,
};

/// Of a command, where none is named.
const MOST_FUNCTIONS: usize = 3;
const NO_FUNCTION: &str =
    "name a function (--predict=NAME), or add --profile, which finds the busiest";

pub(super) fn predict(run: &mut Run<'_>, studies: &[Study]) -> Result<(), Stop> {
    let Some(asked) = run.journal.header().settings.predict.clone() else {
        return Ok(());
    };
    let cases = |study: usize| (0..studies[study].cases.len()).map(move |case| At { study, case });
    let all: Vec<At> = (0..studies.len()).flat_map(cases).collect();
    for at in all {
        if run.log(at).slots.is_empty() {
            continue;
        }
        if run.log(at).predict.is_none() {
            let plan = plan(run, (studies, at), &asked);
            run.journal.append(Entry::Predict(plan))?;
        }
        aside::rounds(run, (studies, at), Predicting::ROUNDS, &ASIDE)?;
    }
    Ok(())
}

fn plan(run: &Run<'_>, (studies, at): (&[Study], At), asked: &Predicting) -> PredictEntry {
    let study = &studies[at.study];
    let case = &study.cases[at.case];
    let mut plan = PredictEntry {
        study: study.name.clone(),
        case: case.name.clone(),
        variants: Vec::new(),
        pairs: Vec::new(),
        left_out: Vec::new(),
    };
    for place in 0..case.variants.len() {
        if !run.log(at).has_data(place) {
            continue;
        }
        let busiest = || profiling::busiest(run.log(at), place, MOST_FUNCTIONS);
        match faster(case, place, asked, busiest) {
            Ok(parts) => plan.add(&case.variants[place], parts),
            Err(why) if plan.left_out.contains(&why) => {}
            Err(why) => plan.left_out.push(why),
        }
    }
    plan
}

impl PredictEntry {
    fn add(&mut self, plain: &LabelledVariant, parts: Vec<Faster>) {
        let with = |faster: Faster| LabelledVariant {
            label: plain.label.clone(),
            variant: Variant {
                faster: Some(faster),
                ..plain.variant.clone()
            },
            ..plain.clone()
        };
        let as_it_is = self.variants.len();
        self.variants.push(with(Faster::none()));
        for part in parts {
            self.pairs.push([as_it_is, self.variants.len()]);
            let label = format!("{}, {} % faster {}", plain.label, part.percent, part.part);
            let changed = with(part);
            self.variants.push(LabelledVariant { label, ..changed });
        }
    }
}

/// The parts of a variant's work that were asked for, or why none is predicted.
fn faster(
    case: &Case,
    place: usize,
    asked: &Predicting,
    busiest: impl FnOnce() -> Vec<String>,
) -> Result<Vec<Faster>, String> {
    let work = case.work_of(place);
    let LabelledVariant { label, variant, .. } = &case.variants[place];
    if variant.model.is_user_level() {
        return Err(format!(
            "{label}: flows that share a thread cannot stand still one by one"
        ));
    }
    let of = |(part, place): (String, u32)| Faster {
        part,
        place,
        percent: asked.percent,
    };
    if work.program().is_some() {
        let named = match asked.parts.is_empty() {
            true => busiest(),
            false => asked.parts.clone(),
        };
        let all = named.into_iter().map(|name| of((name, 0)));
        return match all.len() {
            0 => Err(NO_FUNCTION.to_owned()),
            _ => Ok(all.collect()),
        };
    }
    let names = work.parts();
    if names.is_empty() {
        return Err(format!(
            "the work of {} names no parts (docs/profile.md)",
            case.name
        ));
    }
    let unknown = asked.parts.iter().find(|part| !names.contains(part));
    if let Some(unknown) = unknown {
        let has = names.join(", ");
        return Err(format!("{} has no part '{unknown}': use {has}", case.name));
    }
    let is_asked = |name: &String| asked.parts.is_empty() || asked.parts.contains(name);
    let places = names.into_iter().zip(0..);
    Ok(places.filter(|(name, _)| is_asked(name)).map(of).collect())
}
