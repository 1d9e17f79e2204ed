//! Which variant is best, and how much it matters: of a case that asks it, of several commands of the user's own, and
//! of variants that differ in their number of flows alone.
//!
//! All pairs share a level ([`stats::Best`]). The best has the smallest typical time, unless paired rounds say that
//! another takes less; every number that no other beats is named beside it. How flat the optimum is follows from the
//! larger numbers (of variants without numbers, from all others): the bound that none exceeds is the largest upper end
//! among them. A search drops variants on its way ([`stats::Halving`]): the best is one of those that took part to the
//! end; others are compared over common rounds.

mod best;

use stats::{Best, pairs};

pub use best::{AtNumber, Choice, Optimum};
pub(super) use best::{FLAT, ratio};

use super::paired::{columns, of, rule};
use super::recommended::{self, takes};
use super::tuning_effects::is_what_if;
use super::{CaseResult, RawSlot, VariantSummary};
use crate::data::number::{percent, plain, time};
use crate::data::words::{listed, plural};
use crate::data::{Case, differ_in_flows_alone};

const NUMBERS: usize = 3;

/// Work that does not make its own flows grows with them; changes of a command are compared with it.
fn is_asked(case: &Case) -> bool {
    let several = case.variants.len() >= NUMBERS && case.work.makes_own_flows();
    let commands = || case.work.program().is_some() && !is_what_if(case);
    case.best_of.is_some() && case.variants.len() > 1
        || several && (differ_in_flows_alone(&case.variants) || commands())
}

/// `None` where that is not asked. `share` is that of a look after a number of rounds.
pub(super) fn optimum(
    case: &Case,
    variants: &[VariantSummary],
    slots: &[RawSlot],
    (floor, share): (f64, impl Fn(usize) -> f64),
) -> Option<Optimum> {
    if !is_asked(case) {
        return None;
    }
    let choice = match differ_in_flows_alone(&case.variants) {
        true => Choice::Numbers,
        false => Choice::Variants,
    };
    let typical = |at: usize| variants[at].value.map(|value| value.typical);
    let places = (0..variants.len()).filter(|&at| typical(at).is_some());
    let last = |at: usize| of(slots, at).map(|slot| slot.round).max();
    let end = places.clone().filter_map(last).max();
    // A cut round may lack any of them.
    let to_the_end = |&at: &usize| last(at).map(|round| round + 1) >= end;
    let finalists: Vec<usize> = places.clone().filter(to_the_end).collect();
    let fastest = finalists.iter().copied().min_by(|&a, &b| {
        typical(a)
            .unwrap_or(f64::MAX)
            .total_cmp(&typical(b).unwrap_or(f64::MAX))
    })?;
    let rule = rule(floor, pairs(variants.len()));
    let all = Best::at_looks(&columns(slots, variants.len()), rule, share).ok()?;
    let ratio = |best: usize, at: usize| all.pair(at, best).map(|(e, _)| e.ratio);
    let best = paired_best(&finalists, fastest, ratio);
    let mut numbers: Vec<AtNumber> = places
        .filter_map(|at| {
            let value = variants[at].value?;
            let against = (at != best).then(|| all.pair(at, best)).flatten();
            Some(AtNumber {
                flows: case.variants[at].variant.flows,
                label: variants[at].label.clone(),
                typical_ns: [value.p25, value.typical, value.p75],
                estimate: against.map(|(estimate, _)| estimate),
                verdict: against.map(|(_, verdict)| verdict),
            })
        })
        .collect();
    if choice == Choice::Numbers {
        numbers.sort_by_key(|number| number.flows);
    }
    let label = &variants[best].label;
    let default = case.best_of.and_then(|best_of| best_of.default);
    Some(Optimum {
        flows: case.variants[best].variant.flows,
        label: label.clone(),
        is_told: numbers.len() > 1 && numbers.iter().all(|at| at.label == *label || at.is_told()),
        numbers,
        of: choice,
        default: default.and_then(|at| Some(variants.get(at)?.label.clone())),
    })
}

/// Begins with `fastest`; looks at none twice, since rounds may form a ring.
fn paired_best(
    places: &[usize],
    fastest: usize,
    ratio: impl Fn(usize, usize) -> Option<f64>,
) -> usize {
    let mut seen = vec![fastest];
    loop {
        let best = seen[seen.len() - 1];
        let others = places.iter().filter(|at| !seen.contains(at));
        let faster = others
            .filter_map(|&at| Some((at, ratio(best, at)?)))
            .filter(|(_, ratio)| *ratio < 1.0)
            .min_by(|(_, a), (_, b)| a.total_cmp(b));
        match faster {
            Some((at, _)) => seen.push(at),
            None => return best,
        }
    }
}

pub(super) fn sentence(case: &CaseResult) -> Option<String> {
    let optimum = case.optimum.as_ref()?;
    if case.case.work.program().is_some() {
        let said = recommended::recommended(case)?.in_words();
        return Some(format!("{}: {said}", case.case.name));
    }
    let model = case.case.variants.first()?.variant.model.to_string();
    if !optimum.is_told {
        return Some(format!(
            "{}: the best number of {} is not known yet (too few rounds)",
            case.case.name,
            plural(&model)
        ));
    }
    let model = match optimum.flows {
        1 => model,
        _ => plural(&model),
    };
    let is_open = optimum.undecided().next().is_some();
    let mut parts = vec![format!(
        "{}: {} {} {model} ({})",
        case.case.name,
        if is_open {
            "fastest so far:"
        } else {
            "best with"
        },
        plain(optimum.flows.into()),
        time(optimum.best()?.typical_ns[1])
    )];
    let open = optimum.undecided().map(|at| plain(at.flows.into()));
    let open: Vec<String> = open.collect();
    if !open.is_empty() {
        parts.push(format!("not known against {}", listed(&open)));
    }
    let one = optimum.numbers.first();
    let one = one.filter(|at| at.flows < optimum.flows && at.is_slower());
    parts.extend(one.map(|one| format!("{} {}", plain(one.flows.into()), takes(one))));
    parts.extend(optimum.worst_above().map(|worst| above(optimum, worst)));
    Some(parts.join("; "))
}

fn above(optimum: &Optimum, worst: &AtNumber) -> String {
    let most = optimum.numbers.last().map_or(worst.flows, |at| at.flows);
    let interval = worst.estimate.and_then(|estimate| estimate.interval());
    let up_to = plain(most.into());
    let flat = optimum.highest_above().filter(|high| *high <= FLAT);
    if let Some(high) = flat.filter(|_| interval.is_some()) {
        let longer = percent((high - 1.0).max(0.0));
        return format!("flat from there on: up to {up_to} none takes more than {longer} longer");
    }
    let said = match interval {
        _ if ratio(worst) <= FLAT => "nearly flat from there on:",
        Some((low, _)) if low <= 1.0 => "whether too many cost time is not known: of those",
        _ => "too many cost time: of those",
    };
    let (flows, takes) = (plain(worst.flows.into()), takes(worst));
    format!("{said} up to {up_to} the worst, {flows}, {takes}")
}

#[cfg(test)]
mod tests {
    use stats::Rule;

    use super::*;
    use crate::findings::testing::has;
    use crate::testing::estimate;

    fn at(flows: u32, ratio: f64, low: f64, high: f64) -> AtNumber {
        let estimate = estimate(ratio, low, high);
        AtNumber {
            flows,
            label: flows.to_string(),
            typical_ns: [ratio; 3],
            estimate: (flows != 4).then_some(estimate),
            verdict: (flows != 4).then(|| Rule::default().judge(&estimate)),
        }
    }

    /// The upper end was that of the number with the largest ratio.
    #[test]
    fn none_takes_longer_than_the_largest_upper_end() {
        let optimum = Optimum {
            flows: 4,
            label: "4".to_owned(),
            of: Choice::Numbers,
            default: None,
            is_told: true,
            numbers: vec![
                at(4, 1.0, 1.0, 1.0),
                at(8, 1.02, 1.01, 1.022),
                at(16, 1.01, 0.98, 1.045),
            ],
        };
        let worst = optimum.worst_above().unwrap();
        assert_eq!(worst.flows, 8);
        let said = above(&optimum, worst);
        has(&said, "none takes more than 4.5 % longer");
    }
}
