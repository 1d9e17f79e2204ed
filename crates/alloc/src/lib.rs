//! A memory allocator that never lets two cores share a large page (docs/malloc.md).
//!
//! # Theory
//!
//! H. Inoue and T. Nakatani (*Performance of Multi-Process and Multi-Thread Processing on Multi-core SMT Processors*,
//! IISWC 2010) found why threads on several cores miss the TLB more often than processes: the blocks of all cores'
//! threads lie mixed in the same pages. Memory belongs to **cores** here, not to threads: caches or arenas of *threads*
//! mix with more threads than cores, or threads that migrate. The CPU that runs the request decides (`cores`): its
//! core's heap (`heap`) serves it from regions (`region`) of one large page (2 MiB, or 4 MiB as in the source) that
//! hold blocks of that core alone. Most requests find a block in a magazine of the CPU (`magazine`), without a lock. A
//! block that is freed on another core goes home to its region's owner.
//!
//! # What bounds it
//!
//! A request that a magazine serves takes some twenty instructions and a line of a cache; the first access to the block
//! takes another. What goes beyond is paid in this order: a call to the kernel (and a fault for each small page:
//! microseconds; a huge page filled with zeros: a hundred of them), a lock, lines of headers. So what is freed is kept
//! at each level for a while, and given back by age and by share of what is live, as in jemalloc (J. Evans, 2006 and
//! later). Magazines are tcmalloc's per-CPU mode, blocks that go home in chains the message passing of snmalloc (P.
//! Liétar et al., ISMM 2019), and a span that holds one class is a page of mimalloc (D. Leijen et al., APLAS 2019).
//!
//! # Invariants
//!
//! 1. Every live block up to 1 MiB lies in a region whose `owner` was the core that asked for it. A region changes its
//!    owner only by being unmapped when it is empty.
//! 2. What a heap's lock guards is touched by its holder alone; other cores only push to its remote list.
//! 3. A region is mapped for as long as one of its blocks is live or on its way home.
//! 4. No state is kept for a thread: threads may end at any time, and a fork holds all locks, so that the child finds
//!    every heap whole. A copy by `clone` alone does without a heap that it finds locked.
//!
//! # What it does not do
//!
//! - A thread that is moved between its request and its use works on pages of the core it left.
//! - A signal handler may call it, but statistics and fork from there leave out the heap that was interrupted.
//! - Free memory within a region in use by blocks up to 4 KiB is given back by [`CoreAware::trim`] alone; so is that of
//!   a program that stops to allocate and free.

mod belongs;
mod class;
mod config;
mod cores;
mod free;
mod guard;
mod heap;
mod large;
mod lock;
mod magazine;
mod os;
mod region;
mod remote;
mod rseq;
mod shared;
mod stats;

use std::alloc::{GlobalAlloc, Layout};
use std::ptr::NonNull;

pub use config::{Config, RegionSize, VARIABLE};
pub use cores::on_core;
pub use heap::HeapStats;
pub use large::LargeStats;
pub use shared::{Global, made, shared};
pub use stats::Stats;

use belongs::Place;
use class::{
    LARGEST, SHARING, class_of, class_of_aligned, class_of_shared, is_alone, natural_align,
};
use cores::{CPUS, Cores, current_cpu};
use heap::Heap;
use large::Large;
use lock::Lock;
use magazine::{Here, Magazines};
use region::{Geometry, Region};

/// A block that has to move to grow gets `1 / SLACK` more than was asked for.
const SLACK: usize = 8;

/// An allocator with its heaps, one a core.
#[derive(Debug)]
pub struct CoreAware {
    config: Config,
    geometry: Geometry,
    cores: Cores,
    heaps: &'static [Heap],
    magazines: Magazines,
    large: Large,
}

impl CoreAware {
    /// An allocator for the cores of this machine; `None` without memory for its heaps.
    #[must_use]
    pub fn new(config: Config) -> Option<Self> {
        let mut cores = Cores::alone();
        match config.cores {
            0 => cores.read(),
            said => cores.set_count(said.into()),
        }
        Self::with_cores(config, cores)
    }

    fn with_cores(config: Config, cores: Cores) -> Option<Self> {
        let geometry = Geometry::of(config.region.bytes());
        let count = cores.count().min(CPUS);
        let cpus = cores.cpus();
        let heaps = os::map_all(count, |core| Heap::new(core as u32, geometry, config))?;
        Some(Self {
            config,
            geometry,
            cores,
            heaps,
            // Guarded blocks are checked one by one: none of them is in a magazine.
            magazines: match config.guarded {
                true => Magazines::none(),
                false => Magazines::new(cpus),
            },
            large: Large::new(count)?,
        })
    }

    #[inline]
    fn here(&self) -> usize {
        self.cores.of(current_cpu())
    }

    /// A block of at least `size` bytes, aligned to 16, or to 8 where `size` is at most 8; null when the kernel has no
    /// memory.
    #[inline]
    #[must_use]
    pub fn allocate(&self, size: usize) -> *mut u8 {
        match self.allocate_fast(size) {
            Some(block) => block.as_ptr(),
            None => self.allocate_aligned(size, 1),
        }
    }

    /// Such a block from the magazine of this CPU, if there is one: the usual way, which calls nothing.
    #[inline(always)]
    #[must_use]
    pub fn allocate_fast(&self, size: usize) -> Option<NonNull<u8>> {
        NonNull::new(self.magazines.here()?.take(class_of_shared(size)?))
    }

    fn allocate_here(&self, here: Here, class: usize) -> *mut u8 {
        let block = here.take(class);
        match block.is_null() {
            false => block,
            true => here.fill(class, &self.heaps[self.cores.of(here.cpu())], &self.cores),
        }
    }

    /// The same at a multiple of `align`, a power of two.
    #[must_use]
    pub fn allocate_aligned(&self, size: usize, align: usize) -> *mut u8 {
        if self.config.guarded {
            return self.allocate_guarded(size, align);
        }
        if let (Some(class), Some(here)) = (self.class_for(size, align), self.magazines.here()) {
            let block = self.allocate_here(here, class);
            if !block.is_null() {
                return block;
            }
        }
        self.allocate_at(self.here(), size, align).0
    }

    /// The class for such a block. Spans begin at a slice: their blocks are aligned to no more.
    fn class_for(&self, size: usize, align: usize) -> Option<usize> {
        if align <= natural_align(size) {
            return (size <= LARGEST).then(|| class_of(size));
        }
        let fits = align <= self.geometry.slice();
        fits.then(|| class_of_aligned(size, align))?
    }

    /// A block of zeros.
    #[must_use]
    pub fn allocate_zeroed(&self, size: usize) -> *mut u8 {
        let (block, is_zero) = match self.config.guarded || size <= SHARING {
            true => (self.allocate(size), false),
            false => match self.allocate_fast(size) {
                Some(block) => (block.as_ptr(), false),
                None => self.allocate_at(self.here(), size, 1),
            },
        };
        if !block.is_null() && !is_zero {
            // SAFETY: the block has at least `size` bytes.
            unsafe { block.write_bytes(0, size) };
        }
        block
    }

    fn allocate_at(&self, core: usize, size: usize, align: usize) -> (*mut u8, bool) {
        let own = self.allocate_in(&self.heaps[core], size, align);
        let is_refused = own.is_some_and(|(block, _)| block.is_null());
        let taken = match is_refused && self.is_any_lost() {
            true => self.allocate_elsewhere(size, align),
            false => own,
        };
        match taken {
            Some(taken) => taken,
            None => {
                let huge = self.config.huge && self.config.huge_at_once;
                self.large.take(core, self.geometry, size, align, huge)
            }
        }
    }

    fn allocate_in(&self, heap: &Heap, size: usize, align: usize) -> Option<(*mut u8, bool)> {
        if let Some(class) = self.class_for(size, align) {
            return Some(heap.take(class));
        }
        let fits = size <= LARGEST && align <= self.geometry.largest_align();
        let class = class_of(size.clamp(SHARING + 1, LARGEST));
        fits.then(|| heap.take_aligned(class, align / self.geometry.slice()))
    }

    /// Whether a heap cannot be had, for this thread or for ever ([`lock`]).
    #[cold]
    fn is_any_lost(&self) -> bool {
        self.heaps.iter().any(|heap| heap.inner.lock.is_lost())
    }

    #[cold]
    fn allocate_elsewhere(&self, size: usize, align: usize) -> Option<(*mut u8, bool)> {
        let blocks = self.heaps.iter();
        let mut blocks = blocks.filter_map(|heap| self.allocate_in(heap, size, align));
        blocks.find(|(block, _)| !block.is_null())
    }

    /// Moves a block and its contents to one of at least `size` bytes; null, with the block as it was, without memory.
    /// # Safety
    /// `block` is a live block of this allocator; when a block is returned, only that one may be used.
    #[must_use]
    pub unsafe fn reallocate(&self, block: NonNull<u8>, size: usize) -> *mut u8 {
        // SAFETY: the caller's.
        let old = unsafe { self.usable(block) };
        let mut wanted = size;
        if !self.config.guarded {
            if size <= old && size >= old / 2 {
                return block.as_ptr();
            }
            // SAFETY: the caller's.
            if let Some(same) = unsafe { self.resize(block, size) } {
                return same.as_ptr();
            }
            // What grows will grow again; of a large block only what is written takes memory.
            if size > old && old > SHARING {
                wanted = size.saturating_add(size / SLACK);
            }
        }
        let to = self.allocate(wanted);
        if let Some(to) = NonNull::new(to) {
            // SAFETY: both blocks are live, different, and at least that long.
            unsafe { to.copy_from_nonoverlapping(block, old.min(size)) };
            // SAFETY: the caller's: the old block is no longer used.
            unsafe { self.free(block) };
        }
        to
    }

    /// Makes a block longer or shorter where it is now, if that can be. Safety: as [`CoreAware::reallocate`].
    unsafe fn resize(&self, block: NonNull<u8>, size: usize) -> Option<NonNull<u8>> {
        // SAFETY: the caller's.
        match unsafe { self.place(block) } {
            Place::Large(header) if size > LARGEST => {
                // SAFETY: the caller's: the header is mapped.
                let grows = size > unsafe { header.as_ref() }.usable();
                let slack = if grows { size / SLACK } else { 0 };
                let size = size.saturating_add(slack);
                // SAFETY: the caller's.
                NonNull::new(unsafe { self.large.resize(self.geometry, header, size) })
            }
            Place::Region(region, owner) if (SHARING + 1..=LARGEST).contains(&size) => {
                // SAFETY: the block is live, so its span is.
                let span = unsafe { Region::span_of(region, block, self.geometry) };
                // SAFETY: the class of a live span changes with its block alone.
                let (now, class) = (unsafe { span.as_ref() }.class(), class_of(size));
                // SAFETY: the span is of that heap, and the block is the caller's.
                let fits = is_alone(now)
                    && class > now
                    && unsafe { self.heaps[owner].extend(span, class) };
                fits.then_some(block)
            }
            _ => None,
        }
    }

    /// Gives free memory back to the kernel; whether there was any.
    pub fn trim(&self) -> bool {
        let given = self.heaps.iter().filter(|heap| heap.trim()).count();
        self.large.trim() || given > 0
    }

    /// What the heaps hold now.
    #[must_use]
    pub fn stats(&self) -> Stats<'_> {
        Stats::of(self)
    }

    /// Whether the settings ask for what the heaps hold at the end of the program.
    #[must_use]
    pub fn prints_stats(&self) -> bool {
        self.config.stats
    }

    /// Writes what the heaps of this process hold to a descriptor, without allocating.
    pub fn print_stats(&self, descriptor: i32) {
        let said = format_args!("process {}:\n{}", std::process::id(), self.stats());
        os::write(descriptor, guard::Text::<4096>::of(said).bytes());
    }

    /// Takes all locks that can be had, before a fork.
    pub fn before_fork(&self) {
        self.locks().for_each(Lock::lock_for_fork);
    }

    /// Releases the locks that were taken for a fork, in the parent and in the child.
    /// # Safety
    /// This thread, or the one that forked it, called [`CoreAware::before_fork`] and nothing of this allocator since.
    pub unsafe fn after_fork(&self) {
        // SAFETY: the caller's.
        self.locks()
            .for_each(|lock| unsafe { lock.unlock_after_fork() });
    }

    fn locks(&self) -> impl Iterator<Item = &Lock> {
        let heaps = self.heaps.iter().map(|heap| &heap.inner.lock);
        heaps.chain(self.large.locks())
    }
}

// SAFETY: blocks are disjoint, aligned as asked for and live until they are freed: see the theory above, which
// `tests/model.rs` holds to random operations.
unsafe impl GlobalAlloc for CoreAware {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.allocate_aligned(layout.size(), layout.align())
    }

    unsafe fn dealloc(&self, block: *mut u8, _layout: Layout) {
        if let Some(block) = NonNull::new(block) {
            // SAFETY: the caller's.
            unsafe { self.free(block) };
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= natural_align(layout.size()) {
            return self.allocate_zeroed(layout.size());
        }
        let block = self.allocate_aligned(layout.size(), layout.align());
        if !block.is_null() {
            // SAFETY: the block has that many bytes.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }
}

#[cfg(test)]
mod tests;
