//! Flows and pages by memory nodes, on whatever nodes this machine has.

use flow::{MemoryPolicy, Placement};
use machine::Machine;

use super::common::{Home, Run, labels};

/// A short run into `out`.
fn short(home: &Home, flag: &str) -> Run {
    home.run(&format!("primes -b 1000 --rounds 1 --out out {flag}"))
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
        let line =
            format!(r#"exec "{command}" true --memory-policy {policy} --rounds 1 --out out"#);
        home.run(&line).answered();
        let variants = home.case().variants;
        let mut failures = variants.iter().map(|variant| &variant.failures);
        assert!(failures.all(Vec::is_empty), "{policy}");
    }
}

#[test]
fn each_memory_policy_is_a_variant_and_one_node_is_said_to_make_them_the_same() {
    let Ok(nodes) = MemoryPolicy::nodes() else {
        skipped::skipped("memory policies are not to be had here");
        return;
    };
    let home = Home::new();
    short(&home, "--memory-policy local,interleave").answered();
    let results = home.results();
    let labels = labels(&results.studies[0].cases[0]);
    assert!(labels.contains(&"thread local"), "{labels:?}");
    assert!(labels.contains(&"thread interleave"), "{labels:?}");
    let mut notes = results.notes.iter();
    let said = notes.any(|note| note.contains("has no effect here"));
    assert_eq!(said, nodes == 1, "{:?}", results.notes);
}

#[test]
fn flows_by_memory_node_are_refused_where_there_is_one() {
    let home = Home::new();
    let run = short(&home, "--placement numa");
    match Placement::Numa.resolve(&lab::cpus(&Machine::read())) {
        Ok(_) => {
            run.answered();
        }
        Err(_) => run.refused(2, &["fewer than two nodes", "use cores"]),
    }
}
