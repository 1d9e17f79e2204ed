//! The machine as a listing, from which the terminal, CSV and HTML are made.

mod fact;
mod probe;
mod words;

use measure::Measured;

use crate::counters::Counter;
use crate::kernel::Mitigation;
use crate::limits::Bound;
use crate::memory::binary;
use crate::topology::Node;
use crate::{FlowKind, Machine, cpulist};
use fact::fact;
pub use fact::{Fact, Group};
pub(crate) use words::mitigations;
use words::{by_core, cache, group_limits, kinds_of, listed, yes};

impl Machine {
    /// Everything, in groups.
    pub fn facts(&self) -> Vec<Group> {
        let group = |title: &str, rows| Group {
            title: title.to_owned(),
            rows,
        };
        let mut groups = vec![
            group("Machine", self.machine_facts()),
            group("Mitigations", self.mitigation_facts()),
            group("CPUs", self.cpu_facts()),
            group("Caches and nodes", self.cache_facts()),
            group("Memory", self.memory_facts()),
            group("Limits", self.limit_facts()),
            group("Room for idle flows", self.ceiling_facts()),
            group("Counters", self.counter_facts()),
        ];
        if let Some(probe) = &self.probe {
            groups.push(group("What memory costs", probe::facts(probe)));
        }
        groups
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

    fn mitigation_facts(&self) -> Vec<Fact> {
        let concerning = |all: &Vec<Mitigation>| -> Vec<Mitigation> {
            all.iter().filter(|flaw| flaw.concerns()).cloned().collect()
        };
        let flaws = self.kernel.mitigations.as_ref().map(concerning);
        let mut facts = vec![fact(
            "flaws of this CPU",
            flaws.as_ref().map(|flaws| flaws.len()),
            "mitigations make system calls and switches slower",
        )];
        let rows = flaws.into_value().unwrap_or_default();
        facts.extend(rows.iter().map(|row| fact(&row.flaw, &row.state, "")));
        facts
    }

    fn cpu_facts(&self) -> Vec<Fact> {
        let (processor, topology) = (&self.processor, &self.topology);
        let online: Vec<_> = topology.ids().collect();
        let quota = self.allowance.quota.as_ref().map(|quota| match quota {
            Some(quota) => format!("{} CPUs, by {}", quota.cpus, quota.group),
            None => "none".to_owned(),
        });
        vec![
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
            fact("CPUs by core", by_core(topology), ""),
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
        ]
    }

    fn core_note(&self) -> &'static str {
        match (self.topology.described, self.topology.is_hybrid()) {
            (false, _) => "not described: each CPU is taken for a core",
            (true, true) => "some are faster than others",
            (true, false) => "",
        }
    }

    fn cache_facts(&self) -> Vec<Fact> {
        let kinds = self.topology.caches.as_ref().map(|all| kinds_of(all));
        let mut facts = listed("caches", &kinds, |kind| cache(kind));
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
                .map_or("number unknown".into(), |n| n.to_string());
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
        let in_bytes = |bound: &Bound| match bound {
            Bound::At(bytes) => binary(*bytes),
            Bound::Unlimited => bound.to_string(),
        };
        let stack = limits.stack.as_ref().map(in_bytes);
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
            fact(
                "RLIMIT_AS",
                limits.address_space.as_ref().map(in_bytes),
                "address space of one process",
            ),
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
            fact(name, &ceiling, note.unwrap_or_default())
        };
        kinds.into_iter().map(ceiling).collect()
    }

    fn counter_facts(&self) -> Vec<Fact> {
        let counters = &self.counters;
        let mut facts = vec![fact(
            "kernel.perf_event_paranoid",
            &counters.permission.paranoid,
            match counters.permission.privileged {
                true => "does not bind a privileged user",
                false => "1 or lower lets a process count itself in the kernel too",
            },
        )];
        let counter = |counter: &Counter| fact(counter.event.to_string(), &counter.scope, "");
        facts.extend(counters.events.iter().map(counter));
        facts
    }
}

#[cfg(test)]
mod tests;
