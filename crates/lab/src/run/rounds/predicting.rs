//! What faster parts would bring: after the rounds, every variant as it is and with each part faster in effect, as in
//! [`super::confirming`]. A faster part is a variant like any other ([`flow::Variant::faster`]).

use flow::{Faster, Variant};

use super::aside::{self, Aside};
use crate::data::{Entry, LabelledVariant, PredictEntry, Predicting, Study};
use crate::findings::ledger::{At, CaseLog};
use crate::plan::predicted::faster;
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

const MOST_FUNCTIONS: usize = 3;
const HALF_WIDTH: f64 = 0.03;

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
        let rounds = run.log(at).predict.as_ref().map_or(0, |plan| plan.rounds);
        aside::rounds(run, (studies, at), rounds, &ASIDE)?;
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
        rounds: 0,
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
    plan.rounds = rounds(run.log(at), plan.level());
    plan
}

/// By the noise of the rounds before, which tells how wide an interval will probably be.
fn rounds(log: &CaseLog, level: f64) -> usize {
    let of = |variant: usize| {
        let own = log.slots.iter().filter(|slot| slot.variant == variant);
        let values: Vec<f64> = own.filter_map(|slot| slot.value_ns).collect();
        stats::noise(&values).pair
    };
    let variants = log.slots.iter().map(|slot| slot.variant + 1).max();
    let noise = (0..variants.unwrap_or(0))
        .filter_map(of)
        .fold(0.0, f64::max);
    let is_narrow = |rounds: &usize| stats::half_width(noise, *rounds, level) <= HALF_WIDTH;
    let mut tried = Predicting::ROUNDS;
    tried.find(is_narrow).unwrap_or(*Predicting::ROUNDS.end())
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
