//! Blocks on their way home: a list to which any core adds, and from which the owner takes all. A
//! stack (R. K. Treiber, 1986) without a pop: who takes, takes everything by one exchange, so there
//! is no ABA. Who adds writes the link of its last block before it publishes the first one
//! (`Release`), and who takes sees those links (`Acquire`). Chains take one exchange.

use std::ptr::{NonNull, null_mut};
use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicPtr, AtomicUsize};

use crate::region::Block;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Chain {
    first: NonNull<Block>,
    last: NonNull<Block>,
    blocks: usize,
}

impl Chain {
    /// Safety: the block has at least a pointer's bytes, and nobody uses it any more.
    pub(crate) unsafe fn of(block: NonNull<u8>) -> Self {
        let block = block.cast::<Block>();
        Self {
            first: block,
            last: block,
            blocks: 1,
        }
    }

    /// The chain, counted as this many blocks, at least one.
    pub(crate) fn as_heavy_as(self, blocks: usize) -> Self {
        Self {
            blocks: blocks.max(1),
            ..self
        }
    }

    /// Safety: as [`Chain::of`].
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

/// The head of the list: an atomic pointer, or that of a model checker in a test.
pub(crate) trait Head {
    fn load(&self, order: Ordering) -> *mut Block;
    fn compare_exchange_weak(
        &self,
        expected: *mut Block,
        new: *mut Block,
        success: Ordering,
        failure: Ordering,
    ) -> Result<*mut Block, *mut Block>;
    fn swap(&self, new: *mut Block, order: Ordering) -> *mut Block;
}

impl Head for AtomicPtr<Block> {
    #[inline]
    fn load(&self, order: Ordering) -> *mut Block {
        self.load(order)
    }

    #[inline]
    fn compare_exchange_weak(
        &self,
        expected: *mut Block,
        new: *mut Block,
        success: Ordering,
        failure: Ordering,
    ) -> Result<*mut Block, *mut Block> {
        self.compare_exchange_weak(expected, new, success, failure)
    }

    #[inline]
    fn swap(&self, new: *mut Block, order: Ordering) -> *mut Block {
        self.swap(new, order)
    }
}

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
        let mut head = self.head.load(Relaxed);
        loop {
            // SAFETY: the chain is the caller's until it is published.
            unsafe { (*chain.last.as_ptr()).next = head };
            let first = chain.first.as_ptr();
            match (self.head).compare_exchange_weak(head, first, Release, Relaxed) {
                Ok(_) => break,
                Err(now) => head = now,
            }
        }
        self.blocks.fetch_add(chain.blocks, Relaxed) + chain.blocks
    }

    /// The blocks that waited; each may be used at once, as its link was read.
    pub(crate) fn take(&self) -> impl Iterator<Item = NonNull<Block>> + use<H> {
        let mut next = null_mut();
        if !self.head.load(Relaxed).is_null() {
            self.blocks.store(0, Relaxed);
            next = self.head.swap(null_mut(), Acquire);
        }
        std::iter::from_fn(move || {
            let block = NonNull::new(next)?;
            // SAFETY: blocks on the list are free, and were linked before they were published.
            next = unsafe { block.as_ref() }.next;
            Some(block)
        })
    }
}

#[cfg(test)]
mod tests;
