//! Transactions a second of one warehouse, by the size of its heap.
//!
//! ```text
//! cargo run --release -p flowgauge-workload --example warehouse [HEAP [TRANSACTIONS [REPEATS]]]
//! ```
//!
//! Without arguments: heaps of 1 to 256 MiB, a million transactions, seven repeats each. What
//! is counted is what the study times: the transactions in a warehouse that is filled. Seconds
//! are those that the CPU was given to this program, so that a machine that does other things
//! too changes only what its caches hold; the rate by the clock on the wall stands behind it.
//!
//! Beside each repeat goes a pointer chase over as many bytes: loads that each wait for the one before,
//! one to a line, in random order. How many of them take as long as a transaction says how far that
//! waits for memory.

#![allow(clippy::print_stdout, reason = "a program whose purpose is to print")]

mod spread;

use std::error::Error;
use std::hint::black_box;

use flow::{Body, Outlet};
use measure::{clock, usage};
use spread::Spread;
use workload::{Bytes, Warehouse};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let heaps = match arguments.first() {
        Some(heap) => vec![heap.parse()?],
        None => [1, 4, 16, 64, 256].map(|mib| Bytes(mib << 20)).to_vec(),
    };
    let number = |place: usize, usual: u64| arguments.get(place).map_or(Ok(usual), |n| n.parse());
    let (transactions, repeats) = (number(1, 1_000_000)?, number(2, 7)?);
    println!("millions of transactions a second of CPU: median (quartiles, extremes), wall");
    for heap in heaps {
        let chase = Chase::over(heap);
        let repeats = rates(heap, transactions, repeats);
        let all: Vec<[f64; 3]> = repeats
            .map(|(cpu, wall)| [cpu, wall, chase.ns_a_step()])
            .collect();
        let part = |part: usize| Spread::of(all.iter().map(|one| one[part]));
        let (cpu, wall, step_ns) = (part(0), part(1), part(2));
        let steps = Spread::of(all.iter().map(|[cpu, _, ns]| 1e3 / cpu / ns));
        println!(
            "  heap {heap:>9}: {cpu}, wall {:.3}; a step of a chase {step_ns} ns, a transaction {steps} steps",
            wall.median()
        );
    }
    Ok(())
}

/// Millions of transactions a second of CPU, and a second by the clock, of each repeat.
fn rates(heap: Bytes, transactions: u64, repeats: u64) -> impl Iterator<Item = (f64, f64)> {
    let work = Warehouse {
        workers: 1,
        transactions,
        heap,
        seed: 1,
    };
    (0..repeats).map(move |_| {
        let mut place = work.state(0);
        let (start_ns, before) = (clock::now_ns(), usage::this_thread());
        let proof = work.unit(&mut place, 0, &mut Outlet::nowhere());
        let cpu_ns = usage::this_thread().since(before).cpu_ns;
        let wall_ns = clock::now_ns() - start_ns;
        work.settle(&mut place);
        let rate = |ns: u64| proof.count as f64 * 1e3 / ns as f64;
        (rate(cpu_ns), rate(wall_ns))
    })
}

/// Steps of a pass.
const STEPS: usize = 2_000_000;

/// Places that each hold the next one, in one cycle through all of them.
struct Chase(Vec<Line>);

/// A line of the cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(u64);

impl Chase {
    /// One line after the other over that many bytes, in an order made by Sattolo's shuffle.
    fn over(heap: Bytes) -> Self {
        let count = (heap.0 / 64).max(2);
        let mut order: Vec<u64> = (0..count).collect();
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        for last in (1..order.len()).rev() {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            order.swap(last, (state % last as u64) as usize);
        }
        let mut lines = vec![Line(0); order.len()];
        for (place, &next) in order.iter().zip(order.iter().cycle().skip(1)) {
            lines[*place as usize] = Line(next);
        }
        Self(lines)
    }

    /// ns of CPU time a step.
    fn ns_a_step(&self) -> f64 {
        let mut at = 0;
        let begin = clock::thread_cpu_ns();
        for _ in 0..STEPS {
            at = self.0[at as usize].0;
        }
        let ns = clock::thread_cpu_ns() - begin;
        black_box(at);
        ns as f64 / STEPS as f64
    }
}
