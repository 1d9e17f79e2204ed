//! What a loaded body costs beside the same one built in, as pairs in random order in one run; and what a call
//! of it costs.
//!
//! ```text
//! cargo bench -p flowgauge-body --features load --bench loaded [-- PAIRS]
//! ```
//!
//! The body is the example `primes`: compiled into this program once, and loaded as the library that flowgauge
//! loads. Printed are the paired ratios loaded / built in with their interval, for units of several lengths,
//! and the time of a call that does next to nothing.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![allow(clippy::unwrap_used, reason = "a benchmark may panic")]

use std::collections::BTreeMap;
use std::env;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use body::{Args, Body, Loaded, Proof};
use stats::Rule;

#[allow(unreachable_pub, reason = "it is the root of a library, too")]
#[path = "../examples/primes.rs"]
mod primes;

/// Numbers are small, so that a unit can be short.
const START: u64 = 1;
/// A batch of units takes about so long, in numbers that are tried.
const BATCH: u64 = 200_000;

fn main() {
    let pairs = env::args().find_map(|word| word.parse().ok()).unwrap_or(60);
    let library = library();
    let loaded = Loaded::open(&library, &BTreeMap::from([("start".to_owned(), START)])).unwrap();
    let mut flow = loaded.begin(0).unwrap();
    let own = primes::Primes::prepare(&Args::default()).unwrap();
    println!("loaded / built in, {pairs} pairs each:");
    for ops in [10_u64, 100, 1_000, 10_000] {
        let units = BATCH / ops;
        let mut sides = [Vec::new(), Vec::new()];
        for pair in 0..pairs {
            // The low bit of a Weyl sequence's upper half: either order, half of the time.
            let first = (pair as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 63;
            for side in [first, 1 - first] {
                let took = match side {
                    0 => batch(units, |unit| {
                        own.unit(&mut (), black_box(unit), ops).unwrap()
                    }),
                    _ => batch(units, |unit| flow.unit(black_box(unit), ops).unwrap()),
                };
                sides[side as usize].push(took);
            }
        }
        let (ratio, _) = Rule::default().judge_values(&sides[0], &sides[1]).unwrap();
        let (low, high) = ratio.interval().unwrap_or((f64::NAN, f64::NAN));
        let unit_ns = sides[0].iter().copied().fold(f64::INFINITY, f64::min) / units as f64;
        println!(
            "  units of {unit_ns:>8.0} ns ({ops} operations): {:.4} [{low:.4}, {high:.4}]",
            ratio.ratio
        );
    }
    let calls = 1_000_000;
    let call = |flow: &mut body::Flow<'_>| batch(calls, |_| flow.unit(black_box(0), 0).unwrap());
    let least = (0..20)
        .map(|_| call(&mut flow))
        .fold(f64::INFINITY, f64::min);
    println!("a call that does nothing: {:.1} ns", least / calls as f64);
}

/// How long all units take, in ns.
fn batch(units: u64, mut unit: impl FnMut(u64) -> Proof) -> f64 {
    let begin = Instant::now();
    let checksum = (0..units).fold(0_u64, |sum, one| sum.wrapping_add(unit(one).checksum));
    black_box(checksum);
    begin.elapsed().as_nanos() as f64
}

/// The example, built as its users build it.
fn library() -> PathBuf {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let words = "build --release --quiet -p flowgauge-body --example primes";
    let built = Command::new(cargo).args(words.split(' ')).status();
    assert!(built.unwrap().success());
    let own = env::current_exe().unwrap();
    let release = own.ancestors().nth(2).map(Path::to_owned).unwrap();
    release.join("examples/libprimes.so")
}
