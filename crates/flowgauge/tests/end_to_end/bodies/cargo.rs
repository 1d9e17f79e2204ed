//! The body of a package of one's own, by `cargo bench`, `cargo test` and `cargo build`.

use std::process::Command;

use crate::common::{Arguments, Home, PROGRAM, Run, says};

/// What cargo does with a package that is no part of the workspace: `words`, and what comes behind them.
fn cargo(home: &Home, program: &str, words: &str, behind: &str) -> Run {
    let package = concat!(env!("CARGO_MANIFEST_DIR"), "/../body/tests/own-crate");
    let line = format!("{words} --offline --quiet {behind}");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(line.words()).current_dir(package);
    cargo.env("CARGO_TARGET_DIR", home.path("target"));
    Run::of(cargo.env("FLOWGAUGE", program))
}

const NONE: &str = "no-such-flowgauge";
const BENCH: &str = "bench --bench models";

#[test]
fn cargo_bench_of_a_package_of_ones_own_runs_its_body() {
    let home = Home::new();
    let out = home.path("out").display().to_string();
    let usual = format!("-- --rounds 1 --budget 20s --out {out}");
    let run = cargo(&home, NONE, BENCH, &usual);
    assert_ne!(run.code, Some(0));
    says(
        &run.stderr,
        &["no-such-flowgauge is not there: install flowgauge"],
    );
    let run = cargo(&home, PROGRAM, BENCH, &usual).answered();
    says(&run.stdout, &["digits"]);
    assert_eq!(home.case().slots.len(), 2);
    let run = cargo(&home, NONE, BENCH, "nomatch").answered();
    says(&run.stdout, &["no name holds 'nomatch'; there is digits"]);
}

/// It ran the whole benchmark.
#[test]
fn cargo_test_of_all_targets_runs_a_body_once() {
    let home = Home::new();
    let missing = "digits: built, and not run: no-such-flowgauge is not there";
    for (program, said) in [(NONE, missing), (PROGRAM, "digits: works")] {
        let run = cargo(&home, program, "test --all-targets", "").answered();
        says(&run.stdout, &[said]);
    }
    let run = cargo(&home, "/bin/false", "test --bench models", "");
    says(&run.stderr, &["digits fails"]);
    cargo(&home, NONE, "build --example primes", "").answered();
    let library = home.path("target/debug/examples/libprimes.so");
    let library = library.display();
    let size = "--ops 2e4 --arg start=1e4 --rounds 1 --out primes";
    home.run(&format!("body {library} {size}")).answered();
    // Further crates would be further files to be locked.
    let package = concat!(env!("CARGO_MANIFEST_DIR"), "/../body/tests/own-crate");
    let lock = std::fs::read_to_string(format!("{package}/Cargo.lock")).unwrap();
    let packages = lock.matches("[[package]]").count();
    assert_eq!(packages, 2, "the package, and the body's crate");
}
