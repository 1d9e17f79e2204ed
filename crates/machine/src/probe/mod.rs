//! What memory costs here, by trying: how far the TLB reaches, and how long each cache and
//! the memory take to answer.
//!
//! # Theory
//!
//! One method serves both: a **pointer chase**. Cells hold the number of the next cell, in
//! one random cycle over all of them, so that each load waits for the one before it and no
//! prefetcher can guess. The time of a step is the time to answer a load.
//!
//! * **Reach** ([`reach`]): one cell in each of N pages of 4 KiB. The cells, and so what the
//!   data caches hold, are the same in number and spread whether the memory is mapped by
//!   4 KiB pages or by 2 MiB ones; only the entries that the TLB must hold differ, by a factor of
//!   512. Where the two come apart, 4 KiB pages are beyond its reach, and the difference is
//!   what a miss costs.
//! * **Caches** ([`latency`]): one cell in each line of a block of half a cache's size, in huge
//!   pages, so that the TLB has no part in it.
//!
//! The two kinds of page take turns within each pass, so that a change of the machine's
//! speed hits both, and the median of [`PASSES`] stands for each.
//!
//! It does not ask the processor what its TLB is like: in a virtual machine that says
//! little, since a page of the guest may lie in smaller ones of the host. Then huge pages
//! extend reach less than they would on the hardware itself, or not at all, which is worth knowing
//! before anything is concluded from them.
//!
//! Method after L. McVoy and C. Staelin, "lmbench: Portable Tools for Performance Analysis",
//! 1996.

mod chase;
mod latency;
mod pages;
mod reach;

use measure::Measured;
use serde::{Deserialize, Serialize};

use crate::Machine;
pub use latency::Latency;
pub use pages::PageKind;
pub use reach::{Reach, ReachPoint};

/// Passes over each chase.
const PASSES: usize = 7;

/// What was found by trying.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// How far the TLB reaches.
    pub reach: Measured<Reach>,
    /// Times to answer of the caches, the nearest first, and of the memory.
    pub latencies: Measured<Vec<Latency>>,
}

impl Probe {
    /// Tries this machine, for a few seconds, on the CPU that it happens to run on.
    pub fn run(machine: &Machine) -> Self {
        let room = machine
            .memory
            .available
            .value()
            .map_or(0, |bytes| bytes / 4);
        Self {
            reach: reach::probe(room),
            latencies: latency::probe(machine, room),
        }
    }
}

/// The middle value.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
