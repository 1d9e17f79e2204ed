//! The machine as a listing, from which the terminal, CSV and HTML are made.

use std::fmt::Display;

use measure::Measured;
use serde::{Deserialize, Serialize};

use crate::cgroup::GroupLimit;
use crate::counters::Counter;
use crate::limits::Bound;
use crate::topology::{Cache, Cpu, Node};
use crate::{Ceiling, FlowKind, Machine, cpulist};

/// Facts that belong together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Heading.
    pub title: String,
    /// The facts, in order.
    pub rows: Vec<Fact>,
}

/// A row of the listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// What it is.
    pub name: String,
    /// How it is here, with its unit; or `not available: reason (remedy)`.
    pub value: String,
    /// What it means; empty when that is plain.
    pub note: String,
}

fn fact(name: impl Into<String>, value: impl Display, note: impl Into<String>) -> Fact {
    Fact {
        name: name.into(),
        value: value.to_string(),
        note: note.into(),
    }
}

impl Machine {
    /// Everything, in groups.
    pub fn facts(&self) -> Vec<Group> {
        let group = |title: &str, rows| Group {
            title: title.to_owned(),
            rows,
        };
        vec![
            group("Machine", self.machine_facts()),
            group("CPUs", self.cpu_facts()),
            group("Caches and nodes", self.cache_facts()),
            group("Memory", self.memory_facts()),
            group("Limits", self.limit_facts()),
            group("Room for idle flows", self.ceiling_facts()),
            group("Counters", self.counter_facts()),
        ]
    }

    fn machine_facts(&self) -> Vec<Fact> {
        let (processor, kernel) = (&self.processor, &self.kernel);
        let cost = &kernel.clock_cost;
        vec![
            fact("host", &self.host, ""),
            fact("kernel", &kernel.release, ""),
            fact("distribution", &kernel.distribution, ""),
            fact(
                "virtual machine",
                yes(&processor.is_virtual),
                "noise may come from other guests",
            ),
            fact(
                "mitigations",
                mitigations(self),
                "they make system calls and switches dearer",
            ),
            fact(
                "clock source",
                &kernel.clock,
                "tsc is read without a system call",
            ),
            fact("clock sources to choose", &kernel.clocks, ""),
            fact(
                "clock",
                format!(
                    "{:.0} ns a reading, steps of {} ns",
                    cost.read_ns, cost.step_ns
                ),
                cost.warning().unwrap_or_default(),
            ),
        ]
    }

    fn cpu_facts(&self) -> Vec<Fact> {
        let (processor, topology) = (&self.processor, &self.topology);
        let online: Vec<_> = topology.cpus.iter().map(|cpu| cpu.id).collect();
        let quota = self.allowance.quota.as_ref().map(|quota| match quota {
            Some(quota) => format!("{} CPUs, by {}", quota.cpus, quota.group),
            None => "none".to_owned(),
        });
        let mut facts = vec![
            fact("model", &processor.model, ""),
            fact("vendor", &processor.vendor, ""),
            fact("architecture", &processor.arch, ""),
            fact(
                "clock speed",
                processor.mhz.as_ref().map(|mhz| format!("{mhz:.0} MHz")),
                "",
            ),
            fact("governor", &processor.governor, ""),
            fact("turbo", yes(&processor.turbo), ""),
            fact("packages", topology.package_count(), ""),
            fact("physical cores", topology.core_count(), self.core_note()),
            fact("threads per core", topology.threads_per_core(), ""),
            fact("CPUs online", cpulist::format(&online), ""),
            fact(
                "CPUs allowed",
                cpulist::format(self.allowed()),
                "by the affinity mask",
            ),
            fact(
                "CPU quota",
                quota,
                "time that may be used, on whatever CPUs",
            ),
            fact(
                "usable CPUs",
                self.usable_cpus(),
                "flows that can compute all the time",
            ),
        ];
        facts.extend(topology.cpus.iter().map(Cpu::fact));
        facts
    }

    fn core_note(&self) -> &'static str {
        match (self.topology.described, self.topology.is_hybrid()) {
            (false, _) => "not described: each CPU is taken for a core",
            (true, true) => "some are faster than others",
            (true, false) => "",
        }
    }

    fn cache_facts(&self) -> Vec<Fact> {
        let mut facts = listed("caches", &self.topology.caches, Cache::fact);
        facts.extend(listed("memory nodes", &self.topology.nodes, Node::fact));
        facts
    }

    fn memory_facts(&self) -> Vec<Fact> {
        let memory = &self.memory;
        let size = |bytes: &Measured<u64>| bytes.as_ref().map(|bytes| binary(*bytes));
        let mut facts = vec![
            fact("total", size(&memory.total), ""),
            fact("available", size(&memory.available), "without swapping"),
            fact("swap", size(&memory.swap_total), ""),
            fact("swap free", size(&memory.swap_free), ""),
            fact("page", size(&memory.page), ""),
            fact("transparent huge pages", &memory.transparent, ""),
        ];
        facts.extend(memory.huge_pages.iter().map(|size| {
            let reserved = size
                .reserved
                .map_or("not told how many".into(), |n| n.to_string());
            fact(
                format!("huge pages of {}", binary(size.bytes)),
                reserved,
                "reserved",
            )
        }));
        facts.extend(group_limits(
            "memory limits of groups",
            &memory.groups,
            binary,
        ));
        facts
    }

    fn limit_facts(&self) -> Vec<Fact> {
        let limits = &self.limits;
        let stack = limits.stack.as_ref().map(|stack| match stack {
            Bound::At(bytes) => binary(*bytes),
            Bound::Unlimited => stack.to_string(),
        });
        let mut facts = vec![
            fact(
                "kernel.pid_max",
                &limits.pid_max,
                "ids of tasks end below this",
            ),
            fact(
                "kernel.threads-max",
                &limits.threads_max,
                "tasks of the whole machine",
            ),
            fact("tasks now", &limits.tasks, "on the whole machine"),
            fact(
                "vm.max_map_count",
                &limits.max_map_count,
                "mappings of one process",
            ),
            fact("mappings now", &limits.maps, "of this process"),
            fact("RLIMIT_NPROC", &limits.nproc, "tasks of one user"),
            fact("tasks of this user", &limits.user_tasks, ""),
            fact("RLIMIT_NOFILE", &limits.nofile, "open files of one process"),
            fact("RLIMIT_STACK", stack, "stack of a thread, by default"),
        ];
        facts.extend(group_limits("task limits of groups", &limits.pids, |n| {
            n.to_string()
        }));
        facts
    }

    fn ceiling_facts(&self) -> Vec<Fact> {
        let kinds = [
            ("processes", FlowKind::Process),
            ("threads", FlowKind::Thread),
        ];
        let ceiling = |(name, kind)| {
            let ceiling = self.ceiling(kind);
            let note = ceiling.value().map(|c| format!("to raise it: {}", c.raise));
            let text = |c: Ceiling| format!("{}, bounded by {} = {}", c.count, c.bites, c.value);
            fact(name, ceiling.map(text), note.unwrap_or_default())
        };
        kinds.into_iter().map(ceiling).collect()
    }

    fn counter_facts(&self) -> Vec<Fact> {
        let counters = &self.counters;
        let mut facts = vec![fact(
            "kernel.perf_event_paranoid",
            &counters.permission.paranoid,
            if counters.permission.privileged {
                "does not bind a privileged user"
            } else {
                ""
            },
        )];
        let counter = |counter: &Counter| fact(counter.event.to_string(), &counter.scope, "");
        facts.extend(counters.events.iter().map(counter));
        facts
    }
}

impl Cpu {
    fn fact(&self) -> Fact {
        let told = |n: Option<u32>| n.map_or("not told".to_owned(), |n| n.to_string());
        let value = format!("core {}, package {}", told(self.core), told(self.package));
        let note = format!("shares its core with {}", cpulist::format(&self.others()));
        fact(
            format!("CPU {}", self.id),
            value,
            if self.siblings.len() > 1 {
                note
            } else {
                String::new()
            },
        )
    }

    fn others(&self) -> Vec<u32> {
        self.siblings
            .iter()
            .copied()
            .filter(|id| *id != self.id)
            .collect()
    }
}

impl Cache {
    fn fact(&self) -> Fact {
        let bytes = self.bytes.map_or("size not told".to_owned(), binary);
        let value = format!("{bytes}, CPUs {}", cpulist::format(&self.cpus));
        fact(
            format!("L{} {}", self.level, self.kind.to_lowercase()),
            value,
            "",
        )
    }
}

impl Node {
    fn fact(&self) -> Fact {
        let bytes = self.bytes.map_or("size not told".to_owned(), binary);
        let value = format!("{bytes}, CPUs {}", cpulist::format(&self.cpus));
        fact(format!("node {}", self.id), value, "")
    }
}

/// A row for each, or the one that tells why there are none.
fn listed<T>(name: &str, all: &Measured<Vec<T>>, row: impl Fn(&T) -> Fact) -> Vec<Fact> {
    match all {
        Measured::Value(all) => all.iter().map(row).collect(),
        Measured::NotAvailable { .. } => vec![fact(name, all.as_ref().map(|_| ""), "")],
    }
}

fn group_limits(
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

/// The flaws of this CPU that the kernel acts on or leaves open.
pub(crate) fn mitigations(machine: &Machine) -> Measured<String> {
    machine.kernel.mitigations.as_ref().map(|all| {
        let concerning = all.iter().filter(|mitigation| mitigation.concerns());
        let texts: Vec<_> = concerning
            .map(|m| format!("{}: {}", m.flaw, m.state))
            .collect();
        if texts.is_empty() {
            "none needed".to_owned()
        } else {
            texts.join("; ")
        }
    })
}

fn yes(value: &Measured<bool>) -> Measured<&'static str> {
    value.as_ref().map(|yes| if *yes { "yes" } else { "no" })
}

/// `2.0 MiB`.
fn binary(bytes: u64) -> String {
    let units = [
        (1u64 << 40, "TiB"),
        (1 << 30, "GiB"),
        (1 << 20, "MiB"),
        (1 << 10, "KiB"),
    ];
    match units.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", bytes as f64 / unit as f64),
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests;
