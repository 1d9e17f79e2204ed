//! `malloc-*`: the allocator of the C library. Large blocks are mappings. Small ones come from
//! arenas, one a thread as long as there are enough, locked where there are threads.

use std::io;

use crate::check::{Recurrence, must, same};
use crate::sys::block::{Block, map_large_blocks};
use crate::{Facts, Operation, OperationContext, PerFlow};

const FAMILY: &str = "allocator";

const LARGE: usize = (1 << 20) / 8;

#[derive(Debug)]
pub(crate) struct Large {
    flows: u64,
}

impl Operation for Large {
    const FACTS: Facts = Facts {
        name: "malloc-large",
        family: FAMILY,
        does: "allocate 1 MB, write its ends, free it",
        verified: "addresses come again; each block holds its number",
        ops: 300,
        ..Facts::USUAL
    };

    type State = ();

    fn prepare(context: &OperationContext) -> io::Result<Self> {
        map_large_blocks()?;
        Ok(Self {
            flows: context.flows,
        })
    }

    fn own(&self, _flow: usize) {}

    fn repeat(&self, (): &mut (), ops: u64) -> u64 {
        let mut addresses = Recurrence::new(self.flows);
        let mut checksum = 0;
        for op in 0..ops {
            let mut block = must("allocate memory", Block::new(LARGE));
            addresses.down(block.address());
            block.mark(op);
            checksum += block.last();
        }
        addresses.check("addresses of blocks");
        checksum
    }
}

const BATCH: u64 = 64;

/// 16 bytes to 1 KB.
#[derive(Debug)]
pub(crate) struct Small {
    blocks: Vec<Block>,
}

impl PerFlow for Small {
    const FACTS: Facts = Facts {
        name: "malloc-small",
        family: FAMILY,
        does: "allocate a block of 16 bytes to 1 KB and free it, 64 at a time",
        verified: "each block holds its number when it is freed",
        ops: 250_000,
        ..Facts::USUAL
    };

    fn make(_context: &OperationContext, _flow: usize) -> Self {
        Self {
            blocks: Vec::with_capacity(BATCH as usize),
        }
    }

    fn repeat(&mut self, ops: u64) -> u64 {
        let mut checksum = 0;
        for first in (0..ops).step_by(BATCH as usize) {
            for op in first..ops.min(first + BATCH) {
                let words = 2 * (op % BATCH + 1) as usize;
                let mut block = must("allocate memory", Block::new(words));
                block.mark(op);
                self.blocks.push(block);
            }
            checksum += freed(&mut self.blocks, first);
        }
        checksum
    }
}

fn freed(blocks: &mut Vec<Block>, first: u64) -> u64 {
    let mut checksum = 0;
    for (block, op) in blocks.drain(..).zip(first..) {
        same("the last word of a block", block.last(), op);
        checksum += op;
    }
    checksum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "the last word of a block")]
    fn a_block_that_was_overwritten_is_found() {
        let mut blocks = vec![Block::new(2).unwrap(), Block::new(4).unwrap()];
        blocks[0].mark(7);
        blocks[1].mark(7);
        freed(&mut blocks, 7);
    }
}
