//! What launching a command costs here, beside fork, exec and wait in C, as interleaved pairs.
//!
//! ```text
//! cargo bench -p flowgauge-program --bench launch [-- PAIRS [BUSY]]
//! ```
//!
//! Each pair launches `true` and sleeps of 1, 10 and 20 ms several times from a slot and from the C program
//! (`launch.c`, built by `cc`), while BUSY other processes use all the CPU time they get. Printed: the time that
//! is reported of a command over that in C from `execve` (the error of a time), what is left of it once the
//! slot's own `true` is taken out of both, the time from `clone` to `execve`, which is in no time, and
//! the wall time from one launch to the next, which holds everything that is done for a launch (pipes,
//! taking up orphans, reading what was used), beside that of fork, exec and wait in C. Then the ratio of the two longer sleeps.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use flow::{Answer, Interrupt, Launcher, Model, SlotSpec, Variant};
use workload::Work;

/// Launches of a slot, and of the C program.
const LAUNCHES: u32 = 20;
const TRUE: &str = "/bin/true";
const COMMANDS: [&str; 4] = [TRUE, "/bin/sleep 0.001", SHORT, LONG];
const SHORT: &str = "/bin/sleep 0.01";
const LONG: &str = "/bin/sleep 0.02";

/// Medians of a slot, in ns.
struct Slot {
    reported: f64,
    of_true: f64,
    launching: f64,
    each: f64,
}

/// Medians of the C program, in ns.
struct Bare {
    from_fork: f64,
    from_exec: f64,
}

/// A process that takes what CPU time it gets, until this is dropped.
struct Busy(Child);

impl Busy {
    fn new() -> Self {
        let mut command = Command::new("sh");
        let command = command.args(["-c", "while :; do :; done"]);
        let command = command.stdin(Stdio::null()).process_group(0);
        Self(command.spawn().expect("sh"))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.kill().expect("kill");
        self.0.wait().expect("wait");
    }
}

fn main() {
    if flow::is_slot_process() {
        flow::slot_process_main(Work::run);
    }
    let mut numbers = std::env::args()
        .skip(1)
        .filter_map(|text| text.parse().ok());
    let pairs = numbers.next().unwrap_or(30);
    let _busy: Vec<Busy> = (0..numbers.next().unwrap_or(0))
        .map(|_| Busy::new())
        .collect();
    let folder = tempfile::tempdir().expect("a folder");
    let bare = folder.path().join("bare");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/launch.c");
    let mut compiler = Command::new("cc");
    let compiler = compiler.arg("-O2").arg("-o").arg(&bare).arg(source);
    assert!(compiler.status().expect("cc").success(), "cc failed");
    let mut launcher = Launcher::new(Interrupt::install().expect("signals"));
    compare(&mut launcher, &bare, pairs);
}

fn compare(launcher: &mut Launcher, bare: &Path, pairs: usize) {
    println!("{pairs} interleaved pairs of {LAUNCHES} launches; medians with quartiles, in ms");
    let mut sleeps: Vec<(f64, f64)> = Vec::new();
    for command in COMMANDS {
        let [
            mut over,
            mut without,
            mut each,
            mut in_c,
            mut exec_in_c,
            mut launching,
        ] = [const { Vec::new() }; 6];
        for pair in 0..pairs {
            let (slot, c) = match pair % 2 {
                0 => (run_slot(launcher, command), run_bare(bare, command)),
                _ => {
                    let c = run_bare(bare, command);
                    (run_slot(launcher, command), c)
                }
            };
            let truth = run_bare(bare, TRUE);
            over.push((slot.reported - c.from_exec) / 1e6);
            let left = c.from_exec - truth.from_exec;
            without.push(((slot.reported - slot.of_true) - left) / 1e6);
            launching.push(slot.launching / 1e6);
            each.push(slot.each / 1e6);
            in_c.push(c.from_fork / 1e6);
            exec_in_c.push(c.from_exec / 1e6);
            if [SHORT, LONG].contains(&command) {
                sleeps.push((slot.reported, c.from_exec));
            }
        }
        println!("{command}");
        show("in C, from fork", &mut in_c);
        show("in C, from exec", &mut exec_in_c);
        show("reported time over C from exec", &mut over);
        show("the same, each without its `true`", &mut without);
        show("from clone to exec, in no time", &mut launching);
        show("from one launch to the next", &mut each);
    }
    let (short, long) = sleeps.split_at(pairs);
    let ratio = |of: fn(&(f64, f64)) -> f64| -> Vec<f64> {
        let all = long.iter().zip(short);
        all.map(|(long, short)| of(long) / of(short)).collect()
    };
    println!("{LONG} over {SHORT}");
    show("reported", &mut ratio(|pair| pair.0));
    show("in C, from exec", &mut ratio(|pair| pair.1));
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

fn run_bare(bare: &Path, command: &str) -> Bare {
    let mut run = Command::new(bare);
    let run = run
        .arg(LAUNCHES.to_string())
        .args(command.split_whitespace());
    let output = run.output().expect("the bare program");
    assert!(output.status.success(), "the bare program failed");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let column = |at: usize| {
        let words = text.lines().filter_map(|line| line.split(' ').nth(at));
        median(words.filter_map(|word| word.parse().ok()).collect())
    };
    Bare {
        from_fork: column(0),
        from_exec: column(1),
    }
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
        launching: median(record.reps.iter().filter_map(launching_ns).collect()),
        each: outcome.launch_ns.saturating_sub(few) as f64 / f64::from(LAUNCHES),
    }
}

fn launching_ns(rep: &flow::Rep) -> Option<f64> {
    let own = rep.self_managed.as_ref()?;
    Some(*own.counts.get("clone_to_execve_ns")? as f64)
}
