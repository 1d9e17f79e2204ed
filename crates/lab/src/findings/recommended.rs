//! A recommendation in words: what to take, what is as good as far as the rounds tell, how flat
//! the choice is, and what the default loses.
//!
//! One is called the best only where the rounds say of each other one that it is slower. Where
//! they do not, all of those that may be the best are named together.

use stats::Verdict;

use super::CaseResult;
use super::optimum::{AtNumber, Choice, FLAT, Optimum, ratio};
use crate::data::number::{at_most, factor, factor_interval, is_small, time};
use crate::data::words::listed;

/// Fewer variants have no flatness.
const LEAST_OTHERS: usize = 2;

impl CaseResult {
    /// Which variant to take, the answer first; `None` where that is not asked of commands.
    #[must_use]
    pub fn recommended(&self) -> Option<Vec<String>> {
        let is_asked = self.case.best_of.is_some() || self.case.work.program().is_some();
        is_asked.then(|| parts(self))?
    }
}

pub(super) fn parts(case: &CaseResult) -> Option<Vec<String>> {
    let optimum = case.optimum.as_ref()?;
    if !optimum.is_told {
        return Some(vec![format!(
            "which is best is not known yet ({})",
            too_few(optimum)
        )]);
    }
    let best = optimum.best()?;
    let named = format!("{} ({})", best.label, time(best.typical_ns[1]));
    let alike: Vec<&AtNumber> = optimum.alike().collect();
    let first = match alike.as_slice() {
        [] => format!("best: {named}"),
        alike if alike.len() + 1 == optimum.numbers.len() => {
            let measured = measured(case, optimum);
            let first = measured.first().map_or("", String::as_str);
            let what = match highest(alike) {
                Some(high) if high <= FLAT => "any of them will do".to_owned(),
                _ => format!("keep the first ({first})"),
            };
            format!("no difference found between {}: {what}", listed(&measured))
        }
        alike => format!("take {named}; not known against {}", listed(&labels(alike))),
    };
    let flat = flatness(optimum, &alike);
    // Of one that is named beside the best, that has been said.
    let is_alike = |label: &String| alike.iter().any(|at| at.label == *label);
    let default = optimum.default.as_ref().filter(|label| !is_alike(label));
    let default = default.and_then(|default| {
        let at = optimum.numbers.iter().find(|at| at.label == *default)?;
        let worst = flat
            .as_ref()
            .is_some_and(|flat| flat.contains(&the_worst(default)));
        Some(of_default(at, optimum, worst))
    });
    Some([Some(first), flat, default].into_iter().flatten().collect())
}

/// Those with a figure, in the order of the case: one that failed is like no other.
fn measured(case: &CaseResult, optimum: &Optimum) -> Vec<String> {
    let has_figure = |label: &&String| optimum.numbers.iter().any(|at| at.label == **label);
    let labels = case.case.variants.iter().map(|one| &one.label);
    labels.filter(has_figure).cloned().collect()
}

/// `too few rounds: 2, and an interval takes 9`.
fn too_few(optimum: &Optimum) -> String {
    let known = optimum
        .numbers
        .iter()
        .find_map(|at| match (at.estimate, at.verdict) {
            (
                Some(estimate),
                Some(Verdict::CannotTell {
                    more_rounds: Some(more),
                }),
            ) => Some((estimate.rounds, estimate.rounds + more)),
            _ => None,
        });
    known.map_or("too few rounds".to_owned(), |(rounds, needed)| {
        format!("too few rounds: {rounds}, and an interval takes {needed}")
    })
}

/// `None` without an interval.
fn highest(all: &[&AtNumber]) -> Option<f64> {
    let high = |at: &&AtNumber| at.estimate.and_then(|estimate| estimate.high);
    let highs: Option<Vec<f64>> = all.iter().map(high).collect();
    highs?.into_iter().reduce(f64::max)
}

fn labels(all: &[&AtNumber]) -> Vec<String> {
    all.iter().map(|at| at.label.clone()).collect()
}

fn flatness(optimum: &Optimum, alike: &[&AtNumber]) -> Option<String> {
    let others: Vec<&AtNumber> = optimum
        .numbers
        .iter()
        .filter(|at| at.label != optimum.label)
        .collect();
    if others.len() < LEAST_OTHERS {
        return None;
    }
    let slower = others.iter().copied();
    let slower = slower.filter(|at| matches!(at.verdict, Some(Verdict::Slower { .. })));
    let worst = slower.max_by(|a, b| ratio(a).total_cmp(&ratio(b)));
    let all = highest(&others)?;
    if all <= FLAT {
        return Some(format!("flat: none takes more than {}", at_most(all)));
    }
    let near = highest(alike);
    let near = near.map(|high| format!("of these none takes more than {}", at_most(high)));
    let worst = worst.map(|worst| format!("{}{}", the_worst(&worst.label), takes(worst)));
    let said: Vec<String> = near.into_iter().chain(worst).collect();
    (!said.is_empty()).then(|| said.join("; "))
}

fn the_worst(label: &str) -> String {
    format!("the worst, {label}, ")
}

/// `is_worst`: how much longer it takes has been said.
fn of_default(at: &AtNumber, optimum: &Optimum, is_worst: bool) -> String {
    // Those of searches; others are named by their study.
    let is_split = at.label.parse::<flow::Model>().is_ok();
    let flows = match optimum.of {
        Choice::Numbers if at.label.starts_with("flows ") => "a flow for each CPU: ",
        Choice::Variants if is_split => "one process, a thread for each CPU: ",
        _ => "",
    };
    let loses = match at.verdict {
        None => "is this one".to_owned(),
        Some(_) if is_worst => "is that worst one".to_owned(),
        Some(Verdict::Slower { .. }) => takes(at),
        Some(_) => "is not known against it".to_owned(),
    };
    format!("the default ({flows}{}) {loses}", at.label)
}

/// `takes 1.34x as long [1.31 ... 1.37]`, `takes 0.31 % longer [0.1 ... 0.6 %]`.
pub(super) fn takes(at: &AtNumber) -> String {
    let ratio = ratio(at).max(1.0);
    let interval = at.estimate.and_then(|estimate| estimate.interval());
    let interval = interval.map_or(String::new(), |(low, high)| {
        format!(" {}", factor_interval(ratio, low, high))
    });
    match is_small(ratio) {
        true => format!("takes {} longer{interval}", factor(ratio)),
        false => format!("takes {} as long{interval}", factor(ratio)),
    }
}

#[cfg(test)]
mod tests {
    use stats::Rule;

    use super::*;
    use crate::testing::estimate;

    fn at(label: &str, ratio: f64, low: f64, high: f64) -> AtNumber {
        let estimate = estimate(ratio, low, high);
        let is_best = label == "2x4";
        AtNumber {
            flows: 8,
            label: label.to_owned(),
            typical_ns: [1e6 * ratio; 3],
            estimate: (!is_best).then_some(estimate),
            verdict: (!is_best).then(|| Rule::default().judge(&estimate)),
        }
    }

    fn optimum(numbers: Vec<AtNumber>) -> Optimum {
        Optimum {
            flows: 8,
            label: "2x4".to_owned(),
            is_told: true,
            numbers,
            of: Choice::Variants,
            default: Some("1x2".to_owned()),
        }
    }

    #[test]
    fn a_worst_one_is_named_unless_all_are_near() {
        let near = at("4x2", 1.0, 0.97, 1.04);
        let far = at("1x2", 1.5, 1.4, 1.6);
        let all = optimum(vec![at("2x4", 1.0, 1.0, 1.0), near.clone(), far.clone()]);
        let alike: Vec<&AtNumber> = all.alike().collect();
        assert_eq!(
            flatness(&all, &alike).unwrap(),
            "of these none takes more than 4.0 % longer; the worst, 1x2, takes 1.50x as long \
             [1.40x … 1.60x]"
        );
        assert_eq!(
            of_default(&far, &all, false),
            "the default (one process, a thread for each CPU: 1x2) takes 1.50x as long \
             [1.40x … 1.60x]"
        );
        assert!(of_default(&far, &all, true).ends_with("1x2) is that worst one"));
        let flat = optimum(vec![at("2x4", 1.0, 1.0, 1.0), near.clone(), near]);
        let said = flatness(&flat, &[]).unwrap();
        assert_eq!(said, "flat: none takes more than 4.0 % longer");
    }

    /// "none takes more than 1,539 % longer".
    #[test]
    fn far_more_is_said_in_times() {
        let wide = at("4x2", 1.2, 0.9, 16.3);
        let all = optimum(vec![at("2x4", 1.0, 1.0, 1.0), wide.clone(), wide.clone()]);
        let said = flatness(&all, &[&wide]).unwrap();
        assert_eq!(said, "of these none takes more than 17x as long");
    }
}
