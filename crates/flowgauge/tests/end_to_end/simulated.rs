//! `--simulate`: real slots in the emulator, their accesses through a model, and refusals.

use std::fs;
use std::process::{Command, Stdio};

use super::common::{Home, Run, results};

/// Whether slots can be recorded here.
pub(super) fn is_there() -> bool {
    let mut asked = Command::new("qemu-x86_64");
    let said = asked.arg("--version").stdout(Stdio::null()).status();
    cfg!(target_arch = "x86_64") && said.is_ok()
}

fn run(home: &Home, line: &str) -> Run {
    home.run(&line.split(' ').collect::<Vec<_>>())
}

#[test]
fn flows_of_both_models_are_counted_on_the_cores_of_the_machine() {
    if !is_there() {
        return skipped::skipped("qemu-user is not installed");
    }
    let home = Home::new();
    let line = "primes -p 2 -t 2 -b 20000 --rounds 2 --simulate xeon-x5570,window=100K --out out";
    let run = run(&home, line).answered();
    home.assert_nothing_left();
    assert!(
        run.words().contains("simulated: xeon-x5570"),
        "{}",
        run.stdout
    );
    let found = results(&home.path("out"));
    let case = &found.studies[0].cases[0];
    assert_eq!(case.slots.len(), 4);
    for slot in &case.slots {
        let counted = slot.outcome.simulated.as_ref().unwrap().value().unwrap();
        let on: Vec<u32> = counted.merged.flows.iter().map(|flow| flow.on).collect();
        assert_eq!(on, [0, 2], "one flow a core");
        for flow in &counted.merged.flows {
            let counts = flow.counts;
            assert!(counts.accesses > 0 && flow.accesses >= counts.accesses);
            assert!(
                counts.l1d <= counts.accesses && counts.llc <= counts.l2 && counts.l2 <= counts.l1d
            );
            assert!(counts.walks <= counts.dtlb && counts.dtlb < counts.accesses);
        }
        assert_eq!(slot.value_ns, Some(counted.merged.time_ns));
    }
    let simulated = &found.studies[0].simulated[0];
    assert_eq!((simulated.launches, simulated.traces.len()), (2, 2));
    // Both models run the same body: what they access differs by little.
    let accesses = simulated.counts[0].ratio.unwrap();
    assert!((0.8..1.25).contains(&accesses.median), "{accesses:?}");
    for quantity in &case.quantities {
        let own = quantity.name == "time" || quantity.name.starts_with("simulated-");
        assert!(own, "{} is the emulator's", quantity.name);
    }
    let table = fs::read_to_string(home.path("out/simulated.csv")).unwrap();
    assert_eq!(table.lines().count(), 1 + simulated.counts.len());
    assert!(table.contains("simulated-dtlb-misses"), "{table}");
}

/// qemu 7.2 calls what is asked to be called at stores at loads too: constants that all threads read
/// were lines that cores took from each other.
#[test]
fn a_load_is_no_store() {
    if !is_there() {
        return skipped::skipped("qemu-user is not installed");
    }
    let home = Home::new();
    let line = "primes -t 2 -b 20000 --rounds 1 --simulate xeon-x5570,window=100K --out out";
    run(&home, line).answered();
    let found = results(&home.path("out"));
    let slot = &found.studies[0].cases[0].slots[0];
    let counted = slot.outcome.simulated.as_ref().unwrap().value().unwrap();
    let lines = counted.merged.lines;
    assert!(lines.by_several > 2 * lines.written_by_several, "{lines:?}");
}

/// A file of its own, with what cannot be in it.
#[test]
fn a_machine_that_no_model_can_be_built_from_is_refused_with_the_line() {
    let home = Home::new();
    let machines = concat!(env!("CARGO_MANIFEST_DIR"), "/../../machines");
    let good = fs::read_to_string(format!("{machines}/xeon-x5570.toml")).unwrap();
    home.write("mine.toml", &good.replacen("ways = 8", "ways = 0", 1));
    let line = 1 + good[..good.find("ways = 8").unwrap()].matches('\n').count();
    let line = format!("mine.toml, line {line}: l1d: ways = 0");
    run(&home, "primes --simulate mine.toml").refused(2, &[&line]);
    run(&home, "primes --simulate pentium").refused(2, &["no machine 'pentium'", "xeon-x5570"]);
    let pages = "primes --simulate xeon-x5570,pages=16K";
    run(&home, pages).refused(2, &["has no pages of 16K: use 4K, 2M, 4M"]);
}

#[test]
fn without_the_emulator_the_run_says_how_to_get_it() {
    let home = Home::new();
    let mut command = home.command(&["primes", "--simulate", "xeon-x5570"]);
    let run = Run::from(command.env("PATH", home.path("missing")).output().unwrap());
    run.refused(
        2,
        &["qemu-x86_64, which is not installed: apt-get install qemu-user"],
    );
}

#[test]
fn more_flows_than_the_machine_has_hardware_threads_are_refused() {
    if !is_there() {
        return skipped::skipped("qemu-user is not installed");
    }
    let home = Home::new();
    let line = "primes -p 9 -t 9 -b 1000 --simulate xeon-x5570";
    let words = "9 flows, and xeon-x5570 has 8 hardware threads";
    run(&home, line).refused(2, &["nothing of it can be simulated", words]);
}
