//! Which shared resource makes the difference between processes and threads.
//!
//! # Theory
//!
//! The effects are those of [`crate::results::shared`], with their intervals. Here they become
//! a reason of the finding that they explain: that on processes and threads.
//!
//! Shares of the difference are given only where both effects point its way and can be told
//! from noise. Where one hides a part of the other, the two effects say more than shares.

use flow::Model;
use stats::Verdict;

use super::{Evidence, Reason, Weight};
use crate::number::{factor, factor_interval, ratio_interval};
use crate::results::shared::{Effect, Shared};
use crate::words::percent;

pub(super) fn rule(evidence: &Evidence<'_>) -> Option<Reason> {
    let shared = of(evidence)?;
    let said = shares(shared).map_or(String::new(), |(space, files)| {
        format!("; that is {space:.0} % and {files:.0} % of the difference")
    });
    Some(Reason {
        weight: Weight::Cause(part_of_larger(shared)),
        text: format!(
            "by the models between, sharing the address space makes {}, and sharing the file table \
             makes {}{said}",
            effect(&shared.address_space),
            effect(&shared.file_table)
        ),
    })
}

/// What sharing does, of a finding on processes and threads that differ.
pub(super) fn of<'a>(evidence: &Evidence<'a>) -> Option<&'a Shared> {
    let sides = [evidence.subject, evidence.reference];
    let models = sides.map(|side| side.profile.variant.model);
    let both = models.contains(&Model::Process) && models.contains(&Model::Thread);
    evidence.shared.filter(|_| both && evidence.differ())
}

/// The shares of the difference in percent that go with the address space and with the file
/// table, if both effects are told and neither goes against it.
fn shares(shared: &Shared) -> Option<(f64, f64)> {
    let [space, files] = [&shared.address_space, &shared.file_table].map(size);
    let files = files? / (space? + files?);
    (0.0..=1.0).contains(&files).then(|| {
        let files = (100.0 * files).round();
        (100.0 - files, files)
    })
}

/// The part of the larger effect in what both do; one that cannot be told is none.
fn part_of_larger(shared: &Shared) -> f64 {
    let sizes = [&shared.address_space, &shared.file_table].map(size);
    let [space, files] = sizes.map(|size| size.unwrap_or(0.0).abs());
    space.max(files) / (space + files).max(f64::MIN_POSITIVE)
}

/// The log of what an effect does; none where there is none, nothing where it cannot be told.
fn size(effect: &Effect) -> Option<f64> {
    match effect.verdict {
        Verdict::Faster { .. } | Verdict::Slower { .. } => Some(effect.estimate.ratio.ln()),
        Verdict::Same { .. } => Some(0.0),
        Verdict::CannotTell { .. } => None,
    }
}

/// `it 33x faster [20 ... 50]`.
fn effect(Effect { estimate, verdict }: &Effect) -> String {
    let ratio = estimate.ratio;
    let Some((low, high)) = estimate.interval() else {
        return format!("it {ratio:.3} of the time (too few rounds for an interval)");
    };
    match verdict {
        Verdict::Faster { .. } => {
            let interval = factor_interval(1.0 / ratio, 1.0 / high, 1.0 / low);
            format!("it {} faster {interval}", factor(1.0 / ratio))
        }
        Verdict::Slower { .. } => {
            let interval = factor_interval(ratio, low, high);
            format!("it {} slower {interval}", factor(ratio))
        }
        Verdict::Same { within } => format!(
            "no difference within {} {}",
            percent(*within),
            ratio_interval(low, high)
        ),
        Verdict::CannotTell { .. } => {
            format!(
                "no difference that can be told {}",
                ratio_interval(low, high)
            )
        }
    }
}
