//! A program that launches slots and does not ask whether it is a janitor.
//!
//! A benchmark was one. Each janitor of it was a run of its own, with a janitor: without end.

#![expect(clippy::expect_used, reason = "a test ends where something is wrong")]

use std::path::PathBuf;
use std::process::{Command, exit};

use flow::{Answer, Interrupt, Launcher, Model, SlotSpec, Variant};
use workload::primes::Method;
use workload::{Primes, Work};

/// Names the file that a janitor writes if it continues as a run.
const MARK: &str = "FLOWGAUGE_TEST_MARK";

fn main() {
    if flow::is_slot_process() {
        flow::slot_process_main(Work::run);
    }
    if skipped::is_emulated() {
        return skipped::skipped(
            "the emulator starts no slots by itself: .ci/aarch64-smoke lets the kernel",
        );
    }
    let mut launcher = Launcher::new(Interrupt::install().expect("signals"));
    match std::env::var_os(MARK).map(PathBuf::from) {
        None => starts_no_second_run(),
        Some(mark) if flow::is_janitor() => {
            std::fs::write(mark, "").expect("the mark");
            exit(1);
        }
        Some(_) => {
            let answer = launcher.launch(&slot()).expect("a slot").answer;
            assert!(matches!(answer, Answer::Done(_)), "{answer:?}");
        }
    }
}

/// The program runs a slot, which needs a janitor, and ends after it.
fn starts_no_second_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let mark = folder.path().join("mark");
    let program = std::env::current_exe().expect("this program");
    let status = Command::new(program).env(MARK, &mark).status();
    assert!(status.expect("this program").success());
    assert!(!mark.exists(), "its janitor went on as a run of its own");
}

fn slot() -> SlotSpec<Work> {
    SlotSpec {
        grace_s: 2.0,
        ..SlotSpec::new(
            Work::Primes(Primes {
                start: 1,
                block: 10_000,
                blocks: 1,
                every: 100,
                method: Method::Sieve,
            }),
            Variant::new(Model::Process, 1),
        )
    }
}
