//! The body of a package of one's own, by `cargo bench`, `cargo test` and `cargo build`.

use std::process::Command;

use crate::common::{Home, Run, results};

/// What cargo does with a package that is no part of the workspace: `words`, and what comes behind them.
fn cargo(home: &Home, program: &str, words: &str, behind: &[&str]) -> Run {
    let package = concat!(env!("CARGO_MANIFEST_DIR"), "/../body/tests/own-crate");
    let mut cargo = Command::new(env!("CARGO"));
    let cargo = cargo.args(words.split(' ')).args(["--offline", "--quiet"]);
    let cargo = cargo.args(behind).current_dir(package);
    let cargo = cargo.env("CARGO_TARGET_DIR", home.path("target"));
    Run::from(cargo.env("FLOWGAUGE", program).output().unwrap())
}

const NONE: &str = "no-such-flowgauge";
const BENCH: &str = "bench --bench models";

#[test]
fn cargo_bench_of_a_package_of_ones_own_runs_its_body() {
    let home = Home::new();
    let out = home.path("out");
    let usual = [
        "--",
        "--rounds",
        "1",
        "--budget",
        "20s",
        "--out",
        out.to_str().unwrap(),
    ];
    let run = cargo(&home, NONE, BENCH, &usual);
    assert_ne!(run.code, Some(0));
    let said = "no-such-flowgauge is not there: install flowgauge";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    let run = cargo(&home, env!("CARGO_BIN_EXE_flowgauge"), BENCH, &usual);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("digits"), "{}", run.stdout);
    let results = results(&home.path("out"));
    assert_eq!(results.studies[0].cases[0].slots.len(), 2);
    let run = cargo(&home, NONE, BENCH, &["nomatch"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let said = "no name holds 'nomatch'; there is digits";
    assert!(run.stdout.contains(said), "{}", run.stdout);
}

/// It ran the whole benchmark.
#[test]
fn cargo_test_of_all_targets_runs_a_body_once() {
    let home = Home::new();
    for (program, said) in [
        (
            NONE,
            "digits: built, and not run: no-such-flowgauge is not there",
        ),
        (env!("CARGO_BIN_EXE_flowgauge"), "digits: works"),
    ] {
        let run = cargo(&home, program, "test --all-targets", &[]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(run.stdout.contains(said), "{}{}", run.stdout, run.stderr);
    }
    let run = cargo(&home, "/bin/false", "test --bench models", &[]);
    assert!(run.stderr.contains("digits fails"), "{}", run.stderr);
    let run = cargo(&home, NONE, "build --example primes", &[]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let library = home.path("target/debug/examples/libprimes.so");
    let library = library.to_str().unwrap();
    let size = ["--ops", "2e4", "--arg", "start=1e4", "--out", "primes"];
    let run = home.run(&[&["body", library, "--rounds", "1"][..], &size].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    // Further crates would be further files to be locked.
    let lock = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../body/tests/own-crate/Cargo.lock"
    );
    let lock = std::fs::read_to_string(lock).unwrap();
    assert_eq!(
        lock.matches("[[package]]").count(),
        2,
        "the package, and the body's crate"
    );
}
