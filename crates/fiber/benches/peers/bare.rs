//! The floor: the switch of the crate with nothing around it. Slots of 128 bytes, no
//! canary, no published turn, no results: what the API costs is the difference.

use std::cell::Cell;

use super::stopwatch;
use super::{Sample, memory, sample};

#[path = "../../src/arch/mod.rs"]
#[expect(dead_code, reason = "only the switch is used here")]
mod arch;

use arch::{Sp, Turn};

const SLOT: usize = 128;

thread_local! {
    static YIELDS: Cell<u64> = const { Cell::new(0) };
    static SUM: Cell<u64> = const { Cell::new(0) };
}

pub(crate) fn run(flows: usize, yields: usize) -> Sample {
    YIELDS.set(yields as u64);
    SUM.set(0);
    sample(flows, yields, || {
        let slots = aligned(flows * SLOT);
        let mut ring: Vec<Sp> = (0..flows).map(|who| context(slots.1, who)).collect();
        ring.push(std::ptr::null_mut());
        let (first, own) = (ring.as_mut_ptr(), flows);
        let rounds = if yields == 0 { 1 } else { yields + 2 };
        for _ in 0..rounds {
            // SAFETY: the ring holds a context for each flow, then room for our own.
            unsafe { arch::switch(first.wrapping_add(own), first) };
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

fn context(slots: *mut u8, who: usize) -> Sp {
    let top = slots.wrapping_add((who + 1) * SLOT);
    let entry: arch::Entry = if who == 0 {
        flow::<true>
    } else {
        flow::<false>
    };
    // SAFETY: the slot below `top` is ours and larger than a first frame.
    unsafe { arch::first_frame(top, entry) }
}

unsafe extern "C" fn flow<const FIRST: bool>(mut turn: Turn) -> ! {
    let yields = YIELDS.get();
    // SAFETY: a turn is a cell of the ring, and the next holds a context.
    let mut next = || turn = unsafe { arch::switch(turn, turn.wrapping_add(1)) };
    let mut sum = 0;
    if yields == 0 {
        sum = 1;
    } else {
        for left in (0..=yields).rev() {
            next();
            if FIRST {
                stopwatch::begin_once();
            }
            if FIRST && left == 0 {
                stopwatch::end();
            }
            sum += left;
        }
    }
    SUM.set(SUM.get() + sum);
    loop {
        next();
    }
}
