//! What sharing does in a case, in a sentence.

use stats::Verdict;

use super::{Cause, Effect};
use crate::number::{factor, factor_interval, ratio_interval};
use crate::results::CaseResult;
use crate::words::percent;

/// The sentence for a case that ran all four models.
pub(in crate::results) fn sentence(case: &CaseResult) -> Option<String> {
    let shared = case.shared?;
    let name = &case.case.name;
    let (space, files) = (
        effect("the address space", &shared.address_space),
        effect("the file table", &shared.file_table),
    );
    Some(match shared.cause {
        Cause::Neither => {
            format!("{name}: neither shared resource makes a difference: {space}, {files}")
        }
        Cause::CannotTell => format!(
            "{name}: cannot tell which shared resource makes a difference: {space}, {files}"
        ),
        cause => format!(
            "{name}: what makes the difference is the {}: {space}, {files}",
            cause.in_full()
        ),
    })
}

/// `with the address space shared 2.05x slower [1.98 ... 2.11]`.
fn effect(what: &str, effect: &Effect) -> String {
    let ratio = effect.estimate.ratio;
    let (low, high) = effect.estimate.interval().unwrap_or((ratio, ratio));
    match effect.verdict {
        Verdict::Slower { .. } => format!(
            "with {what} shared {} slower {}",
            factor(ratio),
            factor_interval(ratio, low, high)
        ),
        Verdict::Faster { .. } => format!(
            "with {what} shared {} faster {}",
            factor(1.0 / ratio),
            factor_interval(1.0 / ratio, 1.0 / high, 1.0 / low)
        ),
        Verdict::Same { within } => {
            format!("with {what} shared the same within {}", percent(within))
        }
        Verdict::CannotTell { .. } if effect.estimate.interval().is_none() => {
            format!("with {what} shared undecided (too few rounds for an interval)")
        }
        Verdict::CannotTell { .. } => {
            format!("with {what} shared undecided {}", ratio_interval(low, high))
        }
    }
}
