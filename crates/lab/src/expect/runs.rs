//! Expectations of several runs side by side.

use super::judge::{Found, said};
use super::{Checked, ExpectError, Expectation, Unit, names};
use crate::Study;
use crate::compare::{Named, SideBySide};

/// What comes of an expectation in every run but the first, which is the reference.
///
/// A bound without a unit and without `vs` is one of the ratio to the first run:
/// `primes/thread <= 1.03`.
///
/// # Errors
/// It names nothing, several, or its bound is of another kind.
pub fn check_runs(
    expectation: &Expectation,
    runs: &[Named<'_>],
    all: &SideBySide,
) -> Result<Vec<Checked>, ExpectError> {
    let others = runs.iter().enumerate().skip(1);
    let between = expectation.against.is_none() && expectation.bound.unit == Unit::Ratio;
    others
        .map(|(place, run)| {
            let mut checked = if between {
                against_first(expectation, run, place, all)?
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
    run: &Named<'_>,
    place: usize,
    all: &SideBySide,
) -> Result<Checked, ExpectError> {
    let studies: Vec<Study> = run
        .results
        .studies
        .iter()
        .map(|s| s.study.clone())
        .collect();
    let target = names::target(expectation, &studies)?;
    let label = &target.case.variants[target.variant].label;
    let change = all.changes().find(|(study, case, variant, run, _)| {
        study.name == target.study.name
            && case.name == target.case.name
            && variant.label == *label
            && *run == place
    });
    let estimate = change.and_then(|(.., change)| change.estimate);
    let found = estimate.map(|estimate| Found {
        value: estimate.ratio,
        interval: estimate.interval(),
    });
    Ok(said(expectation, found))
}
