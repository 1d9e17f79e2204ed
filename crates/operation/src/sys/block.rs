use std::hint::black_box;
use std::io;
use std::ptr::NonNull;

#[derive(Debug)]
pub(crate) struct Block {
    base: NonNull<u64>,
    words: usize,
}

impl Block {
    /// At least one word. Opaque to the compiler, which would drop an unused block.
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

    #[inline]
    pub(crate) fn mark(&mut self, word: u64) {
        // SAFETY: the block has this word, and nobody else has the block.
        unsafe { self.base.write(word) };
        // SAFETY: the last word lies in the block.
        let last = unsafe { self.base.add(self.words - 1) };
        // SAFETY: as above.
        unsafe { last.write(word) };
    }

    /// It must have been written.
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

/// Makes blocks of 128 KB and more mappings of their own.
pub(crate) fn map_large_blocks() -> io::Result<()> {
    option(libc::M_MMAP_THRESHOLD, 128 << 10)
}

/// The allocator will not move the break for the next `bytes` bytes.
pub(crate) fn make_room(bytes: i32) -> io::Result<()> {
    option(libc::M_TRIM_THRESHOLD, i32::MAX)?;
    option(libc::M_TOP_PAD, bytes)?;
    // Together more than is free now, each below the threshold of mappings.
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
