//! What launching costs, where it is a part of the time of commands that matters.
//!
//! Each slot launches `true` under the same wrapper. Its time is in that of every command, and the
//! same in all of them, so that it hides a part of what one is faster by. A difference of times is
//! free of it; a ratio is not, and is given again without it.

use super::quantity::Unit;
use super::{CaseResult, VariantSummary};
use crate::number::percent;

/// A launch that takes less than this share of the shortest command is not named.
const MATTERS: f64 = 0.02;

/// What is left of a time without the launch is shown where it is more than this share of the launch:
/// below it is the difference of two noisy times.
const LEAST: f64 = 0.1;

/// What of the times of a case is launching; `None` where it is little.
fn sentence(case: &CaseResult) -> Option<String> {
    let launch = |variant: &VariantSummary| {
        let value = case.quantity("launch", &variant.label)?.value.value()?;
        Some(value.estimate)
    };
    let each: Option<Vec<(f64, f64)>> = case
        .variants
        .iter()
        .map(|variant| Some((variant.value?.typical, launch(variant)?)))
        .collect();
    let each = each.filter(|each| !each.is_empty())?;
    let share = each.iter().map(|(time, launch)| launch / time);
    let share = share.reduce(f64::max).filter(|share| *share >= MATTERS)?;
    let show = |ns: f64| Unit::Ns.show(ns.max(0.0));
    let least = each
        .iter()
        .map(|(_, launch)| *launch)
        .fold(f64::INFINITY, f64::min);
    let without = case
        .variants
        .iter()
        .zip(&each)
        .filter(|(_, (time, launch))| time - launch > LEAST * launch)
        .map(|(variant, (time, launch))| format!("{} {}", variant.label, show(time - launch)));
    let without: Vec<String> = without.collect();
    let without = match without.as_slice() {
        [] => "no command takes clearly longer".to_owned(),
        some => format!("without it: {}", some.join(", ")),
    };
    Some(format!(
        "a launch of `true` takes {} here, up to {} of a command's time; {without}",
        show(least),
        percent(share.min(1.0)),
    ))
}

impl CaseResult {
    /// What of the times of commands is launching, where that matters.
    #[must_use]
    pub fn launching(&self) -> Option<String> {
        sentence(self)
    }
}
