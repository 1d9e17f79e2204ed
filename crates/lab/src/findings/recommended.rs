//! A recommendation in words: what to take, what is as good as far as the rounds tell, how flat the
//! choice is, and what the default loses. All of those that may be the best are named together.

use stats::Verdict;

use super::CaseResult;
use super::optimum::{AtNumber, Choice, FLAT, Optimum, ratio};
use crate::data::number::{at_most, factor, factor_interval, is_small, time};
use crate::data::words::listed;

const LEAST_OTHERS: usize = 2;

/// A recommendation, in words.
#[derive(Debug)]
pub struct Recommended {
    /// `best: 1 worker (10.2 ms)`, or those of which none was shown to be better.
    pub take: String,
    /// What it is better than: the default, else the next one.
    pub against: Option<String>,
    /// What else the choice costs.
    pub besides: Option<String>,
}

impl Recommended {
    fn nothing_but(take: String) -> Self {
        Self {
            take,
            against: None,
            besides: None,
        }
    }

    pub(super) fn in_words(self) -> String {
        let parts = [Some(self.take), self.against, self.besides];
        parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}

impl CaseResult {
    /// Which variant to take; `None` where that is not asked of commands.
    #[must_use]
    pub fn recommended(&self) -> Option<Recommended> {
        let is_asked = self.case.best_of.is_some() || self.case.work.program().is_some();
        is_asked.then(|| recommended(self))?
    }
}

pub(super) fn recommended(case: &CaseResult) -> Option<Recommended> {
    let optimum = case.optimum.as_ref()?;
    if !optimum.is_told {
        let why = too_few(optimum);
        let take = format!("which is best is not known yet ({why})");
        return Some(Recommended::nothing_but(take));
    }
    let best = optimum.best()?;
    let alike: Vec<&AtNumber> = optimum.alike().collect();
    let take = match alike.as_slice() {
        [] => format!("best: {}{}", valued(best), if_default(optimum, best)),
        alike => between(case, optimum, best, alike),
    };
    let is_named = |at: &AtNumber| at.label == best.label || is_among(&alike, at);
    let others: Vec<&AtNumber> = optimum.numbers.iter().filter(|at| !is_named(at)).collect();
    let default = others.iter().find(|at| is_default(optimum, at));
    let next = || others.iter().min_by(|a, b| ratio(a).total_cmp(&ratio(b)));
    let named = default.or_else(|| next().filter(|_| alike.is_empty()));
    let against = named.map(|at| match is_default(optimum, at) {
        true => of_default(at, optimum),
        false => format!("the next, {}, {}", at.label, takes(at)),
    });
    Some(Recommended {
        take,
        against,
        besides: flatness(optimum, &alike, named.copied()),
    })
}

fn is_among(all: &[&AtNumber], at: &AtNumber) -> bool {
    all.iter().any(|one| one.label == at.label)
}

fn is_default(optimum: &Optimum, at: &AtNumber) -> bool {
    optimum.default.as_ref() == Some(&at.label)
}

fn valued(at: &AtNumber) -> String {
    format!("{} ({})", at.label, time(at.typical_ns[1]))
}

fn if_default(optimum: &Optimum, at: &AtNumber) -> &'static str {
    match is_default(optimum, at) {
        true => ", the default",
        false => "",
    }
}

/// Of several none of which was shown to be better: the default, where it is one of them.
fn between(case: &CaseResult, optimum: &Optimum, best: &AtNumber, alike: &[&AtNumber]) -> String {
    let mut group = vec![best];
    group.extend(alike);
    group.sort_by_key(|at| case.place(&at.label));
    let named: Vec<String> = group.iter().map(|at| valued(at)).collect();
    let found = format!("no difference found between {}", listed(&named));
    let high = highest(alike);
    if group.len() == optimum.numbers.len() && high.is_some_and(|high| high <= FLAT) {
        return format!("{found}: any of them will do");
    }
    match group.iter().find(|at| is_default(optimum, at)) {
        Some(default) => format!("{found}: keep {}, the default", default.label),
        None if group.len() == optimum.numbers.len() => {
            format!("{found}: keep {}, the first", group[0].label)
        }
        None => match high.filter(|high| *high <= FAR) {
            Some(high) => format!("{found}: none takes more than {}", at_most(high)),
            None => found,
        },
    }
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

fn highest(all: &[&AtNumber]) -> Option<f64> {
    let high = |at: &&AtNumber| at.estimate.and_then(|estimate| estimate.high);
    let highs: Option<Vec<f64>> = all.iter().map(high).collect();
    highs?.into_iter().reduce(f64::max)
}

/// A bound beyond which it says nothing of what it bounds.
const FAR: f64 = 2.0;

/// How much of the choice matters; of `named` that has been said.
fn flatness(optimum: &Optimum, alike: &[&AtNumber], named: Option<&AtNumber>) -> Option<String> {
    let others: Vec<&AtNumber> = optimum
        .numbers
        .iter()
        .filter(|at| at.label != optimum.label)
        .collect();
    if others.len() < LEAST_OTHERS {
        return None;
    }
    let all = highest(&others)?;
    if all <= FLAT {
        let is_said = alike.len() == others.len();
        return (!is_said).then(|| format!("flat: none takes more than {}", at_most(all)));
    }
    let slower = others.iter().copied().filter(|at| at.is_slower());
    let worst = slower.max_by(|a, b| ratio(a).total_cmp(&ratio(b)))?;
    let is_named = named.is_some_and(|named| named.label == worst.label);
    (!is_named).then(|| format!("the worst, {}, {}", worst.label, takes(worst)))
}

fn of_default(at: &AtNumber, optimum: &Optimum) -> String {
    // Those of searches; others are named by their study.
    let is_split = at.label.parse::<flow::Model>().is_ok();
    let flows = match optimum.of {
        Choice::Numbers if at.label.starts_with("flows ") => "a flow for each CPU: ",
        Choice::Variants if is_split => "one process, a thread for each CPU: ",
        _ => "",
    };
    format!("the default ({flows}{}) {}", at.label, takes(at))
}

/// `takes 1.34x as long [1.31 ... 1.37]`, `takes 0.31 % longer [0.1 ... 0.6 %]`.
pub(super) fn takes(at: &AtNumber) -> String {
    let ratio = ratio(at).max(1.0);
    let interval = at.estimate.and_then(|estimate| estimate.interval());
    let interval = interval.map_or(String::new(), |(low, high)| {
        format!(" {}", factor_interval(ratio, low, high))
    });
    let word = if is_small(ratio) { "longer" } else { "as long" };
    format!("takes {} {word}{interval}", factor(ratio))
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

    fn flat(optimum: &Optimum) -> Option<String> {
        let alike: Vec<&AtNumber> = optimum.alike().collect();
        flatness(optimum, &alike, None)
    }

    #[test]
    fn a_worst_one_is_named_unless_all_are_near() {
        let near = at("4x2", 1.0, 0.97, 1.04);
        let far = at("1x2", 1.5, 1.4, 1.6);
        let all = optimum(vec![at("2x4", 1.0, 1.0, 1.0), near.clone(), far.clone()]);
        assert_eq!(
            flat(&all).unwrap(),
            "the worst, 1x2, takes 1.50x as long [1.40x … 1.60x]"
        );
        assert_eq!(
            of_default(&far, &all),
            "the default (one process, a thread for each CPU: 1x2) takes 1.50x as long \
             [1.40x … 1.60x]"
        );
        assert_eq!(flatness(&all, &[&near], Some(&far)), None);
        let same = at("8x1", 1.03, 1.02, 1.04);
        let all = optimum(vec![at("2x4", 1.0, 1.0, 1.0), near, same]);
        assert_eq!(
            flat(&all).unwrap(),
            "flat: none takes more than 4.0 % longer"
        );
    }
}
