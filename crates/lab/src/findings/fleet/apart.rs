//! By what machines differ: the traits (kernel, CPU model, threads per core, memory nodes, limits,
//! noise) that separate their ratios. Each trait sorts the machines into groups; many numbers are
//! halved at their median; traits that sort alike are named together. A grouping is held against
//! shuffled ones ([`stats::grouping()`]), by Bonferroni over all. A trait need not be the *cause*.

use serde::{Deserialize, Serialize};

use super::{Node, OnMachine};
use crate::data::gathered::grouped;
use crate::data::number::{plain, significant};
use crate::data::words::{listed, percent};

/// Up to this number of values, each is a group.
const FEW_VALUES: usize = 4;

/// Constant: the same fleet has the same answer.
const SEED: u64 = 1935;

/// Traits that separate machines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SetApart {
    /// Traits that sort the machines alike.
    pub traits: Vec<String>,
    /// Their share of the spread, 0 to 1.
    pub share: f64,
    /// The p-value, adjusted for the number of groupings.
    pub p_value: f64,
    /// Each group by its values, with its mean ratio and its number of machines.
    pub groups: Vec<(String, f64, usize)>,
}

impl SetApart {
    /// `kernel separates the machines (92 % of the spread): 6.1 …, 6.18 …`.
    #[must_use]
    pub fn in_words(&self) -> String {
        let verb = match self.traits.len() {
            1 => "separates the machines",
            _ => "separate the machines alike, and cannot be distinguished here",
        };
        let groups = self.groups.iter();
        let groups = groups
            .map(|(value, ratio, count)| format!("{value}: {} on {count}", significant(*ratio)));
        format!(
            "{} {verb} ({} of the spread; ratios of time: {})",
            listed(&self.traits),
            percent(self.share),
            groups.collect::<Vec<_>>().join(", ")
        )
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Sorted {
    groups: Vec<usize>,
    values: Vec<String>,
}

pub(super) fn set_apart(nodes: &[Node], each: &[OnMachine]) -> Vec<SetApart> {
    let with = each.iter().filter_map(|on| {
        let ratio = on.finding.estimate?.ratio;
        Some((on, ratio.ln()))
    });
    let (on, logs): (Vec<&OnMachine>, Vec<f64>) = with.unzip();
    let all = all(nodes, &on).into_iter();
    let sorted = grouped(all.map(|(name, one)| (one.groups, (name, one.values))));
    let groupings = sorted.len() as f64;
    let judged = sorted.into_iter().filter_map(|(groups, alike)| {
        let most = stats::MACHINES_ALPHA / groupings;
        let found = stats::grouping(&logs, &groups, most, SEED)?;
        let (traits, values): (Vec<String>, Vec<Vec<String>>) = alike.into_iter().unzip();
        Some(SetApart {
            groups: means(&groups, values.first()?, &logs),
            share: found.share,
            traits,
            p_value: found.p_value * groupings,
        })
    });
    let mut judged: Vec<SetApart> = judged.collect();
    judged.sort_by(|a, b| b.share.total_cmp(&a.share));
    judged
}

fn all(nodes: &[Node], on: &[&OnMachine]) -> Vec<(String, Sorted)> {
    let Some(first) = on.first() else {
        return Vec::new();
    };
    let names = nodes[first.machine].traits.iter().map(|(name, _)| name);
    let traits = names.map(|name| {
        let values = on.iter().map(|on| value(&nodes[on.machine], name));
        (name.clone(), by_text(&values.collect::<Vec<_>>()))
    });
    let noise: Option<Vec<f64>> = on.iter().map(|on| on.finding.noise).collect();
    let noise = noise.and_then(|noise| halves(&noise, percent));
    let noise = noise.map(|noise| ("noise of a round".to_owned(), noise));
    let sorts =
        |(_, one): &(String, Sorted)| one.values.len() > 1 && 2 * one.values.len() <= on.len();
    traits.chain(noise).filter(sorts).collect()
}

fn value<'a>(node: &'a Node, name: &str) -> &'a str {
    let mut traits = node.traits.iter();
    traits
        .find(|(own, _)| own == name)
        .map_or("", |(_, value)| value.as_str())
}

fn by_text(values: &[&str]) -> Sorted {
    let mut kinds = values.to_vec();
    kinds.sort_unstable();
    kinds.dedup();
    let numbers: Option<Vec<f64>> = values.iter().map(|value| value.parse().ok()).collect();
    if kinds.len() > FEW_VALUES
        && let Some(halves) = numbers.and_then(|numbers| halves(&numbers, plain))
    {
        return halves;
    }
    let place = |value: &&str| kinds.binary_search(value).unwrap_or_default();
    Sorted {
        groups: values.iter().map(place).collect(),
        values: kinds.into_iter().map(str::to_owned).collect(),
    }
}

fn halves(values: &[f64], shown: impl Fn(f64) -> String) -> Option<Sorted> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let median = *sorted.get(sorted.len().checked_sub(1)? / 2)?;
    let above = |value: &f64| usize::from(*value > median);
    let shown = shown(median);
    Some(Sorted {
        groups: values.iter().map(above).collect(),
        values: vec![format!("at most {shown}"), format!("more than {shown}")],
    })
    .filter(|sorted| sorted.groups.contains(&1))
}

fn means(groups: &[usize], values: &[String], logs: &[f64]) -> Vec<(String, f64, usize)> {
    let mean = |(group, value): (usize, &String)| {
        let own = groups.iter().zip(logs).filter(|(of, _)| **of == group);
        let own: Vec<f64> = own.map(|(_, log)| *log).collect();
        let mean = own.iter().sum::<f64>() / own.len().max(1) as f64;
        (value.clone(), mean.exp(), own.len())
    };
    values.iter().enumerate().map(mean).collect()
}
