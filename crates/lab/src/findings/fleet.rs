//! The answer over many machines (docs/fleet.md): which verdicts hold on all, on most, and which
//! flip, and by what the machines differ. Each machine's results are made from its own journal
//! ([`Node::of`]). A comparison is found by study, case, subject and reference, and counts only
//! where work and number of flows are those of most machines ([`of_one_work`]).
//! ```text
//!   journals  ─ merge ─▶  results of each  ─ Node::of ─▶  verdicts  ─ Fleet::of ─▶  the answer
//!   (any order, any cut)   (one at a time: a thousand do not fit into memory together)
//! ```
//! [`Agreement`] says whether a verdict holds ([`stats::discoveries`]), [`stats::across()`] how
//! large it is, [`apart`] by which traits machines differ. No clock of a machine orders or dates
//! anything: merged in any order, the same bytes come out ([`merge`]).

mod agreement;
mod apart;
mod comparison;
pub mod merge;
mod node;
mod side_by_side;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use stats::{Across, Verdict};

use super::paired::rule;

pub use agreement::{Agreement, Tally};
pub use apart::SetApart;
pub use comparison::Comparison;
pub use node::{Node, NodeFinding, OnMachine};
pub use side_by_side::side_by_side;

/// Version of the schema of a fleet's results.
pub const FLEET_SCHEMA: u32 = 1;

/// The results of all machines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fleet {
    /// [`FLEET_SCHEMA`] of the writer.
    pub schema: u32,
    /// The machines, by name.
    pub machines: Vec<FleetMachine>,
    /// Every comparison that at least one machine made, those that answer a study first.
    pub comparisons: Vec<Comparison>,
    /// What the reader must know.
    pub warnings: Vec<String>,
}

/// A machine of the fleet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FleetMachine {
    /// Its name in the fleet.
    pub name: String,
    /// What may set it apart.
    pub traits: Vec<(String, String)>,
    /// Whether its run ended by itself, in words.
    pub state: String,
}

impl Fleet {
    /// The answer of these machines. Their order does not matter.
    #[must_use]
    pub fn of(mut nodes: Vec<Node>) -> Self {
        nodes.sort_by(|a, b| a.name.cmp(&b.name));
        let found = found(&nodes);
        let comparisons = side_by_side(&found, |found| comparison(&nodes, found));
        let mut comparisons: Vec<Comparison> = comparisons.into_iter().flatten().collect();
        comparisons.sort_by_key(|one| !one.is_headline);
        let warnings = nodes.iter().flat_map(|node| {
            let own = node.warnings.iter();
            own.map(|warning| format!("{}: {warning}", node.name))
        });
        let warnings = versions(&nodes).into_iter().chain(warnings).collect();
        Self {
            schema: FLEET_SCHEMA,
            warnings,
            comparisons,
            machines: nodes.into_iter().map(FleetMachine::from).collect(),
        }
    }

    /// The comparisons that answer studies.
    pub fn headlines(&self) -> impl Iterator<Item = &Comparison> {
        self.comparisons.iter().filter(|one| one.is_headline)
    }
}

impl From<Node> for FleetMachine {
    fn from(node: Node) -> Self {
        Self {
            name: node.name,
            traits: node.traits,
            state: node.state,
        }
    }
}

fn versions(nodes: &[Node]) -> Option<String> {
    let mut versions: Vec<&str> = nodes.iter().map(|node| node.version.as_str()).collect();
    versions.sort_unstable();
    versions.dedup();
    (versions.len() > 1).then(|| {
        format!(
            "the machines ran several versions of flowgauge: {}",
            versions.join(", ")
        )
    })
}

fn found(nodes: &[Node]) -> Vec<Found<'_>> {
    let mut places = HashMap::new();
    let mut all: Vec<Found<'_>> = Vec::new();
    for (machine, node) in nodes.iter().enumerate() {
        for finding in &node.findings {
            let place = *places.entry(finding.key()).or_insert(all.len());
            match all.get_mut(place) {
                Some(found) if found.last().is_some_and(|(last, _)| *last == machine) => {}
                Some(found) => found.push((machine, finding)),
                None => all.push(vec![(machine, finding)]),
            }
        }
    }
    all
}

fn comparison(nodes: &[Node], found: &Found<'_>) -> Option<Comparison> {
    let (same, other) = of_one_work(found);
    let p_values: Vec<f64> = same.iter().map(|(_, finding)| finding.p()).collect();
    let discoveries = stats::discoveries(&p_values, stats::MACHINES_ALPHA);
    let level = stats::MACHINES_ALPHA * discoveries as f64 / p_values.len().max(1) as f64;
    let each: Vec<OnMachine> = same
        .iter()
        .map(|(machine, finding)| OnMachine {
            machine: *machine,
            finding: (*finding).clone(),
            established: finding.p() <= level,
        })
        .collect();
    let estimates: Vec<_> = each.iter().filter_map(|on| on.finding.estimate).collect();
    let across = stats::across(&estimates).ok();
    let (_, first) = same.first()?;
    let headlines = each.iter().filter(|on| on.finding.is_headline).count();
    let mut made = Comparison {
        study: first.study.to_string(),
        case: first.case.to_string(),
        subject: first.subject.to_string(),
        reference: first.reference.to_string(),
        metric: first.metric,
        is_headline: 2 * headlines > each.len(),
        tally: Tally::of(&each),
        agreement: Agreement::of(&each),
        verdict: verdict(across.as_ref(), &each),
        across,
        apart: apart::set_apart(nodes, &each),
        left_out: other
            .iter()
            .map(|(machine, _)| nodes[*machine].name.clone())
            .collect(),
        each,
        sentence: String::new(),
    };
    made.sentence = comparison::sentence(&made);
    Some(made)
}

fn verdict(across: Option<&Across>, each: &[OnMachine]) -> Verdict {
    let floors = each.iter().map(|on| on.finding.floor);
    let floor = floors.fold(0.0, f64::max);
    match across.filter(|across| across.mean.is_some()) {
        Some(across) => rule(floor, 1).judge(&across.mean_estimate()),
        None => Verdict::CannotTell { more_rounds: None },
    }
}

type Found<'a> = Vec<(usize, &'a NodeFinding)>;

fn of_one_work<'a>(found: &[(usize, &'a NodeFinding)]) -> (Found<'a>, Found<'a>) {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for (_, one) in found {
        *counts.entry(one.work).or_default() += 1;
    }
    // Ties are broken by the work, not by the order of machines.
    let most = counts.into_iter();
    let most = most.max_by_key(|(work, count)| (*count, std::cmp::Reverse(*work)));
    let most = most.map(|(work, _)| work);
    let is_most = |(_, one): &(usize, &NodeFinding)| Some(one.work) == most;
    found.iter().copied().partition(is_most)
}
