//! Blocks on their way home: a list to which any core adds, and from which the owner takes all.
//!
//! # Theory
//!
//! A stack (R. K. Treiber, 1986) without a pop: who takes, takes everything by one exchange. So the
//! head never returns to a block that somebody still looks at, and there is no ABA. Who adds writes
//! the link of its last block before it publishes the first one (`Release`), and who takes sees
//! those links (`Acquire`).
//!
//! Blocks are added as a chain: a core collects those that it frees for others and pays for one
//! exchange a chain.

use std::ptr::{NonNull, null_mut};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicPtr, AtomicUsize};

use crate::region::Block;

/// Free blocks of one owner, linked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chain {
    first: NonNull<Block>,
    last: NonNull<Block>,
    blocks: usize,
}

impl Chain {
    /// A chain of one block.
    ///
    /// # Safety
    /// The block has at least a pointer's bytes, and nobody uses it any more.
    pub(crate) unsafe fn of(block: NonNull<u8>) -> Self {
        let block = block.cast::<Block>();
        Self {
            first: block,
            last: block,
            blocks: 1,
        }
    }

    /// The chain with another block before it.
    ///
    /// # Safety
    /// As [`Chain::of`].
    pub(crate) unsafe fn with(self, block: NonNull<u8>) -> Self {
        let block = block.cast::<Block>();
        // SAFETY: the caller's: the block is free, and nobody else writes to it.
        unsafe { (*block.as_ptr()).next = self.first.as_ptr() };
        Self {
            first: block,
            blocks: self.blocks + 1,
            ..self
        }
    }
}

/// The head of the list: an atomic pointer, or what takes its place in a test.
pub(crate) trait Head {
    fn get(&self) -> *mut Block;
    fn replace(&self, expected: *mut Block, new: *mut Block) -> Result<(), *mut Block>;
    fn take(&self) -> *mut Block;
}

impl Head for AtomicPtr<Block> {
    #[inline]
    fn get(&self) -> *mut Block {
        self.load(Relaxed)
    }

    #[inline]
    fn replace(&self, expected: *mut Block, new: *mut Block) -> Result<(), *mut Block> {
        let replaced = self.compare_exchange_weak(expected, new, Release, Relaxed);
        replaced.map(|_| ())
    }

    #[inline]
    fn take(&self) -> *mut Block {
        self.swap(null_mut(), Acquire)
    }
}

/// The list.
#[derive(Debug)]
pub(crate) struct Remote<H = AtomicPtr<Block>> {
    head: H,
    blocks: AtomicUsize,
}

impl Remote {
    pub(crate) const fn new() -> Self {
        Self::with_head(AtomicPtr::new(null_mut()))
    }
}

impl<H: Head> Remote<H> {
    pub(crate) const fn with_head(head: H) -> Self {
        Self {
            head,
            blocks: AtomicUsize::new(0),
        }
    }

    /// Adds a chain; about how many blocks wait then.
    pub(crate) fn add(&self, chain: Chain) -> usize {
        let mut head = self.head.get();
        loop {
            // SAFETY: the chain is the caller's until it is published.
            unsafe { (*chain.last.as_ptr()).next = head };
            match self.head.replace(head, chain.first.as_ptr()) {
                Ok(()) => break,
                Err(now) => head = now,
            }
        }
        self.blocks.fetch_add(chain.blocks, Relaxed) + chain.blocks
    }

    /// Takes all blocks and gives them to `home`, one by one.
    pub(crate) fn take(&self, mut home: impl FnMut(NonNull<Block>)) {
        if self.head.get().is_null() {
            return;
        }
        self.blocks.store(0, Relaxed);
        let mut next = self.head.take();
        while let Some(block) = NonNull::new(next) {
            // SAFETY: blocks on the list are free, and were linked before they were published.
            next = unsafe { block.as_ref() }.next;
            home(block);
        }
    }
}

#[cfg(test)]
mod tests;
