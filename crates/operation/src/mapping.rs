//! `mmap`: memory is mapped and given back.
//!
//! Nothing is touched but the first page of one mapping in [`EVERY`](crate::check::EVERY), so
//! what is timed is the change of the address space itself, under its lock.

use std::io;
use std::sync::atomic::Ordering;

use crate::check::{Recurrence, at_length, must, same};
use crate::facts::Facts;
use crate::repeat::Operation;
use crate::site::Site;
use crate::sys::memory::{Mapping, Of};

/// Bytes that are mapped at once.
const LENGTH: usize = 1 << 20;

/// Maps memory without a file.
#[derive(Debug)]
pub(crate) struct Anonymous {
    flows: u64,
}

impl Operation for Anonymous {
    const FACTS: Facts = Facts {
        name: "mmap",
        family: "address space",
        does: "map 1 MB of memory and unmap it",
        shares: "nothing",
        verified: "addresses come again; 1 in 64 is new (zero), written and read back",
        ops: 2_000,
        needs_folder: false,
    };

    type Own = ();

    fn prepare(site: &Site<'_>) -> io::Result<Self> {
        Ok(Self { flows: site.flows })
    }

    fn own(&self, _flow: usize) {}

    fn repeat(&self, (): &mut (), ops: u64) -> u64 {
        let mut addresses = Recurrence::new(self.flows);
        let mut checksum = 0;
        for op in 0..ops {
            let mapping = must("map memory", Mapping::new(LENGTH, Of::Private));
            addresses.down(mapping.address());
            if at_length(op) {
                checksum += written(&mapping, op);
            }
            must("unmap memory", mapping.unmap());
        }
        addresses.check("addresses of mappings");
        checksum
    }
}

/// Writes into new memory, and reads back what was written.
fn written(mapping: &Mapping, op: u64) -> u64 {
    let word = mapping.page(0);
    same(
        "the first word of new memory",
        word.load(Ordering::Relaxed),
        0,
    );
    word.store(op + 1, Ordering::Relaxed);
    word.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "0x5 came and not 0x0")]
    fn memory_that_is_not_new_is_found() {
        let mapping = Mapping::new(LENGTH, Of::Private).unwrap();
        mapping.page(0).store(5, Ordering::Relaxed);
        written(&mapping, 0);
    }
}
