//! The effects of [`crate::findings::shared`] as a reason of the finding on processes and threads.
//! Shares are given only where both effects point its way and are decided; where one hides the
//! other, effects say more.

use flow::Model;
use stats::Verdict;

use super::{Clause, Evidence, MOST, Part, Reason, Weight, faults};
use crate::data::words::percent;
use crate::findings::shared::{Cause, Effect, Shared};
use crate::findings::{Seen, compared};

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

pub(super) fn clause(evidence: &Evidence<'_>) -> Option<Clause> {
    let shared = of(evidence)?;
    let (what, seen) = match shared.cause {
        Cause::AddressSpace => ("sharing the address space", Seen::AddressSpace),
        Cause::FileTable => ("sharing the file table", Seen::FileTable),
        Cause::Both | Cause::Neither | Cause::CannotTell => return None,
    };
    let share = match shares(shared) {
        Some((space, files)) => space.max(files) / 100.0,
        None => part_of_larger(shared),
    };
    let effect = match shared.cause {
        Cause::AddressSpace => shared.address_space,
        _ => shared.file_table,
    };
    let (slow, _) = evidence.slow_and_fast()?;
    let slows = matches!(effect.verdict, Verdict::Slower { .. });
    if slows != (slow.profile.variant.model == Model::Thread) {
        return None;
    }
    let said = compared(Some(&effect.estimate), &effect.verdict);
    let counted = of_new_address_spaces(evidence, shared.cause);
    let counted = counted.map_or(String::new(), |counted| format!(" ({counted})"));
    let (word, ends) = (said.word, said.interval);
    Some(Clause {
        share,
        part: Part::Elsewhere(seen),
        text: format!("{what} alone makes it {word} {ends}{counted}"),
    })
}

fn of_new_address_spaces(evidence: &Evidence<'_>, cause: Cause) -> Option<String> {
    let (_, share) = evidence.making()?;
    let is_making = share >= MOST && cause == Cause::AddressSpace;
    is_making.then(|| faults::counted(evidence)).flatten()
}

pub(super) fn of<'a>(evidence: &Evidence<'a>) -> Option<&'a Shared> {
    let sides = [evidence.subject, evidence.reference];
    let models = sides.map(|side| side.profile.variant.model);
    let both = models.contains(&Model::Process) && models.contains(&Model::Thread);
    evidence.shared.filter(|_| both && evidence.differ())
}

fn shares(shared: &Shared) -> Option<(f64, f64)> {
    let [space, files] = [&shared.address_space, &shared.file_table].map(size);
    let files = files? / (space? + files?);
    (0.0..=1.0).contains(&files).then(|| {
        let files = (100.0 * files).round();
        (100.0 - files, files)
    })
}

/// Of both effects; unknown counts as none.
fn part_of_larger(shared: &Shared) -> f64 {
    let sizes = [&shared.address_space, &shared.file_table].map(size);
    let [space, files] = sizes.map(|size| size.unwrap_or(0.0).abs());
    space.max(files) / (space + files).max(f64::MIN_POSITIVE)
}

/// Log of an effect; 0 if there is none, `None` if unknown.
fn size(effect: &Effect) -> Option<f64> {
    match effect.verdict {
        Verdict::Faster { .. } | Verdict::Slower { .. } => Some(effect.estimate.ratio.ln()),
        Verdict::Same { .. } => Some(0.0),
        Verdict::CannotTell { .. } => None,
    }
}

fn effect(Effect { estimate, verdict }: &Effect) -> String {
    let said = compared(Some(estimate), verdict);
    match verdict {
        Verdict::Faster { .. } | Verdict::Slower { .. } => format!("it {}", said.in_full()),
        Verdict::Same { within } => {
            format!(
                "no difference within {} ({})",
                percent(*within),
                said.interval
            )
        }
        Verdict::CannotTell { .. } if said.interval.is_empty() => {
            "a difference for which there are too few rounds".to_owned()
        }
        Verdict::CannotTell { .. } => format!("an undecided difference ({})", said.interval),
    }
}
