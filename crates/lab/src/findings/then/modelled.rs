//! What a model of another machine counted, beside what the source says of a processor's events.
//! The ratio has the spread of launches and orders; where the work did not end within the window,
//! ratios of its parts belong to that too, and the size of a claim is held against all of them.

use super::run::place;
use super::{Answer, Run, claim};
use crate::data::Published;
use crate::data::number::{DOTS, many};
use crate::findings::CaseResult;
use crate::findings::phrases::joined;
use crate::findings::simulated::{Count, compared};

pub(super) fn answer(
    published: &Published,
    case: &CaseResult,
    (subject, reference): (&str, &str),
    (count, run): (Count, Run<'_>),
) -> Result<Answer, Answer> {
    let places = (place(case, reference)?, place(case, subject)?);
    let simulation = run.header.settings.simulate.as_ref();
    let all = simulation.and_then(|one| compared(&case.case, &case.slots, places, &one.machine));
    let counted = all.as_ref().and_then(|all| all.count(count));
    let ratio = counted.and_then(|one| Some((one, one.ratio?)));
    let Some((counted, ratio)) = ratio else {
        return Err(Answer::unknown("no round has a count of both"));
    };
    let parts = counted.in_parts.iter().map(|(_, ratio)| *ratio);
    let least = parts.clone().fold(ratio.least, f64::min);
    let most = parts.fold(ratio.most, f64::max);
    let estimate = ratio.median;
    let (verdict, because) = claim::of_two(published, counted.verdict, Some((least, most)));
    let flows = many(all.as_ref().map_or(0, |all| all.flows).into(), "flow");
    let spread = match counted.exact {
        true => " (exact)".to_owned(),
        false => format!(" [{:.2}{DOTS}{:.2}]", ratio.least, ratio.most),
    };
    let ours = format!("{flows}: {} {estimate:.2}x{spread}", counted.count.head());
    let because = joined(
        because.into_iter().chain(by_window(&counted.in_parts)),
        "; ",
    );
    let points = vec![[all.as_ref().map_or(0, |all| all.flows).into(), estimate]];
    Ok(Answer::new(ours, verdict)
        .since(because)
        .by_number(points, true))
}

/// `the ratio is of the window that was recorded: 0.06x with 1/16 of it, 0.11x with 1/4`.
fn by_window(parts: &[(u64, f64)]) -> Option<String> {
    let said = parts
        .iter()
        .map(|(part, ratio)| format!("{ratio:.2}x with 1/{part} of it"));
    joined(said, ", ").map(|said| format!("the ratio is of the window that was recorded: {said}"))
}
