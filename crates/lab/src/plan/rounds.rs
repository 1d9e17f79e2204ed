use crate::data::Study;

/// Rounds at the most of a case behind the rows: points of a map are many, and each asks for little.
const MAP_ROUNDS: usize = 20;

/// Gives cases behind the rows [`MAP_ROUNDS`] at the most, if they ask for no other number.
pub(crate) fn with_rounds_of_maps(mut study: Study, alone: bool) -> Study {
    let rows = study.rows(alone);
    let cases = study.cases.iter_mut().enumerate();
    for (_, case) in cases.filter(|(place, _)| !rows.contains(place)) {
        case.max_rounds.get_or_insert(MAP_ROUNDS);
    }
    study
}
