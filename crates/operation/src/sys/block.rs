//! Memory of the C library's allocator.

use std::hint::black_box;
use std::io;
use std::ptr::NonNull;

/// A block that was allocated and not freed.
#[derive(Debug)]
pub(crate) struct Block {
    base: NonNull<u64>,
    words: usize,
}

impl Block {
    /// Allocates `words` words, one at least. The compiler does not see that a block may be of
    /// no use, and so cannot leave it out.
    #[inline]
    pub(crate) fn new(words: usize) -> io::Result<Self> {
        // SAFETY: the call has no preconditions.
        let base = unsafe { libc::malloc(words * size_of::<u64>()) };
        let base = NonNull::new(black_box(base).cast()).ok_or_else(io::Error::last_os_error)?;
        Ok(Self { base, words })
    }

    pub(crate) fn address(&self) -> u64 {
        self.base.addr().get() as u64
    }

    /// Writes the first and the last word.
    #[inline]
    pub(crate) fn mark(&mut self, word: u64) {
        // SAFETY: the block has this word, and nobody else has the block.
        unsafe { self.base.write(word) };
        // SAFETY: the last word lies in the block.
        let last = unsafe { self.base.add(self.words - 1) };
        // SAFETY: as above.
        unsafe { last.write(word) };
    }

    /// The last word. It must have been written.
    #[inline]
    pub(crate) fn last(&self) -> u64 {
        // SAFETY: the last word lies in the block.
        let last = unsafe { self.base.add(self.words - 1) };
        // SAFETY: the word was written by `mark`, which callers see to.
        unsafe { black_box(last).read() }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: the block was allocated by `new` and is freed here alone.
        unsafe { libc::free(self.base.as_ptr().cast()) };
    }
}

/// From now on blocks of 128 KB and more are mappings of their own.
pub(crate) fn map_large_blocks() -> io::Result<()> {
    option(libc::M_MMAP_THRESHOLD, 128 << 10)
}

/// Gives the allocator room, so that it does not move the break for `bytes` bytes.
pub(crate) fn make_room(bytes: i32) -> io::Result<()> {
    option(libc::M_TRIM_THRESHOLD, i32::MAX)?;
    option(libc::M_TOP_PAD, bytes)?;
    // Together more than what is free now, and each below what becomes a mapping.
    let blocks: Result<Vec<Block>, _> = (0..4).map(|_| Block::new(12 << 10)).collect();
    blocks.map(drop)
}

fn option(option: libc::c_int, value: libc::c_int) -> io::Result<()> {
    // SAFETY: the call takes numbers alone.
    match unsafe { libc::mallopt(option, value) } {
        1 => Ok(()),
        _ => Err(io::Error::other("the allocator refuses an option")),
    }
}
