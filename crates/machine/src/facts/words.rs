use measure::Measured;

use super::{Fact, fact};
use crate::cgroup::GroupLimit;
use crate::memory::binary;
use crate::topology::{Cache, Node, Topology};
use crate::{Machine, cpulist};

pub(super) fn by_core(topology: &Topology) -> String {
    let lists = topology.cores().map(|cpu| cpulist::format(&cpu.siblings));
    Vec::from_iter(lists).join(" ")
}

pub(super) fn kinds_of(caches: &[Cache]) -> Vec<&[Cache]> {
    let of = |cache: &Cache| (cache.level, cache.bytes, cache.cpus.len());
    caches
        .chunk_by(|a, b| a.kind == b.kind && of(a) == of(b))
        .collect()
}

pub(super) fn cache(kind: &[Cache]) -> Fact {
    let one = &kind[0];
    let bytes = one.bytes.map_or("size unknown".to_owned(), binary);
    let note = match one.cpus.len() {
        1 => "each for one CPU".to_owned(),
        n => format!("each shared by {n} CPUs"),
    };
    fact(
        format!("L{} {}", one.level, one.kind.to_lowercase()),
        format!("{} of {bytes}", kind.len()),
        note,
    )
}

impl Node {
    pub(super) fn fact(&self) -> Fact {
        let bytes = self.bytes.map_or("size unknown".to_owned(), binary);
        let value = format!("{bytes}, CPUs {}", cpulist::format(&self.cpus));
        fact(format!("node {}", self.id), value, "")
    }
}

pub(super) fn listed<T>(name: &str, all: &Measured<Vec<T>>, row: impl Fn(&T) -> Fact) -> Vec<Fact> {
    match all {
        Measured::Value(all) => all.iter().map(row).collect(),
        Measured::NotAvailable { .. } => vec![fact(name, all.as_ref().map(|_| ""), "")],
    }
}

pub(super) fn group_limits(
    name: &str,
    limits: &Measured<Vec<GroupLimit>>,
    show: impl Fn(u64) -> String,
) -> Vec<Fact> {
    if limits.value().is_some_and(Vec::is_empty) {
        return vec![fact(name, "none", "")];
    }
    listed(name, limits, |limit| {
        fact(
            &limit.file,
            show(limit.max),
            format!("{} used", show(limit.current)),
        )
    })
}

pub(crate) fn mitigations(machine: &Machine) -> Measured<String> {
    machine.kernel.mitigations.as_ref().map(|all| {
        let concerning = all.iter().filter(|mitigation| mitigation.concerns());
        let texts = concerning.map(|m| format!("{}: {}", m.flaw, m.state));
        match Vec::from_iter(texts).join("; ") {
            none if none.is_empty() => "none needed".to_owned(),
            texts => texts,
        }
    })
}

pub(super) fn yes(value: &Measured<bool>) -> Measured<&'static str> {
    value.as_ref().map(|yes| if *yes { "yes" } else { "no" })
}
