//! Magazines: a few free blocks of each class for each CPU, taken and returned without a lock.
//!
//! After J. Bonwick and J. Adams (*Magazines and Vmem*, USENIX 2001), with restartable sequences
//! ([`crate::rseq`]) in place of the CPU's lock, as in tcmalloc's per-CPU mode. A magazine holds
//! blocks from regions of its CPU's core alone. An empty one is filled half from the core's heap, a
//! full one gives half back, each under the heap's lock once. One more a CPU, *away*, collects the
//! small blocks that are freed here and belong to other cores: one exchange for each owner.
//!
//! A class keeps at most 63 blocks and 64 KiB in a magazine (two blocks at least), one of blocks
//! that are alone in their spans 512 KiB, or 1 MiB up to blocks of 64 KiB: a random replacement of
//! 500 blocks finds three in four there. If a program frees blocks of all sizes, that is 35 MB a
//! CPU. Blocks in magazines count as free, and stay there until a thread runs on that CPU again:
//! nobody else may touch them. Their memory is first touched when a thread runs there.

use std::ptr::{NonNull, null_mut};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};

use crate::class::{CLASSES, is_alone, size_of_class};
use crate::cores::Cores;
use crate::guard::{self, FREED_TWICE};
use crate::heap::Heap;
use crate::os;
use crate::region::tag_of;
use crate::rseq::{Area, DEPTH, Stack};

/// Bytes of a class at the most.
const BYTES: usize = 64 << 10;
const BYTES_ALONE: usize = 512 << 10;
/// The same for blocks of up to 64 KiB.
const BYTES_ALONE_SMALL: usize = 1 << 20;
/// Blocks that move between a magazine and its heap at once, at the most.
const BATCH: usize = DEPTH / 2;
/// The magazine of blocks that belong to other cores.
const AWAY: usize = CLASSES;
/// The largest block that waits there: all of them are less than 16 KiB.
const LARGEST_AWAY: usize = 512;

/// Bytes between the magazines of two CPUs, a power of two; what lies between is never touched.
const STRIDE: usize = 64 << 10;
const _: () = assert!(size_of::<OfCpu>() <= STRIDE);

#[repr(C, align(128))]
#[derive(Debug)]
struct OfCpu {
    stacks: [Stack; CLASSES + 1],
    /// What regions of the CPU's core are marked with; zero until a thread ran here.
    tag: AtomicU64,
}

#[derive(Debug)]
pub(crate) struct Magazines {
    of_cpus: *mut OfCpu,
    area: Area,
    cpus: u32,
}

// SAFETY: what the pointer leads to is touched by restartable sequences of its CPU alone, and read
// for statistics, where a torn count does not matter.
unsafe impl Sync for Magazines {}
// SAFETY: as above.
unsafe impl Send for Magazines {}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Here {
    of_cpu: *mut OfCpu,
    area: Area,
    cpu: u32,
}

fn depth(class: usize) -> usize {
    match class {
        AWAY => DEPTH,
        _ if !is_alone(class) => (BYTES / size_of_class(class)).clamp(2, DEPTH),
        _ if size_of_class(class) <= 64 << 10 => BYTES_ALONE_SMALL / size_of_class(class),
        _ => BYTES_ALONE / size_of_class(class),
    }
}

impl Magazines {
    pub(crate) const fn none() -> Self {
        Self {
            of_cpus: null_mut(),
            area: Area::NOWHERE,
            cpus: 0,
        }
    }

    /// Empty ones; none at all where there are no restartable sequences, or no memory.
    pub(crate) fn new(cpus: usize) -> Self {
        let Some(area) = Area::find() else {
            return Self::none();
        };
        match os::map(cpus * STRIDE, os::PAGE) {
            None => Self::none(),
            Some(mapping) => Self {
                of_cpus: mapping.as_ptr().cast(),
                area,
                cpus: cpus as u32,
            },
        }
    }

    /// Those of this thread's CPU; none where the kernel does not know its area.
    #[inline]
    pub(crate) fn here(&self) -> Option<Here> {
        let cpu = self.area.cpu();
        (cpu < self.cpus).then(|| Here {
            of_cpu: self.of_cpus.wrapping_byte_add(cpu as usize * STRIDE),
            area: self.area,
            cpu,
        })
    }

    /// `see` gets each class and about how many blocks it has: they change meanwhile.
    pub(crate) fn held(&self, cpu: usize, mut see: impl FnMut(usize, usize)) {
        for class in 0..CLASSES {
            see(class, self.stack(cpu, class).0);
        }
    }

    /// Calls `see` with every block that waits to leave for another core. Safety: while it runs, no
    /// heap takes blocks home: the regions of those seen stay mapped.
    pub(crate) unsafe fn away(&self, mut see: impl FnMut(NonNull<u8>)) {
        for cpu in 0..self.cpus() {
            let (count, slots) = self.stack(cpu, AWAY);
            for place in 0..count.min(DEPTH) {
                // SAFETY: the place is one of the stack's.
                let block = unsafe { slots.wrapping_add(place).read_volatile() };
                NonNull::new(block).map(&mut see);
            }
        }
    }

    fn stack(&self, cpu: usize, class: usize) -> (usize, *const *mut u8) {
        assert!(cpu < self.cpus() && class <= AWAY, "no such magazine");
        let here = Here {
            of_cpu: self.of_cpus.wrapping_byte_add(cpu * STRIDE),
            area: self.area,
            cpu: 0,
        };
        let stack = here.stack(class);
        // SAFETY: the CPU has magazines, and there is such a class.
        let count = unsafe { &raw const (*stack).count };
        // SAFETY: as above; a value that is being changed is as good.
        let count = unsafe { count.read_volatile() } as usize;
        // SAFETY: as above.
        (count, unsafe { Stack::slots(stack) })
    }

    pub(crate) fn cpus(&self) -> usize {
        self.cpus as usize
    }
}

impl Here {
    #[inline]
    fn stack(self, class: usize) -> *mut Stack {
        let at = std::mem::offset_of!(OfCpu, stacks) + class * size_of::<Stack>();
        self.of_cpu.cast::<u8>().wrapping_add(at).cast()
    }

    #[inline]
    fn written<'a>(self) -> &'a AtomicU64 {
        // SAFETY: the magazines of a CPU are never unmapped.
        unsafe { &(*self.of_cpu).tag }
    }

    #[inline]
    pub(crate) fn cpu(self) -> usize {
        self.cpu as usize
    }

    #[inline]
    pub(crate) fn tag(self) -> u64 {
        self.written().load(Relaxed)
    }

    #[inline]
    pub(crate) fn take(self, class: usize) -> *mut u8 {
        // SAFETY: the stack is that of the CPU, and of one of the classes.
        unsafe { self.area.pop(self.cpu, self.stack(class)) }
    }

    /// Returns a block to the magazine of this CPU; whether it had room, and another one on top.
    /// Safety: the block is one of that class, or for [`AWAY`] of another core, that was freed and
    /// is in no list; one of a class is of this CPU's core.
    #[inline]
    pub(crate) unsafe fn give(self, class: usize, block: *mut u8) -> bool {
        // SAFETY: as in `take`.
        unsafe { self.area.push(self.cpu, self.stack(class), block) }
    }

    /// Blocks that move between an opened magazine and its heap at once.
    fn half(self, class: usize) -> usize {
        // SAFETY: the magazines of a CPU are never unmapped.
        let capacity = unsafe { &raw const (*self.stack(class)).capacity };
        // SAFETY: as above; it was written before, once or with the same number.
        (unsafe { capacity.read_volatile() } as usize / 2).min(BATCH)
    }

    /// Sets size and owner of each magazine; two who come together write the same.
    fn open(self, cores: &Cores) {
        for class in 0..=AWAY {
            // SAFETY: the magazines of a CPU are never unmapped.
            let capacity = unsafe { &raw mut (*self.stack(class)).capacity };
            // SAFETY: the number is aligned, and otherwise only read.
            let capacity = unsafe { AtomicU32::from_ptr(capacity) };
            capacity.store(depth(class) as u32, Relaxed);
        }
        self.written().store(tag_of(cores.of(self.cpu())), Relaxed);
    }

    #[cold]
    pub(crate) fn fill(self, class: usize, heap: &Heap, cores: &Cores) -> *mut u8 {
        if self.tag() == 0 {
            self.open(cores);
        }
        let mut blocks = [null_mut(); BATCH + 1];
        // Of blocks that are alone, those that nobody had yet hold zeros: they stay with the heap.
        let more = if is_alone(class) { 0 } else { self.half(class) };
        let blocks = &mut blocks[..=more];
        let left = blocks.len() - heap.take_many(class, blocks);
        // The last one taken is the deepest, so that blocks leave in the order of their addresses.
        let Some((&first, rest)) = blocks[left..].split_last() else {
            return null_mut();
        };
        // SAFETY: blocks of that class that the heap of this core gave a moment ago.
        if !rest.is_empty() && !unsafe { self.area.push_many(self.cpu, self.stack(class), rest) } {
            // SAFETY: nobody took them.
            unsafe { heap.give_many(rest) };
        }
        first
    }

    /// Takes half of a full magazine, and `block`, back to the heap; one that is among that half
    /// ends the process: it was freed twice. Safety: as [`Here::give`]; `heap` is its core's.
    #[cold]
    pub(crate) unsafe fn flush(self, class: usize, heap: &Heap, block: *mut u8) {
        let mut blocks = [block; BATCH + 1];
        let taken = 1 + self.drain(class, &mut blocks[1..=self.half(class)]);
        if let (Some(twice), true) = (NonNull::new(block), blocks[1..taken].contains(&block)) {
            guard::abort(FREED_TWICE, twice);
        }
        // SAFETY: the caller's; what a magazine holds was freed, each once, and is of its core.
        unsafe { heap.give_many(&blocks[..taken]) };
    }

    /// Keeps a block that belongs to another core for later; whether it could. When not, `leave`
    /// gets what is kept, and the caller keeps the block. Safety: as [`Here::give`] for [`AWAY`].
    #[inline]
    pub(crate) unsafe fn send(
        self,
        size: usize,
        block: *mut u8,
        leave: impl FnOnce(&[*mut u8]),
    ) -> bool {
        if size > LARGEST_AWAY {
            return false;
        }
        // SAFETY: the caller's.
        if unsafe { self.give(AWAY, block) } {
            return true;
        }
        let mut blocks = [null_mut(); DEPTH];
        let taken = self.drain(AWAY, &mut blocks);
        leave(&blocks[..taken]);
        false
    }

    fn drain(self, class: usize, places: &mut [*mut u8]) -> usize {
        // SAFETY: as in `take`.
        unsafe { self.area.pop_many(self.cpu, self.stack(class), places) }
    }
}
