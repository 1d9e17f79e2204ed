//! Films: after the rounds, one recorded slot of both sides of each row; no data points, outside the budget. All films
//! take a small part of what the rounds took; a row whose slots take longer has none. Where switches cannot be
//! recorded, the first slot says so and is the last. No command or server of a user is launched for a picture.

use crate::data::{Chosen, Entry, Study};
use crate::findings::ledger::{At, slot_s};
use crate::plan::order::slot_seed;
use crate::run::error::Stop;
use crate::run::launching::{Run, Take};
use crate::run::pilot::of_case;
use crate::run::progress::Place;

/// Of the time of the rounds.
const SHARE: f64 = 0.03;
const LEAST_S: f64 = 1.0;

struct Wanted {
    at: At,
    variant: usize,
    expected_s: f64,
}

pub(super) fn record(run: &mut Run<'_>, studies: &[Study]) -> Result<(), Stop> {
    let settings = &run.journal.header().settings;
    if !settings.film || settings.simulate.is_some() {
        return Ok(());
    }
    let mut left_s = (SHARE * run.journal.ledger().spent_s()).max(LEAST_S);
    for pair in rows(run, studies) {
        let expected_s: f64 = pair.iter().map(|one| one.expected_s).sum();
        if expected_s > left_s {
            continue;
        }
        for one in pair {
            let took_s = film(run, studies, &one)?;
            left_s -= took_s;
            let recorded = run.log(one.at).films.last();
            let recorded = recorded.and_then(|film| film.outcome.film.as_ref());
            if recorded.is_none_or(|film| film.value().is_none()) {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn rows(run: &Run<'_>, studies: &[Study]) -> Vec<[Wanted; 2]> {
    let mut all: Vec<[Wanted; 2]> = Vec::new();
    for row in run.journal.results().answers() {
        let cases = &studies[row.place].cases;
        let Some(case) = cases.iter().position(|case| case.name == row.case) else {
            continue;
        };
        let at = At {
            study: row.place,
            case,
        };
        let log = run.log(at);
        let is_own = cases[case].work.program().is_none() && log.films.is_empty();
        let wanted = |label: &Option<String>| {
            let label = label.as_ref().filter(|_| is_own && row.times().is_some())?;
            let variants = &cases[case].variants;
            let variant = variants.iter().position(|own| own.label == *label)?;
            let pilot = log.pilot.as_ref()?;
            let expected_s = slot_s(pilot.outcomes.get(variant)?, pilot.chosen.warmups + 1);
            Some(Wanted {
                at,
                variant,
                expected_s,
            })
        };
        let pair = wanted(&row.reference).zip(wanted(&row.subject));
        let is_new = all.iter().all(|[other, _]| other.at != at);
        all.extend(pair.filter(|_| is_new).map(|(one, other)| [one, other]));
    }
    all
}

/// Returns how long it took, in seconds.
fn film(run: &mut Run<'_>, studies: &[Study], one: &Wanted) -> Result<f64, Stop> {
    let study = &studies[one.at.study];
    let case = &study.cases[one.at.case];
    let log = run.log(one.at);
    let (round, reference) = (log.round(), log.proof());
    let settings = &run.journal.header().settings;
    let chosen = Chosen {
        reps: 1,
        ..of_case(log, settings)
    };
    let drawn = (settings.seed, round);
    let take = Take {
        film: true,
        ..Take::slot(
            false,
            slot_seed(drawn, &study.name, &case.name, one.variant),
        )
    };
    let place = Place { study, case };
    let at = (round, one.variant);
    run.launch_and_note(place, at, reference, (chosen, take), Entry::Film)
}
