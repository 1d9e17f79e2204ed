//! What stands in the reasons of refused slots alone. Where a system ignores `sched_yield`, the
//! kernel counts fewer switches than hand-overs must cause, and a time for a switch would be that
//! of a call. A slot of which a flow crashes has how many of its flows died; those that went on are
//! counted, in the worst slot of each variant.

use std::cmp::Ordering;

use flow::{Answer as SlotAnswer, Failure};

use super::{Answer, Run, Standing, claim};
use crate::data::number::{count, many};
use crate::data::{Claim, OfPair};
use crate::findings::CaseResult;
use crate::findings::phrases::joined;
use crate::findings::quantity::Word;

pub(super) fn not_switched(run: Run<'_>) -> Result<Answer, Answer> {
    let words = joined(run.cases.iter().flat_map(of_case), "; ");
    let words = words.ok_or_else(|| Answer::unknown("no slot was refused for it"))?;
    let because = "such slots are refused, and no time is made of them";
    Ok(Answer::new(words, Standing::SideBySide).since(Some(because.to_owned())))
}

pub(super) fn survivors(claim: Option<Claim>, of: &OfPair, run: Run<'_>) -> Result<Answer, Answer> {
    let case = run.case(&of.case)?;
    let left = |label: &str| {
        let worst = left_of(case, label);
        worst.ok_or_else(|| Answer::unknown(format!("no slot of {label} had a crash")))
    };
    let (subject, reference) = (left(&of.subject)?, left(&of.reference)?);
    let words = [(&of.subject, subject), (&of.reference, reference)]
        .map(|(label, (went_on, flows))| format!("{label}: {went_on} of {flows} flows go on"));
    let word = match subject.0.cmp(&reference.0) {
        Ordering::Less => Word::Less,
        Ordering::Equal => Word::Same,
        Ordering::Greater => Word::More,
    };
    let verdict = claim.map_or(Standing::SideBySide, |claim| claim::direction(claim, word));
    let because = "counted in slots whose work makes one flow crash";
    Ok(Answer::new(words.join(", "), verdict).since(Some(because.to_owned())))
}

fn left_of(case: &CaseResult, label: &str) -> Option<(u32, u32)> {
    let left = refusals(case, case.place(label)?).filter_map(|reason| match reason {
        Failure::FlowsDied { died, flows, .. } => Some((flows - died, *flows)),
        Failure::SlotLost { flows, .. } => Some((0, *flows)),
        _ => None,
    });
    left.min()
}

fn refusals(case: &CaseResult, variant: usize) -> impl Iterator<Item = &Failure> {
    case.slots_of(variant)
        .filter_map(|slot| match &slot.outcome.answer {
            SlotAnswer::Failed { reason, .. } => Some(reason),
            SlotAnswer::Done(_) => None,
        })
}

/// `flows/100, thread: 148 switches where 20,648 hand-overs must cause as many (2 slots)`.
fn of_case(case: &CaseResult) -> Vec<String> {
    let variants = case.case.variants.iter().enumerate();
    let said = variants.filter_map(|(place, variant)| {
        let refused = refusals(case, place).filter_map(|reason| match reason {
            Failure::NotSwitched {
                switches,
                handed_over,
            } => Some((*switches, *handed_over)),
            _ => None,
        });
        let mut refused: Vec<(u64, u64)> = refused.collect();
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
