//! What faster parts would bring: after the rounds, every variant as it is and with each part faster in effect, as in
//! [`super::confirming`]. A faster part is a variant like any other ([`flow::Variant::faster`]).

use flow::{Faster, Variant};

use super::aside::{self, Aside};
use crate::data::{Entry, LabelledVariant, PredictEntry, Predicting, Study};
use crate::findings::ledger::At;
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

/// Of a command, where none is named.
const MOST_FUNCTIONS: usize = 3;

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
