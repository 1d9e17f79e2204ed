//! Hand-overs that the system ignored.
//!
//! # Theory
//!
//! Where a system ignores `sched_yield`, flows that take turns by it are not switched, and a time
//! for a switch would be that of a call. Such a slot is refused, because the kernel counts fewer
//! switches than hand-overs must cause. So what such a system does stands in the reasons of refused
//! slots, and in no figure of a good one.

use flow::{Answer as SlotAnswer, Failure};

use super::{Answer, Run, Standing};
use crate::data::number::{count, many};
use crate::findings::CaseResult;

/// Switches and hand-overs of the refused slots, variant by variant.
pub(super) fn not_switched(run: Run<'_>) -> Result<Answer, Answer> {
    let words: Vec<String> = run.cases.iter().flat_map(of_case).collect();
    match words.is_empty() {
        true => Err(Answer::unknown("no slot was refused for it")),
        false => Ok(Answer {
            because: Some("such slots are refused, and no time is made of them".to_owned()),
            ..Answer::new(words.join("; "), Standing::SideBySide)
        }),
    }
}

/// `flows/100, thread: 148 switches where 20,648 hand-overs must cause as many (2 slots)`.
fn of_case(case: &CaseResult) -> Vec<String> {
    let variants = case.case.variants.iter().enumerate();
    let said = variants.filter_map(|(place, variant)| {
        let own = case.slots.iter().filter(|slot| slot.variant == place);
        let mut refused: Vec<(u64, u64)> = own
            .filter_map(|slot| match &slot.outcome.answer {
                SlotAnswer::Failed {
                    reason:
                        Failure::NotSwitched {
                            switches,
                            handed_over,
                        },
                    ..
                } => Some((*switches, *handed_over)),
                _ => None,
            })
            .collect();
        refused.sort_unstable();
        let (switches, handed_over) = *refused.get(refused.len() / 2)?;
        Some(format!(
            "{}, {}: {} switches where {} hand-overs must cause as many ({})",
            case.case.name,
            variant.label,
            count(switches),
            count(handed_over),
            many(refused.len() as u64, "slot")
        ))
    });
    said.collect()
}
