//! The same work over more and more nodes of a job, and why a further one stops paying.
//!
//! Over n nodes work takes T(n) = p / n + s + c n: a part that is divided, one that is not, and one that grows with
//! the nodes (G. M. Amdahl, 1967, without c). So nodes x time is n T(n) = p + s n + c n²: flat where each node does its
//! part, linear where further nodes bring nothing. What it rises by with each further node is judged as other laws are.
//! A further node stops paying at the fewest nodes that no other number is shown to beat.

use std::iter::once;

use super::{Law, NODE, Point, slots, unsaid};
use crate::findings::growth::Growth;
use crate::findings::optimum::AtNumber;
use crate::findings::profile::PARTS;
use crate::findings::recommended::takes;
use crate::findings::{CaseResult, VariantSummary};

const AMOUNT: &str = "nodes x time";
const RANK: &str = "rank";

pub(super) fn strong(case: &CaseResult) -> Option<Law> {
    case.case.best_of.filter(|best_of| best_of.over_nodes)?;
    let points = points(case);
    let node_time = |point: &Point<'_>| {
        let nodes = point.workers;
        let slots: Vec<_> = slots(point).map(|(_, ns)| (nodes, nodes * ns)).collect();
        slots
    };
    let slots: Vec<(f64, f64)> = points.iter().flat_map(node_time).collect();
    let growth = Growth::through(&slots)?;
    let name = &case.case.name;
    let mut law = unsaid((name, RANK, name), &growth, &points)?;
    law.sentence = law.in_words(&growth, None, (NODE, AMOUNT));
    law.sentence.extend(pays_until(case));
    law.sentence.extend(parts(points.first(), points.last()));
    Some(law)
}

/// Each node has as many flows as the others, and the first variant has one node.
fn points(case: &CaseResult) -> Vec<Point<'_>> {
    let of_one = case
        .case
        .variants
        .first()
        .map_or(1, |one| one.variant.flows);
    let variants = case.case.variants.iter().zip(&case.variants).enumerate();
    let points = variants.map(|(place, (one, summary))| Point {
        workers: f64::from(one.variant.flows / of_one.max(1)),
        case,
        place,
        summary,
    });
    points.filter(|point| point.summary.good > 0).collect()
}

/// `None` after too few rounds.
fn pays_until(case: &CaseResult) -> Option<String> {
    let optimum = case.optimum.as_ref().filter(|optimum| optimum.is_told)?;
    let best = optimum.best()?;
    let fewest = once(best)
        .chain(optimum.alike())
        .min_by_key(|at| at.flows)?;
    let last = optimum.numbers.iter().max_by_key(|at| at.flows)?;
    let of_one = case.case.variants.first()?.variant.flows.max(1);
    let nodes = |at: &AtNumber| at.flows / of_one;
    let why = match () {
        () if fewest.flows == last.flows => {
            return Some(format!("; {} nodes beat every smaller number", nodes(last)));
        }
        () if fewest.flows == best.flows => format!("on {} it {}", nodes(last), takes(last)),
        () => format!("against {}, the fastest, it {}", nodes(best), takes(fewest)),
    };
    Some(format!(
        "; a further node stops paying at {}: {why}",
        nodes(fewest)
    ))
}

/// What flows do with more of their time on many nodes than on few.
pub(super) fn parts(few: Option<&Point<'_>>, many: Option<&Point<'_>>) -> Option<String> {
    let (few, many) = (few?, many?);
    let [of_few, of_many] = [shares(few.summary)?, shares(many.summary)?];
    let said = PARTS.iter().zip(of_few).zip(of_many);
    let said: Vec<String> = said
        .map(|(((name, _), few), many)| format!("{name} {few:.0} and {many:.0} %"))
        .collect();
    Some(format!(
        "; of a flow's time on {} and on {} nodes: {}",
        few.workers,
        many.workers,
        said.join(", ")
    ))
}

/// In percent.
fn shares(summary: &VariantSummary) -> Option<[f64; 3]> {
    let own = summary.self_managed.as_ref()?;
    let [a, b, c] = PARTS.map(|(_, count)| own.counts.get(count).copied());
    let all = [a?, b?, c?];
    let sum: f64 = all.iter().sum();
    (sum > 0.0).then(|| all.map(|part| 100.0 * part / sum))
}
