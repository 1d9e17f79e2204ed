//! Causes, tried after the rounds and profiles: each row that names a difference has rounds of its own, with both sides
//! as they are and with a knob turned ([`crate::data::knob`]). Rounds that showed a cause may have shown it by chance;
//! a fixed number of fresh ones, so that each share is judged once, outside the budget.

use super::aside::{self, Aside};
use crate::data::knob::Knob;
use crate::data::{Case, ConfirmEntry, Confirming, Entry, LabelledVariant, Study, Try};
use crate::findings::answers::{About, Answer};
use crate::findings::ledger::At;
use crate::plan::check;
use crate::run::error::Stop;
use crate::run::launching::Run;

const MOST_KNOBS: usize = 3;
const NOTHING: &str = "it changes nothing here";
const ASIDE: Aside = Aside {
    what: "confirm",
    needed: 2,
    of: |log| {
        let plan = log.confirm.as_ref().filter(|plan| !plan.tries.is_empty())?;
        Some((&plan.variants, &log.confirmed))
    },
    entry: Entry::Confirmed,
};

pub(super) fn confirm(run: &mut Run<'_>, studies: &[Study]) -> Result<(), Stop> {
    let Some(asked) = run.journal.header().settings.confirm.clone() else {
        return Ok(());
    };
    for row in run.journal.results().answers() {
        let Some((at, subject)) = compared(run, studies, &row) else {
            continue;
        };
        if run.log(at).confirm.is_none() {
            let plan = plan(run, (studies, at), subject, &seen(&row), &asked);
            run.journal.append(Entry::Confirm(plan))?;
        }
        aside::rounds(run, (studies, at), asked.rounds, &ASIDE)?;
    }
    Ok(())
}

fn compared(run: &Run<'_>, studies: &[Study], row: &Answer) -> Option<(At, usize)> {
    let study = row.place;
    let cases = &studies[study].cases;
    let case = cases.iter().position(|case| case.name == row.case)?;
    let labels = [row.subject.as_ref()?, row.reference.as_ref()?];
    let place = |label: &String| {
        let mut all = cases[case].variants.iter();
        all.position(|one| one.label == *label)
    };
    let subject = place(labels[0])?.max(place(labels[1])?);
    let at = At { study, case };
    // A knob is turned beside the first variant, which is not launched where it was given up.
    if run.log(at).judge.reference() > 0 {
        return None;
    }
    let results = run.journal.results();
    let found = results.studies[study].cases[case]
        .findings
        .get(subject.checked_sub(1)?)?;
    found.is_difference().then_some((at, subject))
}

fn seen(row: &Answer) -> Vec<String> {
    let is_of_cause = |about| matches!(about, About::Cause | About::NoCause | About::Where);
    let lines = row.below.iter().filter(|line| is_of_cause(line.about));
    let said = lines.map(|line| line.text.clone());
    said.filter(|text| !text.starts_with("cause not found"))
        .collect()
}

/// The knobs that were named, or those that answer what was seen, each with what that was.
fn chosen(seen: &[String], asked: &Confirming) -> Vec<(&'static Knob, String)> {
    if !asked.knobs.is_empty() {
        let cause = seen.first().cloned().unwrap_or_default();
        let named = asked.knobs.iter().filter_map(|name| Knob::of(name));
        return named.map(|knob| (knob, cause.clone())).collect();
    }
    let mut all: Vec<(&Knob, String)> = Vec::new();
    for said in seen {
        for knob in Knob::answering(said) {
            if !all.iter().any(|(known, _)| known.name == knob.name) {
                all.push((knob, said.clone()));
            }
        }
    }
    all
}

fn plan(
    run: &Run<'_>,
    (studies, at): (&[Study], At),
    subject: usize,
    seen: &[String],
    asked: &Confirming,
) -> ConfirmEntry {
    let study = &studies[at.study];
    let case = &study.cases[at.case];
    let places = [0, subject];
    let mut plan = ConfirmEntry {
        study: study.name.clone(),
        case: case.name.clone(),
        subject,
        variants: places.map(|place| case.variants[place].clone()).to_vec(),
        tries: Vec::new(),
        left_out: Vec::new(),
    };
    for (knob, cause) in chosen(seen, asked) {
        if plan.tries.len() == MOST_KNOBS && asked.knobs.is_empty() {
            break;
        }
        let changed = match turned(run, study, case, (places, knob)) {
            Ok(changed) => changed,
            Err(why) => {
                // What changes nothing is said of a knob that was named.
                let nothing = (!asked.knobs.is_empty()).then(|| NOTHING.to_owned());
                let why = why.or(nothing);
                let left_out = why.map(|why| format!("{}: {why}", knob.name));
                plan.left_out.extend(left_out);
                continue;
            }
        };
        let mut sides = [0, 1];
        for (side, one) in sides.iter_mut().zip(changed) {
            if let Some(one) = one {
                *side = plan.variants.len();
                plan.variants.push(one);
            }
        }
        plan.tries.push(Try {
            knob: knob.name.to_owned(),
            without: knob.without.to_owned(),
            cause,
            sides,
        });
    }
    plan
}

/// Both sides with a knob turned; `None` without a change on one; else why not.
fn turned(
    run: &Run<'_>,
    study: &Study,
    case: &Case,
    (places, knob): ([usize; 2], &Knob),
) -> Result<[Option<LabelledVariant>; 2], Option<String>> {
    let changed = places.map(|place| {
        let plain = &case.variants[place];
        let ways = knob.turned(plain, case.work_of(place), &run.cpus);
        ways.into_iter().next().map(|one| LabelledVariant {
            label: format!("{}, {}", plain.label, one.label),
            ..one
        })
    });
    let variants: Vec<LabelledVariant> = changed.iter().flatten().cloned().collect();
    if variants.is_empty() {
        return Err(knob.missing(case.work_of(places[1])));
    }
    let alone = Case {
        variants,
        ..case.clone()
    };
    let alone = study.clone().with_cases(vec![alone]);
    match check(&[alone], &run.journal.header().machine) {
        Ok(()) => Ok(changed),
        Err(error) => Err(Some(error.message)),
    }
}
