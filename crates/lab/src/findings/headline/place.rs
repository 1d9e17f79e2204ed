use crate::data::Study;

/// Depends on the numbers of rounds alone: chosen before anything is judged.
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

/// An interval of one comparison needs as many.
const TELLING: usize = 7;
