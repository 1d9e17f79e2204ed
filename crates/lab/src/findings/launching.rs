//! What launching costs, where it matters in the time of commands. Each slot launches `true` under the same wrapper.
//! Its time is in that of every command, and hides a part of what one is faster by in a ratio. So each command has a
//! second quantity, its time less that of `true` in the same slot.

use super::phrases::joined;
use super::{CaseResult, VariantSummary};
use crate::data::number::{percent, time, time_interval};

/// Shorter launches (as a share of the shortest command) are not named.
const MATTERS: f64 = 0.02;

fn sentence(case: &CaseResult) -> Option<String> {
    let each = case.variants.iter().map(|variant| {
        let launch = case.amount("launch", &variant.label)?;
        Some((variant.value?.typical, launch.estimate))
    });
    let each: Option<Vec<(f64, f64)>> = each.collect();
    let each = each.filter(|each| !each.is_empty())?;
    let share = each.iter().map(|(time, launch)| launch / time);
    let share = share.reduce(f64::max).filter(|share| *share >= MATTERS)?;
    let launch = each.iter().map(|(_, launch)| *launch);
    let least = launch.fold(f64::INFINITY, f64::min);
    let left = |variant: &VariantSummary| case.amount("without-launch", &variant.label);
    let has_interval = |variant| left(variant).is_some_and(|left| left.low.is_some());
    let is_known = case.variants.iter().all(has_interval);
    let without = case.variants.iter().filter_map(|variant| {
        let left = left(variant)?;
        let (low, high) = left.interval().filter(|(low, _)| *low > 0.0)?;
        let (left, interval) = (time(left.estimate), time_interval(low, high));
        Some(format!("{} {left} {interval}", variant.label))
    });
    let without = match joined(without, ", ") {
        Some(without) => format!("without it: {without}"),
        None if is_known => "no command takes clearly longer".to_owned(),
        None => "too few rounds to say what is left without it".to_owned(),
    };
    Some(format!(
        "`true` takes {} here, up to {} of a command's time; {without}",
        time(least),
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
