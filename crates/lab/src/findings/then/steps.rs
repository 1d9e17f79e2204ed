//! What a quantity is made of: each step by what it takes beyond the one before. No clock can be
//! read between the parts of a switch between processes, but variants do the first of them alone,
//! the first two, and so on; differences of their typical amounts add up to the whole. Different
//! cases share no rounds: a difference has no interval, and nothing is judged by it.

use super::{Answer, Run, amounts};
use crate::data::Step;
use crate::findings::Unit;

/// `of 1.12 µs: 60 ns a call, 110 ns its queue, ...`; `None` where a step was not measured.
pub(super) fn answer(steps: &[Step], run: Run<'_>) -> Option<String> {
    let found: Result<Vec<(Unit, f64)>, Answer> =
        steps.iter().map(|step| amount(step, run)).collect();
    let found = found.ok()?;
    let (unit, whole) = *found.last()?;
    let before = [0.0].into_iter().chain(found.iter().map(|(_, one)| *one));
    let parts: Vec<String> = found
        .iter()
        .zip(before)
        .zip(steps)
        .map(|(((_, one), before), step)| part(unit, one - before, &step.what))
        .collect();
    Some(format!(
        "{} are, by differences: {}",
        unit.show(whole),
        parts.join(", ")
    ))
}

fn amount(step: &Step, run: Run<'_>) -> Result<(Unit, f64), Answer> {
    let case = run.case(&step.case)?;
    let (unit, amount) = amounts::found(case, &step.variant, (&step.quantity, None), run)?;
    Ok((unit, amount.estimate))
}

/// `60.0 ns a call`; a step may also take less.
fn part(unit: Unit, more: f64, what: &str) -> String {
    match more < 0.0 {
        true => format!("{} less for {what}", unit.show(-more)),
        false => format!("{} for {what}", unit.show(more)),
    }
}
