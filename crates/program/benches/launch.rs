//! What launching a command costs here, beside fork, exec and wait in C, as interleaved pairs.
//!
//! ```text
//! cargo bench -p program --bench launch [-- PAIRS]
//! ```
//!
//! Each pair launches `true` and `sleep 0.001` several times from a slot and from the C program
//! (`launch.c`, built by `cc`). Printed: the time that is reported of a command over that in C
//! (the error of a time), what is left of it once the slot's own launch of `true` is taken out of
//! both, and the wall time from one launch to the next, which holds everything that is done for a
//! launch and is in no time (pipes, taking up orphans, reading what was used).

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::path::Path;
use std::process::Command;

use flow::{Answer, Interrupt, Launcher, Model, SlotSpec, Variant};
use workload::Work;

/// Launches of a slot, and of the C program.
const LAUNCHES: u32 = 20;
const COMMANDS: [&str; 2] = ["/bin/true", "/bin/sleep 0.001"];

/// Medians of a slot, in ns.
struct Slot {
    reported: f64,
    of_true: f64,
    each: f64,
}

fn main() {
    if flow::is_slot_process() {
        flow::slot_process_main(Work::run);
    }
    let pairs = std::env::args().skip(1).find_map(|text| text.parse().ok());
    let folder = tempfile::tempdir().expect("a folder");
    let bare = folder.path().join("bare");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/launch.c");
    let mut compiler = Command::new("cc");
    let compiler = compiler.arg("-O2").arg("-o").arg(&bare).arg(source);
    assert!(compiler.status().expect("cc").success(), "cc failed");
    let mut launcher = Launcher::new(Interrupt::install().expect("signals"));
    compare(&mut launcher, &bare, pairs.unwrap_or(30));
}

fn compare(launcher: &mut Launcher, bare: &Path, pairs: usize) {
    println!("{pairs} interleaved pairs of {LAUNCHES} launches; medians with quartiles, in ms");
    for command in COMMANDS {
        let (mut over, mut without, mut each, mut in_c) = (vec![], vec![], vec![], vec![]);
        for pair in 0..pairs {
            let (slot, c) = match pair % 2 {
                0 => (run_slot(launcher, command), run_bare(bare, command)),
                _ => {
                    let c = run_bare(bare, command);
                    (run_slot(launcher, command), c)
                }
            };
            let truth = run_bare(bare, COMMANDS[0]);
            over.push((slot.reported - c) / 1e6);
            without.push(((slot.reported - slot.of_true) - (c - truth)) / 1e6);
            each.push(slot.each / 1e6);
            in_c.push(c / 1e6);
        }
        println!("{command}");
        show("in C", &mut in_c);
        show("reported time over C", &mut over);
        show("the same, each without its `true`", &mut without);
        show("from one launch to the next", &mut each);
    }
}

fn show(what: &str, values: &mut [f64]) {
    values.sort_by(f64::total_cmp);
    let at = |quarter: usize| values[(values.len() - 1) * quarter / 4];
    println!("  {what:34} {:.3}  [{:.3} ... {:.3}]", at(2), at(1), at(3));
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn run_bare(bare: &Path, command: &str) -> f64 {
    let mut run = Command::new(bare);
    let run = run
        .arg(LAUNCHES.to_string())
        .args(command.split_whitespace());
    let output = run.output().expect("the bare program");
    assert!(output.status.success(), "the bare program failed");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    median(text.lines().filter_map(|line| line.parse().ok()).collect())
}

fn run_slot(launcher: &mut Launcher, command: &str) -> Slot {
    let spec = |reps: u32| SlotSpec {
        reps,
        grace_s: 2.0,
        ..SlotSpec::new(
            Work::Program(Box::new(program::Program::new(command.to_owned()))),
            Variant::new(Model::Process, 1),
        )
    };
    // A slot has a fixed part: the difference of two slots is what launches add.
    let few = launcher.launch(&spec(2)).expect("launch").launch_ns;
    let outcome = launcher.launch(&spec(2 + LAUNCHES)).expect("launch");
    let Answer::Done(record) = &outcome.answer else {
        panic!("{:?}", outcome.answer)
    };
    let times = record.reps.iter().map(|rep| rep.total_ns() as f64);
    let own = record.reps[0].self_managed.as_ref().expect("counts");
    Slot {
        reported: median(times.collect()),
        of_true: own.counts["launch_of_true_ns"] as f64,
        each: outcome.launch_ns.saturating_sub(few) as f64 / f64::from(LAUNCHES),
    }
}
