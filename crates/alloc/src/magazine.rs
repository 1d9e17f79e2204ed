//! Magazines: a few free blocks of each class for each CPU, taken and returned without a lock.
//!
//! # Theory
//!
//! After J. Bonwick and J. Adams (*Magazines and Vmem*, USENIX 2001), with restartable sequences
//! ([`crate::rseq`]) in place of the CPU's lock. A magazine holds blocks from regions of its
//! CPU's core alone, so handing one out keeps the promise of the allocator. An empty one is
//! filled half from the core's heap, a full one gives half back, each under the heap's lock once.
//!
//! A class keeps at most 32 blocks and 16 KiB in a magazine (two blocks at least). Blocks in
//! magazines count as free. What lies in the magazine of a CPU stays there until a thread runs on
//! that CPU again: nobody else may touch it.

use std::ptr::null_mut;

use crate::class::{CLASSES, size_of_class};
use crate::heap::Heap;
use crate::os;
use crate::rseq::{Area, Stack};

/// Blocks of a class at the most.
const DEPTH: usize = 32;
/// Bytes of a class at the most.
const BYTES: usize = 16 << 10;
/// Blocks that move between a magazine and its heap at once, at the most.
const BATCH: usize = DEPTH / 2;

/// The magazines of one CPU.
#[repr(C, align(128))]
#[derive(Debug)]
struct OfCpu {
    counts: [u32; CLASSES],
    slots: [[*mut u8; DEPTH]; CLASSES],
}

/// The magazines of all CPUs.
#[derive(Debug)]
pub(crate) struct Magazines {
    of_cpus: *mut OfCpu,
    cpus: usize,
}

// SAFETY: what the pointer leads to is touched by restartable sequences of its CPU alone, and
// read for statistics, where a torn count does not matter.
unsafe impl Sync for Magazines {}
// SAFETY: as above.
unsafe impl Send for Magazines {}

/// Blocks of a class that a magazine holds at the most.
fn depth(class: usize) -> usize {
    (BYTES / size_of_class(class)).clamp(2, DEPTH)
}

impl Magazines {
    /// Empty ones; none at all when the kernel has no memory for them.
    pub(crate) fn new(cpus: usize) -> Self {
        let mapping = os::map(cpus * size_of::<OfCpu>(), os::PAGE);
        Self {
            of_cpus: mapping.map_or(null_mut(), |at| at.as_ptr().cast()),
            cpus: mapping.map_or(0, |_| cpus),
        }
    }

    #[inline]
    fn stack(&self, cpu: usize, class: usize) -> Option<Stack> {
        if cpu >= self.cpus {
            return None;
        }
        // SAFETY: there are magazines for `cpus` CPUs.
        let of_cpu = unsafe { self.of_cpus.add(cpu) };
        // SAFETY: a place within the mapping; no reference is made.
        let counts = unsafe { &raw mut (*of_cpu).counts }.cast::<u32>();
        // SAFETY: as above.
        let slots = unsafe { &raw mut (*of_cpu).slots }.cast::<[*mut u8; DEPTH]>();
        Some(Stack {
            // SAFETY: `class` is one of the classes.
            count: unsafe { counts.add(class) },
            // SAFETY: as above.
            slots: unsafe { slots.add(class) }.cast(),
            capacity: depth(class) as u32,
        })
    }

    /// A block of a class from the magazine of this CPU; null when it has none.
    #[inline]
    pub(crate) fn take(&self, area: Area, class: usize) -> *mut u8 {
        match self.stack(area.cpu(), class) {
            // SAFETY: the stack is that of the area's CPU.
            Some(stack) => unsafe { area.pop(stack) },
            None => null_mut(),
        }
    }

    /// Returns a block to the magazine of this CPU, whose core's it is; whether it had room.
    #[inline]
    pub(crate) fn give(&self, area: Area, class: usize, block: *mut u8) -> bool {
        match self.stack(area.cpu(), class) {
            // SAFETY: the stack is that of the area's CPU.
            Some(stack) => unsafe { area.push(stack, block) },
            None => false,
        }
    }

    /// A block from the heap of this CPU's core, and more of them into the magazine.
    #[cold]
    pub(crate) fn fill(&self, area: Area, class: usize, heap: &Heap) -> *mut u8 {
        let mut blocks = [null_mut(); BATCH + 1];
        let wanted = 1 + depth(class) / 2;
        let taken = heap.take_many(class, &mut blocks[..wanted]);
        let Some((&first, rest)) = blocks[..taken].split_first() else {
            return null_mut();
        };
        let left = rest
            .iter()
            .position(|&block| !self.give(area, class, block));
        if let Some(left) = left {
            heap.give_many(&rest[left..]);
        }
        first
    }

    /// Takes half of a full magazine, and `block`, back to the heap of this CPU's core.
    #[cold]
    pub(crate) fn flush(&self, area: Area, class: usize, heap: &Heap, block: *mut u8) {
        let mut blocks = [block; BATCH + 1];
        let wanted = depth(class) / 2;
        let mut taken = 1;
        while taken <= wanted {
            let one = self.take(area, class);
            if one.is_null() {
                break;
            }
            blocks[taken] = one;
            taken += 1;
        }
        heap.give_many(&blocks[..taken]);
    }

    /// Blocks and bytes in the magazines of a CPU, about: they change while they are counted.
    pub(crate) fn held(&self, cpu: usize) -> (usize, usize) {
        let mut held = (0, 0);
        for class in 0..CLASSES {
            if let Some(stack) = self.stack(cpu, class) {
                // SAFETY: the counter is mapped; a value that is being changed is as good.
                let blocks = unsafe { stack.count.read_volatile() } as usize;
                held.0 += blocks;
                held.1 += blocks * size_of_class(class);
            }
        }
        held
    }

    /// For how many CPUs there are magazines.
    pub(crate) fn cpus(&self) -> usize {
        self.cpus
    }
}
