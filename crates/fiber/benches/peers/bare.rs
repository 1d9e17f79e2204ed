//! The floor: the switch of the crate with nothing around it. Contexts a cache line apart, stacks of
//! 128 bytes, no canary, no published turn, no results: what the API costs is the difference.

use std::cell::Cell;
use std::time::Instant;

use super::ours::shuffle;
use super::{Sample, memory, sample};
use crate::flow;

#[path = "../../src/arch/mod.rs"]
#[expect(dead_code, reason = "only the switch is used here")]
mod arch;

use arch::{Context, Saved, Turn};

const SLOT: usize = 128;

/// A context with a line of its own.
#[derive(Default)]
#[repr(align(64))]
struct Kept(Saved);

thread_local! {
    static YIELDS: Cell<usize> = const { Cell::new(0) };
    static SUM: Cell<u64> = const { Cell::new(0) };
}

pub(crate) fn run(flows: usize, yields: usize) -> Sample {
    YIELDS.set(yields);
    SUM.set(0);
    sample(flows, yields, || {
        let slots = aligned(flows * SLOT);
        let entry = |who: usize| -> arch::Entry {
            match who {
                0 => begun::<true>,
                _ => begun::<false>,
            }
        };
        let contexts: Vec<Kept> = (0..=flows)
            .map(|who| context(slots.1, who, flows, entry(who)))
            .collect();
        let mut ring: Vec<Context> = contexts.iter().map(|kept| &raw const kept.0).collect();
        let first = ring.as_mut_ptr();
        let rounds = if yields == 0 { 1 } else { yields + 2 };
        for _ in 0..rounds {
            // SAFETY: the ring holds a context for each flow, then our own.
            unsafe { arch::switch(&raw const contexts[flows].0, first) };
        }
        (SUM.get(), memory(yields))
    })
}

/// Zeroed memory on huge pages where possible, and where its aligned part begins.
fn aligned(bytes: usize) -> (Vec<u8>, *mut u8) {
    let mut memory = Vec::<u8>::with_capacity(bytes + (2 << 20));
    let base = memory.as_mut_ptr();
    let base = base.wrapping_add(base.align_offset(2 << 20));
    // SAFETY: the range lies in the allocation; the advice changes no contents.
    unsafe { libc::madvise(base.cast(), bytes, libc::MADV_HUGEPAGE) };
    (memory, base)
}

/// A flow that begins in `entry`, or our own context.
fn context(slots: *mut u8, who: usize, flows: usize, entry: arch::Entry) -> Kept {
    let kept = Kept::default();
    if who < flows {
        let top = slots.wrapping_add((who + 1) * SLOT);
        // SAFETY: the slot below `top` is ours and larger than a first frame.
        unsafe { arch::first_frame(&kept.0, entry, top, top) };
    }
    kept
}

unsafe extern "C" fn begun<const FIRST: bool>(mut turn: Turn) -> ! {
    let yields = YIELDS.get();
    let mut next = || {
        // SAFETY: a turn is a cell of the ring.
        let own = unsafe { turn.read() };
        // SAFETY: the next cell holds a context too.
        turn = unsafe { arch::switch(own, turn.wrapping_add(1)) };
    };
    let sum = flow!(FIRST, yields, next());
    SUM.set(SUM.get() + sum);
    loop {
        next();
    }
}

/// How far ahead in a queue a context is asked for.
const AHEAD: usize = 32;

/// To queue all contexts in random order and run each once, as wakes do at least: ns each.
pub(crate) fn wake_ns(flows: usize, rounds: u32) -> f64 {
    let slots = aligned(flows * SLOT);
    let contexts: Vec<Kept> = (0..=flows)
        .map(|who| context(slots.1, who, flows, counting))
        .collect();
    let mut order: Vec<usize> = (0..flows).collect();
    shuffle(&mut order);
    let mut ring: Vec<Context> = vec![std::ptr::null(); flows + 1 + AHEAD];
    SUM.set(0);
    let mut one_round = || {
        let began = Instant::now();
        let woken = order.iter().chain([&flows]);
        ring.iter_mut()
            .zip(woken)
            .for_each(|(cell, who)| *cell = &raw const contexts[*who].0);
        // SAFETY: the ring holds a context for each flow, then our own.
        unsafe { arch::switch(&raw const contexts[flows].0, ring.as_mut_ptr()) };
        began.elapsed()
    };
    one_round();
    let total: std::time::Duration = (0..rounds).map(|_| one_round()).sum();
    assert_eq!(SUM.get(), flows as u64 * u64::from(rounds + 1));
    total.as_nanos() as f64 / f64::from(rounds) / flows as f64
}

/// A flow that counts its turns.
unsafe extern "C" fn counting(mut turn: Turn) -> ! {
    loop {
        SUM.set(SUM.get() + 1);
        // SAFETY: the ring has AHEAD cells more than it holds contexts.
        arch::prefetch(unsafe { turn.wrapping_add(AHEAD).read() });
        // SAFETY: a turn is a cell of the ring.
        let own = unsafe { turn.read() };
        // SAFETY: the next cell holds a context too.
        turn = unsafe { arch::switch(own, turn.wrapping_add(1)) };
    }
}

/// To touch the first page of a stack of 16 KiB for each flow, and give them back: ns each.
pub(crate) fn page_ns(flows: usize) -> f64 {
    const STRIDE: usize = 24 << 10;
    let began = Instant::now();
    let bytes = flows * STRIDE;
    let both = libc::PROT_READ | libc::PROT_WRITE;
    let how = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping at an address of the kernel's choice touches no memory of anybody.
    let base = unsafe { libc::mmap(std::ptr::null_mut(), bytes, both, how, -1, 0) };
    assert!(base != libc::MAP_FAILED, "no room for {flows} stacks");
    for place in (0..bytes).step_by(STRIDE) {
        // SAFETY: a byte of that mapping.
        unsafe { base.cast::<u8>().wrapping_add(place).write_volatile(1) };
    }
    // SAFETY: the whole of that mapping, which nothing refers to.
    unsafe { libc::munmap(base, bytes) };
    began.elapsed().as_nanos() as f64 / flows as f64
}

/// To read and write a cache line for each flow, in random order: ns a line.
pub(crate) fn random_line_ns(flows: usize, rounds: u32) -> f64 {
    let bytes = flows * size_of::<[u64; 8]>();
    let (_memory, base) = aligned(bytes);
    // SAFETY: the range lies in the allocation.
    unsafe { base.write_bytes(0, bytes) };
    // SAFETY: those words, aligned to lines; nobody else has them.
    let lines = unsafe { std::slice::from_raw_parts_mut(base.cast::<[u64; 8]>(), flows) };
    let mut order: Vec<usize> = (0..flows).collect();
    shuffle(&mut order);
    let began = Instant::now();
    for _ in 0..rounds {
        order.iter().for_each(|who| lines[*who][0] += 1);
    }
    let ns = began.elapsed().as_nanos() as f64 / f64::from(rounds) / flows as f64;
    let sum: u64 = lines.iter().map(|line| line[0]).sum();
    assert_eq!(sum, flows as u64 * u64::from(rounds));
    ns
}
