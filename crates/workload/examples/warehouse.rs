//! Transactions a second of one warehouse, by the size of its heap.
//!
//! ```text
//! cargo run --release -p workload --example warehouse [HEAP [TRANSACTIONS [REPEATS]]]
//! ```
//!
//! Without arguments: heaps of 1 to 256 MiB, a million transactions, seven repeats each. What
//! is counted is what the study times: the transactions in a warehouse that is filled. Seconds
//! are those that the CPU was given to this program, so that a machine that does other things
//! too changes only what its caches hold; the rate by the clock on the wall stands behind it.

#![allow(clippy::print_stdout, reason = "a program whose purpose is to print")]

use std::error::Error;

use flow::{Body, Outlet};
use measure::{clock, usage};
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
        let (cpu, wall): (Vec<f64>, Vec<f64>) = rates(heap, transactions, repeats).unzip();
        println!(
            "  heap {heap:>9}: {}, wall {:.3}",
            spread(&cpu),
            at(&sorted(&wall), 0.5)
        );
    }
    Ok(())
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values
}

fn at(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share).round() as usize]
}

fn spread(values: &[f64]) -> String {
    let [low, quarter, median, three_quarters, high] =
        [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| at(&sorted(values), share));
    format!("{median:.3} ({quarter:.3}..{three_quarters:.3}, {low:.3}..{high:.3})")
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
