//! What the lab itself costs: the primes body under a slot process against the same body in a
//! bare fork program and a bare pthread program, as interleaved pairs in one run.
//!
//! ```text
//! cargo bench -p flowgauge-flow --bench overhead [-- PAIRS]
//! ```
//!
//! The bare programs are this binary started with `bare-process` or `bare-thread`: they
//! create five flows, run the body, collect, and print how long the work took (from the
//! first flow's start to the last one's end, as the slot process's steady phase). Printed:
//! median of the paired ratios lab / bare with quartiles, and what a slot costs beside
//! its repetitions.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use flow::{Answer, Interrupt, Launcher, Model, Outcome, SlotSpec, Variant};
use measure::clock::now_ns;
use sys::{Pages, Shared};
use workload::primes::{Method, Searcher};
use workload::{Primes, Work};

const FLOWS: u32 = 5;

fn main() {
    if flow::is_slot_process() {
        flow::slot_process_main(Work::run);
    }
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    match arguments.first().map(String::as_str) {
        Some("bare-process") => bare(fork_all),
        Some("bare-thread") => bare(spawn_all),
        pairs => compare(pairs.and_then(|text| text.parse().ok()).unwrap_or(30)),
    }
}

fn work() -> Primes {
    Primes {
        start: 10_000_001,
        block: 200_000,
        blocks: u64::from(FLOWS),
        every: 1_000,
        method: Method::Trial,
    }
}

// ---- bare programs ---------------------------------------------------------

/// Where bare flows leave their start and end.
fn bare(run_all: fn(&[AtomicU64])) {
    let words = Shared::<(), AtomicU64>::new(2 * FLOWS as usize, Pages::WhenTouched);
    let words = words.expect("shared memory");
    run_all(words.rows());
    let stamps = |which: usize| {
        let own = words.rows().iter().skip(which).step_by(2);
        own.map(|word| word.load(Ordering::Acquire))
    };
    let first = stamps(0).min().unwrap_or(0);
    let last = stamps(1).max().unwrap_or(0);
    println!("{}", last - first);
}

fn bare_flow(words: &[AtomicU64], index: usize) {
    let work = work();
    let mut searcher = Searcher::new(work.method, work.start + work.block * work.blocks);
    let mut kept = Vec::with_capacity(64);
    words[2 * index].store(now_ns(), Ordering::Release);
    searcher.search(work.range(index as u64), work.every, |_, prime| {
        kept.push(prime)
    });
    std::hint::black_box(&kept);
    words[2 * index + 1].store(now_ns(), Ordering::Release);
}

fn fork_all(words: &[AtomicU64]) {
    let mut children = Vec::new();
    for index in 0..FLOWS as usize {
        // SAFETY: this program has one thread here; the child only computes and leaves.
        match unsafe { libc::fork() } {
            0 => {
                bare_flow(words, index);
                // SAFETY: `_exit` has no preconditions.
                unsafe { libc::_exit(0) }
            }
            child => children.push(child),
        }
    }
    for child in children {
        // SAFETY: the status is not wanted, so the pointer may be null.
        unsafe { libc::waitpid(child, std::ptr::null_mut(), 0) };
    }
}

fn spawn_all(words: &[AtomicU64]) {
    std::thread::scope(|scope| {
        for index in 0..FLOWS as usize {
            scope.spawn(move || bare_flow(words, index));
        }
    });
}

fn run_bare(mode: &str) -> f64 {
    let mut program = Command::new("/proc/self/exe");
    let program = program.arg(mode).stderr(Stdio::inherit());
    let told = program.output().expect("run the bare program");
    assert!(told.status.success());
    let text = String::from_utf8(told.stdout).expect("text");
    text.trim().parse().expect("a number of nanoseconds")
}

// ---- comparison ------------------------------------------------------------

fn compare(pairs: usize) {
    let mut launcher = Launcher::new(Interrupt::install().expect("signals"));
    println!("primes by trial division, {FLOWS} flows, {pairs} interleaved pairs");
    let mut own = Vec::new();
    for (model, mode) in [
        (Model::Process, "bare-process"),
        (Model::Thread, "bare-thread"),
    ] {
        let mut ratios = Vec::new();
        for pair in 0..pairs {
            let (lab, bare) = if pair % 2 == 0 {
                let bare = run_bare(mode);
                (run_lab(&mut launcher, model, &mut own), bare)
            } else {
                (run_lab(&mut launcher, model, &mut own), run_bare(mode))
            };
            ratios.push(lab / bare);
        }
        let [low, median, high] = quartiles(&mut ratios);
        println!("  {model:8} steady, lab / bare: {median:.4}  quartiles [{low:.4} ... {high:.4}]");
    }
    let [low, median, high] = quartiles(&mut own);
    println!("  a slot's own cost: {median:.2} ms  quartiles [{low:.2} ... {high:.2}]");
}

fn run_lab(launcher: &mut Launcher, model: Model, own_ms: &mut Vec<f64>) -> f64 {
    let variant = Variant::new(model, FLOWS);
    let spec = SlotSpec::new(Work::Primes(work()), variant);
    let Outcome {
        answer, launch_ns, ..
    } = launcher.launch(&spec).expect("launch");
    let Answer::Done(record) = answer else {
        panic!("{answer:?}")
    };
    let rep = &record.reps[0];
    own_ms.push((launch_ns - rep.total_ns()) as f64 / 1e6);
    let starts = rep.flows.iter().map(|flow| flow.start_ns);
    let ends = rep.flows.iter().map(|flow| flow.end_ns);
    (ends.max().unwrap_or(0) - starts.min().unwrap_or(0)) as f64
}

fn quartiles(values: &mut [f64]) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [1, 2, 3].map(|quarter| values[(values.len() - 1) * quarter / 4])
}
