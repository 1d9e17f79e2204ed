//! Expectations of several runs side by side. The compared time has its ratio to the first run; any
//! other quantity (memory, a phase) gets one as two independent samples of slots
//! ([`stats::two_runs`]), at the level of one expectation. Neither is given where the sides did not
//! do the same work. A compared time fails only beyond the floor of its comparison.

use stats::{RUNS_ALPHA, two_runs};

use super::judge::{Found, nothing, of_slot, said};
use super::names::Target;
use super::{Bound, Checked, ExpectError, Expectation, Judged, Side, Unit, names};
use crate::data::words::percent;
use crate::data::{RawSlot, Study};
use crate::findings::compare::{Basis, Change, Floor, FloorFrom, Named, SideBySide, unseen};
use crate::findings::quantity::Kind;

/// What comes of an expectation in every run but the first, which is the reference. A bound without
/// a unit and without `vs` is one of the ratio to the first run: `primes/thread <= 1.03`,
/// `primes/thread memory <= 1.1`. An error where it names nothing, several, or another kind of
/// bound.
pub fn check_runs(
    expectation: &Expectation,
    runs: &[Named<'_>],
    all: &SideBySide,
) -> Result<Vec<Checked>, ExpectError> {
    let between = expectation.against.is_none() && expectation.bound.unit == Unit::Ratio;
    (1..runs.len())
        .map(|place| {
            let run = &runs[place];
            let mut checked = if between {
                against_first(expectation, runs, place, all)?
            } else {
                expectation.check(run.results)?
            };
            checked.sentence = format!("{}: {}", run.name, checked.sentence);
            Ok(checked)
        })
        .collect()
}

fn against_first(
    expectation: &Expectation,
    runs: &[Named<'_>],
    place: usize,
    all: &SideBySide,
) -> Result<Checked, ExpectError> {
    let results = runs[place].results.studies.iter();
    let studies: Vec<Study> = results.map(|result| result.study.clone()).collect();
    let target = names::target(expectation, &studies)?;
    let change = change(&target, runs, place, all);
    let found =
        change.and_then(
            |(basis, floor, change)| match (target.quantity, &change.estimate) {
                (Kind::Time, Some(estimate)) => {
                    let found = Found::of(estimate);
                    match by_the_machine(expectation.bound, &found, floor) {
                        Some(why) => Err(format!("{}: {why}", expectation.bound.shown(&found))),
                        None => Ok(found),
                    }
                }
                _ => of_quantity(&target, [&runs[0], &runs[place]], basis),
            },
        );
    Ok(said(expectation, found))
}

/// The floor is that of the table and of `--fail-on-regression`.
fn by_the_machine(bound: Bound, found: &Found, floor: Floor) -> Option<String> {
    if bound.judge(found) != Judged::Fails {
        return None;
    }
    if floor.because == FloorFrom::Unseen {
        return Some(unseen());
    }
    let band = 1.0 + floor.fraction;
    let bar = match bound.side {
        Side::Below { .. } => bound.value.max(bound.value.min(1.0) * band),
        Side::Above { .. } => bound.value.min(bound.value.max(1.0) / band),
    };
    let beyond = Bound {
        value: bar,
        ..bound
    };
    (beyond.judge(found) != Judged::Fails)
        .then(|| format!("not beyond the floor of {}", percent(floor.fraction)))
}

fn change<'a>(
    target: &Target<'_>,
    runs: &[Named<'_>],
    place: usize,
    all: &'a SideBySide,
) -> Result<(Basis, Floor, &'a Change), String> {
    let label = &target.case.variants[target.variant].label;
    let found = all.changes().find(|(study, case, variant, run, _)| {
        study.name == target.study.name
            && case.name == target.case.name
            && variant.label == *label
            && *run == place
    });
    if let Some((_, case, _, _, change)) = found {
        return match (&change.not_compared, case.floors[place]) {
            (None, Some(floor)) => Ok((case.basis, floor, change)),
            (why, _) => Err(format!(
                "not compared: {}",
                why.as_deref().unwrap_or("there is no floor")
            )),
        };
    }
    let first = target.case_in(runs[0].results);
    Err(match first.and_then(|case| case.place(label)) {
        Some(_) => "it is the reference of its rounds: against itself it is always 1".to_owned(),
        None => format!("not compared: {} does not hold it", runs[0].name),
    })
}

fn of_quantity(target: &Target<'_>, runs: [&Named<'_>; 2], basis: Basis) -> Result<Found, String> {
    let label = &target.case.variants[target.variant].label;
    let header = &runs[0].results.header;
    let [before, after] = runs.map(|run| {
        let case = target.case_in(run.results);
        let (case, variant) = case
            .and_then(|case| Some((case, case.place(label)?)))
            .ok_or_else(|| format!("{} does not hold it", run.name))?;
        let of = |slot: &RawSlot| of_slot(case, slot, target.quantity, header);
        let values = basis.values(case, variant, of);
        match values.is_empty() {
            true => Err(format!(
                "{}: {}",
                run.name,
                nothing(case, variant, target.quantity)
            )),
            false => Ok(values),
        }
    });
    let estimate = two_runs(&before?, &after?, RUNS_ALPHA).map_err(|error| error.to_string())?;
    Ok(Found::of(&estimate))
}
