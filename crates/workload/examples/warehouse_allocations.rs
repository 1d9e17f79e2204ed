//! What a transaction of the warehouse allocates, and how large the filled heap is.
//!
//! ```text
//! cargo run --release -p flowgauge-workload --example warehouse_allocations
//! ```
//!
//! Every allocation is counted by a global allocator that does nothing else, so the figures
//! are exact and the same on every machine. Sizes are those asked for; what the allocator
//! adds for itself is not in them.

#![allow(clippy::print_stdout, reason = "a program whose purpose is to print")]

use allocation_counter::measure;
use flow::{Body, Outlet};
use workload::{Bytes, Warehouse};

const TRANSACTIONS: u64 = 1_000_000;

fn main() {
    println!("heap asked for: live bytes; a transaction: allocations, bytes; growth of the heap");
    for heap in [1, 16, 64, 256].map(|mib| Bytes(mib << 20)) {
        let work = Warehouse {
            workers: 1,
            transactions: TRANSACTIONS,
            heap,
            seed: 1,
        };
        let mut place = None;
        let filled = measure(|| place = Some(work.state(0)));
        let Some(mut place) = place else { continue };
        let done = measure(|| _ = work.unit(&mut place, 0, &mut Outlet::nowhere()));
        let each = |all: u64| all as f64 / TRANSACTIONS as f64;
        println!(
            "  {heap:>9}: {} bytes; {:.3}, {:.1}; {:+.3} %",
            filled.bytes_current,
            each(done.count_total),
            each(done.bytes_total),
            100.0 * done.bytes_current as f64 / filled.bytes_current as f64
        );
    }
}
