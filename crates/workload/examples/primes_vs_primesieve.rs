//! The three methods beside each other, and the sieve beside primesieve.
//!
//! ```text
//! cargo run --release -p flowgauge-workload --example primes_vs_primesieve [PAIRS]
//! ```
//!
//! Against primesieve each side is a whole process with one thread that counts
//! the primes of a range and prints the number: this program starts itself for
//! its side. The two runs of a pair follow each other directly, in random order,
//! and what is reported is the median of the ratios of the pairs with their
//! quartiles and extremes, so that a machine that gets slower or busier in
//! between hits both sides. Because process start-up is a good part of a run of
//! two milliseconds, and differs (primesieve loads the C++ library), the ratio
//! is given a second time net of it: each side less its own median time for an
//! empty range. Counts that differ end the run.

#![allow(clippy::print_stdout, reason = "a program whose purpose is to print")]

mod spread;

use std::error::Error;
use std::hint::black_box;
use std::ops::Range;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use spread::Spread;
use workload::primes::{Method, Searcher};

type Outcome<T> = Result<T, Box<dyn Error>>;

const RANGES: [Range<u64>; 6] = [
    10_000_001..60_000_002,
    1_000_000_000..2_000_000_001,
    100_000_000_000..101_000_000_001,
    1_000_000_000_000..1_001_000_000_001,
    100_000_000_000_000..100_002_000_000_001,
    10_000_000_000_000_000..10_000_004_000_000_001,
];

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [] => compare(21),
        [pairs] => compare(pairs.parse()?),
        [start, end] => {
            let (start, end) = (start.parse()?, end.parse()?);
            println!("{}", Searcher::new(Method::Sieve, end).count(start..end));
            Ok(())
        }
        _ => Err("usage: primes_vs_primesieve [PAIRS]".into()),
    }
}

fn compare(pairs: usize) -> Outcome<()> {
    println!("medians (quartiles, extremes)");
    methods();
    blocks(pairs);
    chunks(pairs);
    emission(pairs);
    workers(pairs);
    println!("\nSieve against primesieve, whole processes of one thread, {pairs} pairs");
    if run(&mut theirs(&(0..10))).is_err() {
        println!("  not available: primesieve is not installed");
        println!("  to enable it: apt install primesieve (Debian, Ubuntu),");
        println!("  brew install primesieve (macOS), or https://github.com/kimwalisch/primesieve");
        return Ok(());
    }
    let (idle_ours, idle_theirs) = (idle(ours)?, idle(|range| Ok(theirs(range)))?);
    println!(
        "  start-up: ours {:.2} ms, theirs {:.2} ms",
        idle_ours * 1e3,
        idle_theirs * 1e3
    );
    for range in RANGES {
        against_primesieve(&range, pairs, (idle_ours, idle_theirs))?;
    }
    Ok(())
}

/// What a number costs by each method in each of the five blocks of the study.
fn methods() {
    println!("ns per number at the start of the five blocks of the study");
    for (method, numbers) in Method::ALL.into_iter().zip([100_000, 400_000, 10_000_000]) {
        print!("  {method:<12}");
        for block in 1..=5_u64 {
            let start = block * 10_000_000 + 1;
            let mut searcher = Searcher::new(method, start + numbers);
            let times = (0..7).map(|_| time(|| searcher.count(start..start + numbers)));
            let ns = Spread::of(times).median() * 1e9 / numbers as f64;
            print!(" {ns:9.3}");
        }
        println!();
    }
}

/// What a call costs that searches only a small block.
fn blocks(pairs: usize) {
    println!("\nSieve, small blocks, microseconds a block");
    for start in [10_000_000, 1_000_000_000] {
        for block in [1_000, 10_000, 100_000] {
            let end = start + 200 * block;
            let mut searcher = Searcher::new(Method::Sieve, end);
            let mut pass = || -> u64 {
                let starts = (start..end).step_by(block as usize);
                starts.map(|at| searcher.count(at..at + block)).sum()
            };
            let spread = Spread::of((0..pairs).map(|_| time(&mut pass) / 200.0 * 1e6));
            println!("  {block:>7} numbers from {start}: {spread}");
        }
    }
}

/// What the size of a chunk does.
fn chunks(pairs: usize) {
    println!("\nSieve, chunks of other sizes, ratio to the default of 32 KiB");
    let range = RANGES[1].start..RANGES[1].start + 200_000_000;
    let mut default = Searcher::new(Method::Sieve, range.end);
    for kib in [16, 24, 40, 48, 64] {
        let mut searcher = Searcher::sieve_with_chunk(range.end, kib << 10);
        let ratios = (0..pairs).map(|_| {
            let by_default = time(|| default.count(range.clone()));
            time(|| searcher.count(range.clone())) / by_default
        });
        println!("  {kib} KiB: {}", Spread::of(ratios));
    }
}

/// What passing on every 1,000th prime adds to counting.
fn emission(pairs: usize) {
    println!("\nSieve, every 1,000th prime emitted, ratio to counting alone");
    for range in [RANGES[0].clone(), RANGES[1].clone()] {
        let mut searcher = Searcher::new(Method::Sieve, range.end);
        let ratios = (0..pairs).map(|_| {
            let counting = time(|| searcher.count(range.clone()));
            time(|| searcher.search(range.clone(), 1_000, |o, p| _ = black_box((o, p)))) / counting
        });
        println!("  {range:?}: {}", Spread::of(ratios));
    }
}

/// How much faster two workers are that take blocks from one queue.
fn workers(pairs: usize) {
    let range = RANGES[1].clone();
    println!("\nSieve, two workers against one, blocks of 10^7 from a queue, {range:?}");
    let ratios = (0..pairs).map(|_| {
        let one = time(|| queue(&range, 1));
        one / time(|| queue(&range, 2))
    });
    println!("  speed-up {}", Spread::of(ratios));
}

fn queue(range: &Range<u64>, workers: usize) -> u64 {
    const BLOCK: u64 = 10_000_000;
    let next = AtomicU64::new(range.start);
    let work = || {
        let mut searcher = Searcher::new(Method::Sieve, range.end);
        let blocks = std::iter::from_fn(|| {
            let start = next.fetch_add(BLOCK, Ordering::Relaxed);
            (start < range.end).then(|| start..range.end.min(start + BLOCK))
        });
        blocks.map(|block| searcher.count(block)).sum::<u64>()
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_default())
            .sum()
    })
}

fn against_primesieve(range: &Range<u64>, pairs: usize, idle: (f64, f64)) -> Outcome<()> {
    let (mut our_times, mut their_times) = (Vec::new(), Vec::new());
    for pair in 0..pairs as u64 {
        // A bit of a multiplicative hash: an order without a period.
        let ours_first = pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40 & 1 == 0;
        for ours_now in [ours_first, !ours_first] {
            let (mut command, times) = if ours_now {
                (ours(range)?, &mut our_times)
            } else {
                (theirs(range), &mut their_times)
            };
            times.push(run(&mut command)?);
        }
    }
    let mut all = our_times.iter().chain(&their_times);
    if all.any(|(count, _)| *count != our_times[0].0) {
        return Err(format!("counts differ in {range:?}").into());
    }
    let pairs = || {
        let both = our_times.iter().zip(&their_times);
        both.map(|((_, ours), (_, theirs))| (ours, theirs))
    };
    let net = pairs().map(|(ours, theirs)| (ours - idle.0) / (theirs - idle.1));
    println!("  {range:?}: {} primes", our_times[0].0);
    let ratio = pairs().map(|(ours, theirs)| ours / theirs);
    println!("    ours   {} ms", Spread::of(pairs().map(|p| p.0 * 1e3)));
    println!("    theirs {} ms", Spread::of(pairs().map(|p| p.1 * 1e3)));
    println!("    ratio  {}", Spread::of(ratio));
    println!("    net    {}", Spread::of(net));
    Ok(())
}

fn ours(range: &Range<u64>) -> Outcome<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args([range.start.to_string(), range.end.to_string()]);
    Ok(command)
}

fn theirs(range: &Range<u64>) -> Command {
    let mut command = Command::new("primesieve");
    let last = range.end - 1;
    command
        .args([range.start.to_string(), last.to_string()])
        .args(["--threads=1", "--quiet"]);
    command
}

/// The median time of a process that has next to nothing to count.
fn idle(command: impl Fn(&Range<u64>) -> Outcome<Command>) -> Outcome<f64> {
    let times: Outcome<Vec<f64>> = (0..51)
        .map(|_| Ok(run(&mut command(&(0..10))?)?.1))
        .collect();
    Ok(Spread::of(times?).median())
}

/// What a process printed, and the seconds it took.
fn run(command: &mut Command) -> Outcome<(u64, f64)> {
    let start = Instant::now();
    let output = command.output()?;
    let seconds = start.elapsed().as_secs_f64();
    Ok((String::from_utf8(output.stdout)?.trim().parse()?, seconds))
}

fn time<T>(work: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    black_box(work());
    start.elapsed().as_secs_f64()
}
