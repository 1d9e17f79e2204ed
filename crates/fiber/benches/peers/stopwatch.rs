//! Time and memory, read without using stack: a slot of 128 bytes has none to spare.

use std::cell::Cell;
use std::fmt;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

thread_local! {
    static BEGAN: Cell<u64> = const { Cell::new(0) };
    static ENDED: Cell<u64> = const { Cell::new(0) };
}

/// Before a sample.
pub(crate) fn reset() {
    BEGAN.set(0);
    ENDED.set(0);
}

/// Flow 0 has its second turn, or a later one.
#[inline(always)]
pub(crate) fn begin_once() {
    if BEGAN.get() == 0 {
        BEGAN.set(ticks());
    }
}

/// Flow 0 has its last turn.
#[inline(always)]
pub(crate) fn end() {
    ENDED.set(ticks());
}

/// Nanoseconds between the two.
pub(crate) fn between_ns() -> f64 {
    (ENDED.get() - BEGAN.get()) as f64 * ns_a_tick()
}

/// Of a counter that needs no stack to be read.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn ticks() -> u64 {
    // SAFETY: reads a counter; every x86-64 processor has it.
    unsafe { std::arch::x86_64::_rdtsc() }
}

/// No fibers here, so stacks are those of peers, and large.
#[cfg(not(target_arch = "x86_64"))]
fn ticks() -> u64 {
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    BEGAN.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

fn ns_a_tick() -> f64 {
    static NS: OnceLock<f64> = OnceLock::new();
    *NS.get_or_init(|| {
        let (began, first) = (Instant::now(), ticks());
        std::thread::sleep(Duration::from_millis(50));
        began.elapsed().as_nanos() as f64 / (ticks() - first) as f64
    })
}

/// Memory of this process and the page tables for it, in bytes.
pub(crate) fn memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let lines = status
        .lines()
        .filter(|l| l.starts_with("VmRSS") || l.starts_with("VmPTE"));
    let kib: usize = lines
        .filter_map(|line| line.split_whitespace().nth(1)?.parse::<usize>().ok())
        .sum();
    kib * 1_024
}

/// Median, lowest and highest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spread {
    low: f64,
    median: f64,
    high: f64,
}

impl Spread {
    pub(crate) fn of(mut values: Vec<f64>) -> Spread {
        values.sort_by(f64::total_cmp);
        let middle = values.len() / 2;
        let median = match values.len() % 2 {
            0 => f64::midpoint(values[middle - 1], values[middle]),
            _ => values[middle],
        };
        Spread {
            low: values[0],
            median,
            high: values[values.len() - 1],
        }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:9.2} [{:.2} ... {:.2}]",
            self.median, self.low, self.high
        )
    }
}
