//! Memory that moves with a fiber: the low end of its slot, at the same address in every process.
//! Boxes, vectors and strings made in it stay valid wherever the fiber goes. It needs no lock.
//! ```text
//!  base │ header: used, free lists by size │ blocks … │ unused … │ canary │ stack
//! ```
//! Sizes: powers of two from 16 bytes on. A block is taken from the list of its size, or from what
//! is unused, and goes back there; blocks are never joined. What is used ends at one address: a
//! copy leaves the rest. A full arena refuses ([`ArenaFull`]): the ordinary heap would not move.

use std::alloc::Layout;
use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;

use allocator_api2::alloc::{AllocError, Allocator};
use allocator_api2::vec::Vec;

use super::values::Movable;

const LEAST: usize = 16;
const SIZES: usize = 26;

/// The running fiber's arena: an allocator for boxes and vectors of [`allocator_api2`].
#[derive(Clone, Copy)]
pub struct Arena<'f> {
    header: NonNull<Header>,
    fiber: PhantomData<&'f ()>,
}

// SAFETY: it points to the fiber's own slot, which has one address everywhere.
unsafe impl Movable for Arena<'_> {}

/// The arena has no room for this many bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the fiber's arena of {bytes} bytes is full ({used} used) and has no room for {asked} more: make it larger with Config::arena"
)]
pub struct ArenaFull {
    /// What was asked for.
    pub asked: usize,
    /// What is used.
    pub used: usize,
    /// What there is.
    pub bytes: usize,
}

#[derive(Debug)]
#[repr(C, align(16))]
struct Header {
    used: usize,
    bytes: usize,
    /// As distance from the base; 0: none.
    free: [usize; SIZES],
}

impl<'f> Arena<'f> {
    /// Empty, of `bytes` at `base`. Safety: they are the running fiber's own, and unused.
    pub(crate) unsafe fn begin(base: *mut u8, bytes: usize) -> Option<Arena<'f>> {
        let header = NonNull::new(base.cast::<Header>()).filter(|_| bytes > size_of::<Header>())?;
        let empty = Header {
            used: size_of::<Header>(),
            bytes,
            free: [0; SIZES],
        };
        // SAFETY: aligned to a cache line, with room for a header (just checked).
        unsafe { header.write(empty) };
        Some(Arena {
            header,
            fiber: PhantomData,
        })
    }

    /// Bytes from `base` on. Safety: an arena was begun there, if it has room, and is not in use.
    pub(crate) unsafe fn used_of(base: *const u8, bytes: usize) -> usize {
        if bytes <= size_of::<Header>() {
            return 0;
        }
        // SAFETY: the caller's promise.
        let header = unsafe { base.cast::<Header>().as_ref_unchecked() };
        header.used.min(bytes)
    }

    /// Bytes of the arena.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.header().bytes
    }

    /// Bytes in use or kept for later, from the low end on.
    #[must_use]
    pub fn used(&self) -> usize {
        self.header().used
    }

    /// A box in the arena. Errors: the arena is full.
    pub fn try_box<T>(self, value: T) -> Result<allocator_api2::boxed::Box<T, Self>, ArenaFull> {
        let asked = size_of::<T>();
        allocator_api2::boxed::Box::try_new_in(value, self).map_err(|_| self.full(asked))
    }

    /// A vector in the arena with room for `capacity` values; grown beyond the arena, it ends the
    /// program (`try_reserve` says so instead). Errors: the arena is full.
    pub fn try_vec<T>(self, capacity: usize) -> Result<Vec<T, Self>, ArenaFull> {
        let mut vec = Vec::new_in(self);
        let asked = capacity.saturating_mul(size_of::<T>());
        vec.try_reserve_exact(capacity)
            .map_err(|_| self.full(asked))?;
        Ok(vec)
    }

    /// A string in the arena. Errors: the arena is full.
    pub fn try_text(self, text: &str) -> Result<Text<'f>, ArenaFull> {
        let mut bytes = self.try_vec(text.len())?;
        bytes.extend_from_slice(text.as_bytes());
        Ok(Text(bytes))
    }

    fn full(self, asked: usize) -> ArenaFull {
        let Header { used, bytes, .. } = *self.header();
        ArenaFull { asked, used, bytes }
    }

    fn header(&self) -> &Header {
        // SAFETY: `begin` wrote it, and the fiber's slot is there as long as the fiber.
        unsafe { self.header.as_ref() }
    }

    #[expect(
        clippy::mut_from_ref,
        reason = "the one place where the header is changed"
    )]
    fn header_mut(&self) -> &mut Header {
        // SAFETY: as above; one kernel thread uses an arena, and no reference leaves this file.
        unsafe { &mut *self.header.as_ptr() }
    }

    fn at(&self, distance: usize) -> *mut u8 {
        self.header.as_ptr().cast::<u8>().wrapping_add(distance)
    }

    fn take(&self, layout: Layout) -> Option<*mut u8> {
        let (size, class) = block(layout)?;
        let header = self.header_mut();
        let free = header.free[class];
        if free != 0 {
            // SAFETY: a free block begins with the distance of the next one.
            header.free[class] = unsafe { self.at(free).cast::<usize>().read() };
            return Some(self.at(free));
        }
        let end = header
            .used
            .checked_add(size)
            .filter(|end| *end <= header.bytes)?;
        let start = std::mem::replace(&mut header.used, end);
        Some(self.at(start))
    }

    fn give_back(&self, block_at: *mut u8, layout: Layout) {
        let Some((size, class)) = block(layout) else {
            return;
        };
        let header = self.header_mut();
        let distance = block_at.addr() - self.at(0).addr();
        if distance + size == header.used {
            header.used = distance;
            return;
        }
        let next = std::mem::replace(&mut header.free[class], distance);
        // SAFETY: the block is ours again, aligned, and has room for a word.
        unsafe { block_at.cast::<usize>().write(next) };
    }
}

impl fmt::Debug for Arena<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Arena({} of {} bytes used)", self.used(), self.bytes())
    }
}

/// Bytes and size class; `None` for larger alignments than a block has.
fn block(layout: Layout) -> Option<(usize, usize)> {
    let size = layout.size().max(LEAST).checked_next_multiple_of(LEAST)?;
    let size = size.checked_next_power_of_two()?;
    let class = (size / LEAST).trailing_zeros() as usize;
    (layout.align() <= LEAST && class < SIZES).then_some((size, class))
}

// SAFETY: blocks are apart, aligned to 16 bytes, and stay; copies of an arena are the same arena.
unsafe impl Allocator for Arena<'_> {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let block = self.take(layout).and_then(NonNull::new).ok_or(AllocError)?;
        Ok(NonNull::slice_from_raw_parts(block, layout.size()))
    }

    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        self.give_back(block.as_ptr(), layout);
    }
}

/// A string in an arena.
pub struct Text<'f>(Vec<u8, Arena<'f>>);

impl Text<'_> {
    /// Adds to its end. Errors: the arena is full; nothing was added.
    pub fn try_push_str(&mut self, text: &str) -> Result<(), ArenaFull> {
        let arena = *self.0.allocator();
        let grown = self.0.try_reserve(text.len());
        grown.map_err(|_| arena.full(text.len()))?;
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

impl std::ops::Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        // Only whole strings were added.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Does something with an arena of 4 KiB.
    fn with_arena(look: impl FnOnce(Arena<'_>)) {
        #[repr(align(64))]
        struct Memory([u8; 4_096]);
        let mut memory = Memory([0; 4_096]);
        // SAFETY: the memory is ours and outlives the arena.
        let arena = unsafe { Arena::begin(memory.0.as_mut_ptr(), 4_096) };
        look(arena.unwrap());
    }

    #[test]
    fn what_is_given_back_is_used_again() {
        with_arena(|arena| {
            let empty = arena.used();
            let first = arena.try_box([1_u64; 4]).unwrap();
            let second = arena.try_box([2_u64; 4]).unwrap();
            let place = (&raw const *first).addr();
            let used = arena.used();
            drop(first);
            let third = arena.try_box([3_u64; 3]).unwrap();
            assert_eq!((&raw const *third).addr(), place);
            assert_eq!(arena.used(), used);
            drop(second);
            drop(third);
            assert!(arena.used() < used && arena.used() >= empty);
        });
    }

    #[test]
    fn a_full_arena_says_so_and_goes_on() {
        with_arena(|arena| {
            let full = arena.try_box([0_u8; 4_096]).unwrap_err();
            assert_eq!((full.asked, full.bytes), (4_096, 4_096));
            assert!(full.to_string().contains("Config::arena"), "{full}");
            let mut text = arena.try_text("short").unwrap();
            let long = "x".repeat(4_000);
            assert!(text.try_push_str(&long).is_err());
            text.try_push_str("er").unwrap();
            assert_eq!(&*text, "shorter");
        });
    }

    #[test]
    fn alignments_that_a_block_has_not_are_refused() {
        #[repr(align(64))]
        struct Wide(#[expect(dead_code, reason = "takes room")] u8);
        with_arena(|arena| assert!(arena.try_box(Wide(1)).is_err()));
    }

    proptest::proptest! {
        #[test]
        fn blocks_never_overlap(steps in proptest::collection::vec((0_usize..200, 0_usize..8), 1..200)) {
            with_arena(|arena| {
                let mut kept: std::vec::Vec<(Vec<u8, Arena<'_>>, u8)> = std::vec::Vec::new();
                for (number, (bytes, drops)) in steps.into_iter().enumerate() {
                    if let Ok(mut block) = arena.try_vec(bytes) {
                        block.resize(bytes, number as u8);
                        kept.push((block, number as u8));
                    }
                    if drops < kept.len() {
                        kept.swap_remove(drops);
                    }
                    for (block, mark) in &kept {
                        assert!(block.iter().all(|byte| byte == mark));
                    }
                }
            });
        }
    }
}
