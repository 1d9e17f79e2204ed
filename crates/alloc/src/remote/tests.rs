//! Every order in which three cores can touch the list, under the memory model of C11: loom tries
//! them all, with every value that a weak load may see.
//!
//! The head is loom's. The links are plain memory, as in the product; beside each block stands a cell
//! that loom watches, which is written before the block is added and read when it comes home. Were
//! an order of the list too weak, the two would race, and loom would say so.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use loom::cell::UnsafeCell;
use loom::sync::atomic::AtomicPtr as LoomPtr;
use loom::thread;

use super::*;

impl Head for LoomPtr<Block> {
    fn load(&self, order: Ordering) -> *mut Block {
        self.load(order)
    }

    fn compare_exchange_weak(
        &self,
        expected: *mut Block,
        new: *mut Block,
        success: Ordering,
        failure: Ordering,
    ) -> Result<*mut Block, *mut Block> {
        self.compare_exchange_weak(expected, new, success, failure)
    }

    fn swap(&self, new: *mut Block, order: Ordering) -> *mut Block {
        self.swap(new, order)
    }
}

/// A list, and some blocks with a cell each that says who has the block.
struct Watched<const N: usize> {
    list: Remote<LoomPtr<Block>>,
    blocks: [NonNull<Block>; N],
    cells: [UnsafeCell<()>; N],
}

// SAFETY: a block is touched by the thread alone that has it, which is what is tested.
unsafe impl<const N: usize> Send for Watched<N> {}
// SAFETY: as above.
unsafe impl<const N: usize> Sync for Watched<N> {}

impl<const N: usize> Watched<N> {
    fn new() -> Arc<Self> {
        let block = |_| NonNull::from(Box::leak(Box::new(Block { next: null_mut() })));
        Arc::new(Self {
            list: Remote::with_head(LoomPtr::new(null_mut())),
            blocks: std::array::from_fn(block),
            cells: std::array::from_fn(|_| UnsafeCell::new(())),
        })
    }

    /// Adds some of the blocks as one chain.
    fn add(&self, which: &[usize]) {
        let block = |at: usize| {
            self.cells[at].with_mut(|_| ());
            self.blocks[at].cast::<u8>()
        };
        // SAFETY: the block is the test's, and no other thread adds it.
        let first = unsafe { Chain::of(block(which[0])) };
        let chain = which[1..].iter().fold(first, |chain, at| {
            // SAFETY: as above.
            unsafe { chain.with(block(*at)) }
        });
        self.list.add(chain);
    }

    /// Takes all that is there: which blocks.
    fn take(&self) -> Vec<usize> {
        let place = |block| {
            let at = self.blocks.iter().position(|own| *own == block);
            let at = at.expect("a block of the test");
            self.cells[at].with_mut(|_| ());
            at
        };
        self.list.take().map(place).collect()
    }
}

impl<const N: usize> Drop for Watched<N> {
    fn drop(&mut self) {
        for block in self.blocks {
            // SAFETY: it was leaked from a box by `new`, and nobody has it any more.
            drop(unsafe { Box::from_raw(block.as_ptr()) });
        }
    }
}

#[test]
fn every_order_of_two_cores_that_add_and_an_owner_that_takes_keeps_every_block() {
    loom::model(|| {
        let watched = Watched::<3>::new();
        let owner = {
            let watched = Arc::clone(&watched);
            thread::spawn(move || [watched.take(), watched.take()].concat())
        };
        let other = {
            let watched = Arc::clone(&watched);
            thread::spawn(move || watched.add(&[2]))
        };
        watched.add(&[0, 1]);
        other.join().unwrap();
        let mut got = owner.join().unwrap();
        got.extend(watched.take());
        got.sort_unstable();
        assert_eq!(got, [0, 1, 2]);
    });
}

/// The owner frees what came home, and it is added again: no ABA.
#[test]
fn a_block_that_comes_home_and_is_added_again_is_not_lost() {
    loom::model(|| {
        let watched = Watched::<2>::new();
        watched.add(&[0]);
        let other = {
            let watched = Arc::clone(&watched);
            thread::spawn(move || watched.add(&[1]))
        };
        let mut got = watched.take();
        if got.contains(&0) {
            got.retain(|at| *at != 0);
            watched.add(&[0]);
        }
        other.join().unwrap();
        got.extend(watched.take());
        got.sort_unstable();
        assert_eq!(got, [0, 1]);
    });
}
