//! After which rounds a case is judged, and what its rounds can show.

use stats::{LOOK_ALPHA, LOOKS, LookPlan, StatsError, detectable, rounds_for_interval};

use crate::data::{Case, Settings};

/// The looks of a case. The first has as many rounds as an interval needs at the level of the case, unless the study
/// asks for fewer than any interval needs, and so only measures.
pub(super) fn plan(
    settings: &Settings,
    case: &Case,
    answers: usize,
) -> Result<LookPlan, StatsError> {
    let fewest = match case.variants.len() > 1 {
        true => fewest_rounds(case, answers),
        false => 0,
    };
    let for_any = rounds_for_interval(LOOK_ALPHA).unwrap_or(0);
    let raised = |most: usize| {
        if most < for_any {
            most
        } else {
            most.max(fewest)
        }
    };
    let most = case.max_rounds.map_or(usize::MAX, raised);
    let most = settings.max_rounds.min(most);
    let plan = LookPlan::new(most)?;
    Ok(match fewest {
        _ if settings.exact_rounds => plan.once(),
        0 => plan,
        _ => plan.deciding_at(level(case, answers)),
    })
}

fn level(case: &Case, answers: usize) -> f64 {
    let subjects = case.variants.len().saturating_sub(1).max(1);
    // Which variant is best is asked of all pairs.
    let comparisons = (subjects * answers).max(stats::pairs(case.variants.len()));
    LOOK_ALPHA / comparisons as f64
}

pub(super) fn fewest_rounds(case: &Case, answers: usize) -> usize {
    rounds_for_interval(level(case, answers)).unwrap_or(0)
}

/// Claims of a source share a level too ([`crate::findings::then`]): a case gives an interval to as many as time allows.
const FEW_CLAIMS: usize = 8;

pub(super) fn rounds_for_claims(case: &Case, claims: usize) -> usize {
    match (claims, case.best_of) {
        (0, _) | (_, Some(_)) => 0,
        _ => fewest_rounds(case, claims.min(FEW_CLAIMS)),
    }
}

pub(crate) fn smallest_seen(pair: f64) -> f64 {
    smallest_seen_in(USUAL_ROUNDS, pair)
}

/// The smallest difference that this number of rounds finds at this noise.
pub(crate) fn smallest_seen_in(rounds: usize, pair: f64) -> f64 {
    detectable(pair, rounds, LOOK_ALPHA)
}

pub(crate) const USUAL_ROUNDS: usize = LOOKS[LOOKS.len() - 1];
