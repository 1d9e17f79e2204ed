use stats::{LOOK_ALPHA, rounds_for_interval};

use crate::data::{Case, Study};

/// Raises the most rounds of each case behind the headline to those that an interval takes if no
/// other comparison of the study names a difference: then all of them share the level
/// ([`crate::findings`]). A case that asks for fewer than any interval takes only measures, and
/// keeps its number.
pub(crate) fn with_rounds_for_intervals(mut study: Study) -> Study {
    let comparisons = |case: &Case| match case.name == study.headline {
        true => 0,
        false => case.variants.len().saturating_sub(1),
    };
    let all: usize = study.cases.iter().map(comparisons).sum();
    let [for_any, shared] = [1, all.max(1)]
        .map(|comparisons| rounds_for_interval(LOOK_ALPHA / comparisons as f64).unwrap_or(0));
    let compare = study
        .cases
        .iter_mut()
        .filter(|case| case.variants.len() > 1);
    let most = compare.filter_map(|case| case.max_rounds.as_mut());
    for most in most.filter(|most| **most >= for_any) {
        *most = shared.max(*most);
    }
    study
}
