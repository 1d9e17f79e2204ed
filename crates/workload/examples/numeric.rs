//! What each kernel does in a second: millions of floating-point operations, or passes.
//!
//! ```text
//! cargo run --release -p flowgauge-workload --example numeric [REPEATS]
//! ```
//!
//! Seconds are those that the CPU was given to this program; each repeat takes about a
//! quarter of one. The checks at the end of a unit are in them, as they are in a study.

#![allow(clippy::print_stdout, reason = "a program whose purpose is to print")]

use std::error::Error;

use flow::{Body, Outlet};
use measure::usage;
use workload::Numeric;
use workload::numeric::{Kernel, Size};

/// Nanoseconds that a repeat should take.
const REPEAT_NS: u64 = 250_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let repeats = std::env::args().nth(1).map_or(Ok(7), |text| text.parse())?;
    println!("median (extremes) of {repeats} repeats, by the CPU's time");
    for kernel in Kernel::ALL {
        for size in [Size::Small, Size::Large] {
            if kernel != Kernel::MonteCarlo || size == Size::Small {
                report(kernel, size, repeats);
            }
        }
    }
    Ok(())
}

fn report(kernel: Kernel, size: Size, repeats: usize) {
    let work = |passes| Numeric {
        kernel,
        size,
        units: 1,
        passes,
        seed: 1,
    };
    let mut data = work(1).state(0);
    let mut passes = 1;
    let mut once = |passes: u64| {
        let before = usage::this_thread();
        work(passes).unit(&mut data, 0, &mut Outlet::nowhere());
        usage::this_thread().since(before).cpu_ns
    };
    while once(passes) < REPEAT_NS / 2 {
        passes *= 2;
    }
    let rate = |_| passes as f64 / once(passes) as f64 * 1e9;
    let mut rates: Vec<f64> = (0..repeats).map(rate).collect();
    rates.sort_by(f64::total_cmp);
    let [low, median, high] = [0, repeats / 2, repeats - 1].map(|place| rates[place]);
    let (scale, unit) = match work(1).flops() {
        Some(flops) => (flops / 1e6, "MFLOPS"),
        None => (1.0, "passes/s"),
    };
    println!(
        "  {kernel:<12} {:<6} {:>9.1} ({:.1}..{:.1}) {unit}",
        format!("{size:?}").to_lowercase(),
        median * scale,
        low * scale,
        high * scale
    );
}
