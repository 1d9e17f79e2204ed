//! Blocks that are checked: double frees, overflows, pointers that are no block. A guarded block
//! ends with a word that holds its requested size, mixed with its address; the bytes between are
//! filled. A freed block carries a mark, mixed in the same way, in its second word. A program that
//! writes beyond a block, frees one twice, or frees a pointer into one ends with a message at the
//! free, unless the block serves another request by then. Pointers from outside any heap may fault.

use std::ptr::NonNull;

use crate::os;
use crate::{CoreAware, Place};

const TAIL: usize = size_of::<u64>();
const LIVE: u64 = 0x6c69_7665_2d62_6c6b;
const FREED: u64 = 0x6672_6565_642d_626b;
const FILL: u8 = 0xfd;
pub(crate) const FREED_TWICE: &str = "freed twice";
pub(crate) const NO_BLOCK: &str = "not a block of this allocator";
pub(crate) const NOT_A_BEGINNING: &str = "not the beginning of a block";

fn mixed(word: u64, block: NonNull<u8>) -> u64 {
    word ^ (block.addr().get() as u64).rotate_left(23)
}

fn tail(block: NonNull<u8>, capacity: usize) -> *mut u64 {
    block.as_ptr().wrapping_add(capacity - TAIL).cast()
}

fn mark(block: NonNull<u8>) -> *mut u64 {
    block.as_ptr().wrapping_add(size_of::<usize>()).cast()
}

/// Safety: `block` is a live block of `capacity` bytes.
pub(crate) unsafe fn requested(block: NonNull<u8>, capacity: usize) -> usize {
    // SAFETY: the caller's.
    let word = unsafe { tail(block, capacity).read_unaligned() };
    let size = mixed(word, block) ^ LIVE;
    usize::try_from(size).unwrap_or(usize::MAX)
}

impl CoreAware {
    pub(crate) fn allocate_guarded(&self, size: usize, align: usize) -> *mut u8 {
        let Some(with_tail) = size.checked_add(TAIL) else {
            return std::ptr::null_mut();
        };
        let at = self
            .allocate_at(self.here(), with_tail.max(2 * TAIL), align)
            .0;
        let Some(block) = NonNull::new(at) else {
            return at;
        };
        // SAFETY: the block was just made.
        let capacity = unsafe { self.capacity(block) };
        // SAFETY: every block has two words; a mark of an earlier life must not stay.
        unsafe { mark(block).write_unaligned(0) };
        let fill = capacity - TAIL - size;
        // SAFETY: `size + fill + TAIL` is the capacity.
        unsafe { at.wrapping_add(size).write_bytes(FILL, fill) };
        let word = mixed(LIVE ^ size as u64, block);
        // SAFETY: the block ends with this word.
        unsafe { tail(block, capacity).write_unaligned(word) };
        at
    }

    /// Ends the process unless a block is live and nothing was written beyond it; marks it freed.
    /// Safety: `block` was given out by this allocator, at `place`.
    pub(crate) unsafe fn check_guard(&self, block: NonNull<u8>, place: &Place) {
        let is_large = matches!(place, Place::Large(_));
        // SAFETY: the caller's; a large block that was freed is no longer mapped.
        let capacity = unsafe { self.capacity(block) };
        // SAFETY: every block has two words.
        if unsafe { mark(block).read_unaligned() } == mixed(FREED, block) {
            abort(FREED_TWICE, block);
        }
        // SAFETY: the block has that capacity.
        let size = unsafe { requested(block, capacity) };
        if size > capacity - TAIL {
            abort("written beyond its end", block);
        }
        let fill = size..capacity - TAIL;
        // SAFETY: the filled bytes lie within the block.
        let is_filled = |at: usize| unsafe { *block.as_ptr().wrapping_add(at) } == FILL;
        if !fill.clone().all(is_filled) {
            abort("written beyond its end", block);
        }
        if !is_large {
            // SAFETY: every block has two words, and this one is free now.
            unsafe { mark(block).write_unaligned(mixed(FREED, block)) };
        }
    }
}

pub(crate) fn abort(what: &str, block: NonNull<u8>) -> ! {
    let said = format_args!("flowgauge malloc: block {block:p}: {what}\n");
    os::write(libc::STDERR_FILENO, Text::<160>::of(said).bytes());
    std::process::abort()
}

/// Text that is written without allocating; what does not fit is left out.
pub(crate) struct Text<const ROOM: usize> {
    text: [u8; ROOM],
    at: usize,
}

impl<const ROOM: usize> Text<ROOM> {
    pub(crate) fn of(said: std::fmt::Arguments<'_>) -> Self {
        let (text, at) = ([0; ROOM], 0);
        let mut own = Self { text, at };
        let _too_long = std::fmt::Write::write_fmt(&mut own, said);
        own
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.text[..self.at]
    }
}

impl<const ROOM: usize> std::fmt::Write for Text<ROOM> {
    fn write_str(&mut self, more: &str) -> std::fmt::Result {
        let room = &mut self.text[self.at..];
        let fits = more.len().min(room.len());
        room[..fits].copy_from_slice(&more.as_bytes()[..fits]);
        self.at += fits;
        Ok(())
    }
}
