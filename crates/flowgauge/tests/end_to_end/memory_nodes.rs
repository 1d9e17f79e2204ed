//! Flows and pages by memory nodes, on whatever nodes this machine has.

use flow::{MemoryPolicy, Placement};
use machine::Machine;

use super::common::{Home, results};

/// The arguments of a short run into `out`.
fn short(flag: &'static str, value: &'static str) -> [&'static str; 9] {
    [
        "primes", "-b", "1000", "--rounds", "1", "--out", "out", flag, value,
    ]
}

/// A command that a slot executes finds the policy of the slot: `/proc/self/numa_maps` names it.
#[test]
fn a_memory_policy_reaches_what_a_slot_executes() {
    if let Err(why) = MemoryPolicy::Local.check() {
        skipped::skipped(why);
        return;
    }
    if !std::path::Path::new("/proc/self/numa_maps").exists() {
        skipped::skipped("this kernel has no /proc/PID/numa_maps");
        return;
    }
    for policy in ["local", "interleave"] {
        let home = Home::new();
        let command = format!("grep -q {policy} /proc/self/numa_maps");
        let run = home.run(&[
            "exec",
            &command,
            "true",
            "--memory-policy",
            policy,
            "--rounds",
            "1",
            "--out",
            "out",
        ]);
        run.answered();
        let results = results(&home.path("out"));
        let variants = &results.studies[0].cases[0].variants;
        assert!(
            variants.iter().all(|variant| variant.failures.is_empty()),
            "{policy}"
        );
    }
}

#[test]
fn each_memory_policy_is_a_variant_and_one_node_is_said_to_make_them_the_same() {
    let Ok(nodes) = MemoryPolicy::nodes() else {
        skipped::skipped("memory policies are not to be had here");
        return;
    };
    let home = Home::new();
    home.run(&short("--memory-policy", "local,interleave"))
        .answered();
    let results = results(&home.path("out"));
    let labels: Vec<&str> = results.studies[0].cases[0]
        .case
        .variants
        .iter()
        .map(|variant| variant.label.as_str())
        .collect();
    assert!(labels.contains(&"thread local"), "{labels:?}");
    assert!(labels.contains(&"thread interleave"), "{labels:?}");
    let said = results
        .notes
        .iter()
        .any(|note| note.contains("has no effect here"));
    assert_eq!(said, nodes == 1, "{:?}", results.notes);
}

#[test]
fn flows_by_memory_node_are_refused_where_there_is_one() {
    let home = Home::new();
    let run = home.run(&short("--placement", "numa"));
    match Placement::Numa.resolve(&lab::cpus(&Machine::read())) {
        Ok(_) => {
            run.answered();
        }
        Err(_) => run.refused(2, &["fewer than two nodes", "use cores"]),
    }
}
