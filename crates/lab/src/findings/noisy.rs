use super::{CaseResult, StudyResult};
use crate::data::number::factor;
use crate::data::words::percent;
use crate::findings::judge::{USUAL_ROUNDS, smallest_seen, smallest_seen_in};

struct Noisy<'a> {
    study: &'a str,
    case: &'a str,
    pair: f64,
}

/// The noisiest study first; `None` if every difference that matters is visible.
pub(super) fn noise_warning(studies: &[StudyResult]) -> Option<String> {
    let mut noisy: Vec<_> = studies.iter().filter_map(noisiest).collect();
    noisy.sort_by(|a, b| b.pair.total_cmp(&a.pair));
    let cases = studies.iter().flat_map(|study| &study.cases);
    let most = |case: &CaseResult| {
        case.case
            .max_rounds
            .unwrap_or(USUAL_ROUNDS)
            .max(case.rounds)
    };
    let rounds = cases.map(most).max()?;
    let seen = |noisy: &Noisy<'_>| difference(smallest_seen_in(rounds, noisy.pair));
    let hidden = match &noisy[..] {
        [] => return None,
        [.., least] => seen(least),
    };
    let most = &noisy[0];
    let pair = percent(most.pair);
    let of = match studies {
        [_] => String::new(),
        _ => format!(": {}, {}", most.study, most.case),
    };
    let most = match noisy.len() {
        1 => String::new(),
        _ => format!("under {} in the noisiest case, where ", seen(most)),
    };
    Some(format!(
        "Noisy run: differences under {hidden} may not show in {rounds} rounds ({most}repeats varied by up to \
         {pair}{of})"
    ))
}

fn difference(more: f64) -> String {
    match more < 1.0 {
        true => percent(more),
        false => factor(1.0 + more),
    }
}

fn noisiest(result: &StudyResult) -> Option<Noisy<'_>> {
    let noisy = result.cases.iter().filter_map(|case| {
        let pair = case.noise?.pair?;
        let floor = case.findings.first()?.floor;
        (smallest_seen(pair) > floor).then_some(Noisy {
            study: &result.study.name,
            case: &case.case.name,
            pair,
        })
    });
    noisy.max_by(|a, b| a.pair.total_cmp(&b.pair))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "under 831 % in the noisiest case" was said of what takes nine times as long.
    #[test]
    fn a_difference_of_more_than_twice_is_a_factor() {
        assert_eq!(difference(0.12), "12 %");
        assert_eq!(difference(8.31), "9.31x");
    }
}
