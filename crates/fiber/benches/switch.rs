//! What a yield costs against the number of flows, beside the peers.
//!
//! ```text
//! cargo bench -p flowgauge-fiber --bench switch [-- [ROUNDS] [--huge] [--only TEXT] [--part yields|creation|wakes|values]]
//! ```
//!
//! N flows on one kernel thread take turns in ring order. All peers run in every round,
//! one after the other, so that a busy machine slows all of them, and on one CPU, the last
//! that is allowed; a figure is the median over rounds of (time of all yields / their number),
//! with the lowest and the highest. Flow 0 takes the time itself, from its second turn to its
//! last, so that neither creating nor ending is in it, and no flow yields before all are there;
//! every flow returns a sum, which is checked. `--huge` adds 10,000,000 flows, also made and joined. Ratios are to
//! `fiber packed` in the same round: again the median, with the lowest and the highest.
//!
//! Each peer is in its best mode: stacks as small as it can work with, in ring order, without
//! a driver between two flows where it can do without. Some are faster than this crate, which
//! the ratios below 1 show: a coroutine without a stack keeps less.
//!
//! Then: creating, running and joining flows that return at once; and suspending all flows and
//! awakening them in random order, beside a bare loop over a line of memory for each in that order.
//!
//! Last: a number into a generator and one out, beside corosensei.
//!
//! Rust peers are development dependencies. Those of Boost, Go and Java are compiled when the
//! benchmark starts, if their libraries and compilers are there; what is not is said, with how
//! to get it.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod peers;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use peers::stopwatch::Spread;
use peers::{Peer, Sample};

/// Flows, and yields of each in one sample.
const SIZES: [(usize, usize); 6] = [
    (2, 500_000),
    (100, 10_000),
    (1_000, 1_000),
    (10_000, 100),
    (100_000, 20),
    (1_000_000, 5),
];
const HUGE: (usize, usize) = (10_000_000, 3);
/// How often each flow is awakened in a sample.
const WAKES: u32 = 5;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rounds = arguments.iter().find_map(|a| a.parse().ok()).unwrap_or(7);
    let (mut peers, missing) = peers::all();
    let after = |flag: &str| {
        let at = arguments.iter().position(|a| a == flag)?;
        arguments.get(at + 1)
    };
    // `--only TEXT` leaves out other peers, not the first, which ratios refer to.
    if let Some(text) = after("--only") {
        let reference = peers[0].name;
        peers.retain(|peer| peer.name == reference || peer.name.contains(text));
    }
    println!(
        "{rounds} interleaved rounds; median [lowest ... highest] of ns a yield, and of the ratio \
         to fiber packed"
    );
    match pinned() {
        Ok(cpu) => println!("all on CPU {cpu}"),
        Err(why) => println!("not bound to a CPU: {why}"),
    }
    for line in missing {
        println!("not here: {line}");
    }
    let is_asked = |name: &str| after("--part").is_none_or(|part| part == name);
    let huge = arguments.iter().any(|a| a == "--huge");
    if is_asked("yields") {
        for (flows, yields) in SIZES {
            compare(&peers, flows, yields, rounds);
        }
        if huge {
            compare(&peers, HUGE.0, HUGE.1, rounds.min(3));
        }
    }
    if is_asked("creation") {
        for flows in [1_000, 100_000] {
            creation(&peers, flows, rounds);
        }
        if huge {
            creation(&peers, HUGE.0, rounds.min(3));
        }
    }
    if is_asked("wakes") {
        for flows in [1_000, 100_000, 1_000_000] {
            wakes(flows, rounds);
        }
    }
    if is_asked("values") {
        for (flows, times) in [(1, 50_000), (1_000, 100), (10_000, 20)] {
            values(flows, times, rounds);
        }
    }
}

/// Binds this process, and those it starts, to the last CPU that is allowed.
fn pinned() -> nix::Result<usize> {
    let allowed = sched_getaffinity(Pid::from_raw(0))?;
    let is_allowed = |cpu: &usize| allowed.is_set(*cpu).unwrap_or(false);
    let cpu = (0..CpuSet::count()).rev().find(is_allowed);
    let cpu = cpu.ok_or(nix::Error::EINVAL)?;
    let mut one = CpuSet::new();
    one.set(cpu)?;
    sched_setaffinity(Pid::from_raw(0), &one)?;
    Ok(cpu)
}

fn compare(peers: &[Peer], flows: usize, yields: usize, rounds: usize) {
    let runs: Vec<&Peer> = peers.iter().filter(|peer| flows <= peer.most).collect();
    let mut samples: Vec<Vec<Sample>> = vec![Vec::new(); runs.len()];
    for _round in 0..rounds {
        for (peer, samples) in runs.iter().zip(&mut samples) {
            samples.push((peer.run)(flows, yields));
        }
    }
    println!("\n{flows} flows");
    let costs = samples.iter().map(|samples| yield_ns(samples));
    let costs: Vec<Vec<f64>> = costs.collect();
    for ((peer, samples), costs_of) in runs.iter().zip(&samples).zip(&costs) {
        let bytes = samples.iter().map(|sample| sample.bytes).max().unwrap_or(0);
        print!("  {:40} {}", peer.name, with_ratio(costs_of, &costs[0]));
        // Small counts drown in what the process itself takes.
        if flows >= 10_000 {
            print!("  {:6} B a flow", bytes / flows);
        }
        println!();
    }
    for peer in peers.iter().filter(|peer| flows > peer.most) {
        println!(
            "  {:40} stops at {}: {}",
            peer.name, peer.most, peer.stops_by
        );
    }
}

fn creation(peers: &[Peer], flows: usize, rounds: usize) {
    let runs: Vec<&Peer> = peers.iter().filter(|peer| flows <= peer.most).collect();
    let mut costs = vec![Vec::new(); runs.len()];
    for _round in 0..rounds {
        for (peer, costs) in runs.iter().zip(&mut costs) {
            costs.push((peer.run)(flows, 0).life_ns);
        }
    }
    println!("\ncreate + run + join, ns a flow, {flows} at a time");
    for (peer, costs_of) in runs.iter().zip(&costs) {
        println!("  {:40} {}", peer.name, with_ratio(costs_of, &costs[0]));
    }
    let pages = (0..rounds).map(|_| peers::bare::page_ns(flows)).collect();
    println!(
        "  {:40} {}",
        "bare: a page is mapped, touched, unmapped",
        Spread::of(pages)
    );
    for mut used in peers::ours::used(flows) {
        let warm = (0..rounds).map(|_| used.life_ns(flows)).collect();
        println!("  {:40} {}", used.name, Spread::of(warm));
    }
}

/// Wakes, and beside them what they cannot do without: the switch alone, to contexts in random order,
/// and a random line of memory.
fn wakes(flows: usize, rounds: usize) {
    let kinds = peers::ours::WAKES;
    let mut names = kinds
        .map(|kind| vec![kind.name, "  of it the calls that awaken"])
        .concat();
    names.extend([
        "bare switch, no API",
        "read and write a random line of 64 B",
    ]);
    let mut costs = vec![Vec::new(); names.len()];
    for _round in 0..rounds {
        let mut all = Vec::new();
        for kind in kinds {
            let (awaken, run) = peers::ours::wake_ns(kind, flows, WAKES);
            all.extend([awaken + run, awaken]);
        }
        all.push(peers::bare::wake_ns(flows, WAKES));
        all.push(peers::bare::random_line_ns(flows, WAKES));
        for (costs, cost) in costs.iter_mut().zip(all) {
            costs.push(cost);
        }
    }
    println!("\nsuspend + awaken in random order, ns each, {flows} flows");
    for (name, costs_of) in names.iter().zip(&costs) {
        println!("  {name:40} {}", with_ratio(costs_of, &costs[0]));
    }
}

fn values(flows: usize, times: u64, rounds: usize) {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _round in 0..rounds {
        ours.push(peers::ours::values_ns(flows, times));
        theirs.push(peers::rust::values_ns(flows, times));
    }
    println!("\nvalues, one in and one out, ns each, {flows} flows");
    for (name, costs) in [("generator", &ours), ("corosensei", &theirs)] {
        let name = format!("{name}, guarded 16 KiB");
        println!("  {name:40} {}", with_ratio(costs, &ours));
    }
}

fn yield_ns(samples: &[Sample]) -> Vec<f64> {
    samples.iter().map(|sample| sample.yield_ns).collect()
}

/// What a peer costs, and how many times that of the reference in the same round.
fn with_ratio(costs: &[f64], reference: &[f64]) -> String {
    let ratios = costs.iter().zip(reference).map(|(cost, of)| cost / of);
    let (cost, ratio) = (Spread::of(costs.to_vec()), Spread::of(ratios.collect()));
    format!("{cost}  {ratio}")
}
