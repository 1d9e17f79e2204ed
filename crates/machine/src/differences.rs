use crate::Machine;
use crate::cgroup::CpuQuota;
use crate::facts::mitigations;
use crate::memory::binary;

type Trait = (&'static str, fn(&Machine) -> String);

const TRAITS: [Trait; 14] = [
    ("host", |m| m.host.to_string()),
    ("CPU model", |m| m.processor.model.to_string()),
    ("architecture", |m| m.processor.arch.clone()),
    ("virtual machine", |m| m.processor.is_virtual.to_string()),
    ("usable CPUs", |m| m.usable_cpus().to_string()),
    ("physical cores", |m| m.topology.core_count().to_string()),
    ("threads per core", |m| {
        m.topology.threads_per_core().to_string()
    }),
    ("governor", |m| m.processor.governor.to_string()),
    ("turbo", |m| m.processor.turbo.to_string()),
    ("memory", |m| {
        let total = m.memory.total.as_ref();
        total.map(|bytes| binary(*bytes)).to_string()
    }),
    ("page size", |m| m.memory.page.to_string()),
    ("transparent huge pages", |m| {
        m.memory.transparent.to_string()
    }),
    ("kernel", |m| m.kernel.release.to_string()),
    ("mitigations", |m| mitigations(m).to_string()),
];

const MORE_TRAITS: [Trait; 6] = [
    ("memory nodes", |m| {
        let nodes = m.topology.nodes.as_ref();
        nodes.map(|nodes| nodes.len()).to_string()
    }),
    ("CPU quota", |m| {
        let quota = m.allowance.quota.as_ref();
        let cpus = |quota: &Option<CpuQuota>| {
            quota
                .as_ref()
                .map_or("none".to_owned(), |quota| format!("{} CPUs", quota.cpus))
        };
        quota.map(cpus).to_string()
    }),
    ("kernel.pid_max", |m| m.limits.pid_max.to_string()),
    ("vm.max_map_count", |m| m.limits.max_map_count.to_string()),
    ("RLIMIT_NPROC", |m| m.limits.nproc.to_string()),
    ("RLIMIT_NOFILE", |m| m.limits.nofile.to_string()),
];

/// Everything that sets machines apart, by name. Not the host's name.
pub fn traits(machine: &Machine) -> Vec<(&'static str, String)> {
    let all = TRAITS.iter().skip(1).chain(&MORE_TRAITS);
    all.map(|(name, of)| (*name, of(machine))).collect()
}

/// A sentence for each difference that matters when results are compared.
pub fn differences(a: &Machine, b: &Machine) -> Vec<String> {
    let difference = |(name, of): &Trait| {
        let (a, b) = (of(a), of(b));
        (a != b).then(|| format!("{name}: {a} against {b}"))
    };
    TRAITS.iter().filter_map(difference).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, guest};

    #[test]
    fn the_same_machine_does_not_differ_from_itself() {
        assert_eq!(differences(&guest().machine(), &guest().machine()), [""; 0]);
    }

    #[test]
    fn traits_name_what_sets_machines_apart() {
        let found = traits(&guest().allowing("0").machine());
        let of = |name: &str| {
            let found = found.iter().find(|(own, _)| *own == name);
            found.map(|(_, value)| value.as_str())
        };
        assert_eq!(of("usable CPUs"), Some("1"));
        assert!(of("memory nodes").is_some() && of("RLIMIT_NOFILE").is_some());
        assert_eq!(of("host"), None);
    }

    #[test]
    fn what_differs_is_named_with_both_values() {
        let running = |guest: Fixture, release: &str| {
            let guest = guest.file("/proc/sys/kernel/osrelease", release);
            guest.machine()
        };
        let (a, b) = (
            running(guest(), "6.1"),
            running(guest().allowing("0"), "6.18"),
        );
        let expected = ["usable CPUs: 2 against 1", "kernel: 6.1 against 6.18"];
        assert_eq!(differences(&a, &b), expected);
    }
}
