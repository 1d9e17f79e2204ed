//! Which case answers a study, chosen before anything is judged.

use crate::data::Study;

/// The place of the case that answers a study, by the rounds that each of its cases has: chosen
/// before anything is judged.
pub(crate) fn headline_place(study: &Study, rounds: &[usize]) -> Option<usize> {
    let cases = || study.cases.iter().enumerate();
    let (named, case) = cases().find(|(_, case)| case.name == study.headline)?;
    let Some(point) = &case.sweep else {
        return Some(named);
    };
    let of_sweep = cases().filter(|(_, case)| {
        let own = case.sweep.as_ref();
        own.is_some_and(|own| own.sweep == point.sweep)
    });
    let order = |place: usize| (rounds[place] >= TELLING, place == named, rounds[place]);
    let places = of_sweep.map(|(place, _)| place);
    places.max_by_key(|&place| order(place))
}

/// Rounds that tell something: as many as an interval of one comparison needs.
const TELLING: usize = 7;
