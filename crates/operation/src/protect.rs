//! `mprotect`, `madvise`: what may be done with a mapping changes. The kernel takes translations
//! out of the TLB: of this CPU, and by an interrupt of others in the address space.

use std::sync::atomic::Ordering;

use crate::check::{at_length, must, same};
use crate::sys::memory::{Access, Mapping, Of, PAGE, one_by_one, takes_writes};
use crate::{Facts, OperationContext, PerFlow};

const FAMILY: &str = "address space";

const PAGES: usize = 16;

fn memory() -> Mapping {
    one_by_one(must("map memory", Mapping::new(PAGES * PAGE, Of::Private)))
}

#[derive(Debug)]
pub(crate) struct Protect(Mapping);

impl PerFlow for Protect {
    const FACTS: Facts = Facts {
        name: "mprotect",
        family: FAMILY,
        does: "forbid writing to 64 KB, allow it again, write",
        verified: "what is written is there; 1 in 64 refuses a write while it is forbidden",
        ops: 1_500,
        ..Facts::USUAL
    };

    fn make(_context: &OperationContext, _flow: usize) -> Self {
        Self(memory())
    }

    fn repeat(&mut self, ops: u64) -> u64 {
        let page = PAGES - 1;
        self.0.page(page).store(0, Ordering::Relaxed);
        for op in 0..ops {
            must("forbid writing", self.0.allow(Access::Read));
            if at_length(op) {
                refuses_writes(&self.0);
            }
            must("allow writing", self.0.allow(Access::Write));
            self.0.page(page).fetch_add(1, Ordering::Relaxed);
        }
        let writes = self.0.page(page).load(Ordering::Relaxed);
        same("the number of writes", writes, ops);
        writes
    }
}

fn refuses_writes(memory: &Mapping) {
    let takes = must("try to write", takes_writes(memory));
    assert!(!takes, "memory that must not be written takes writes");
}

#[derive(Debug)]
pub(crate) struct Forget(Mapping);

impl PerFlow for Forget {
    const FACTS: Facts = Facts {
        name: "madvise",
        family: FAMILY,
        does: "write to a page and give it back (MADV_DONTNEED)",
        verified: "each page is zero when it comes back",
        ops: 1_200,
        ..Facts::USUAL
    };

    fn make(_context: &OperationContext, _flow: usize) -> Self {
        Self(memory())
    }

    fn repeat(&mut self, ops: u64) -> u64 {
        let mut checksum = 0;
        for op in 0..ops {
            let page = op as usize % PAGES;
            let was = self.0.page(page).fetch_add(op + 1, Ordering::Relaxed);
            same("a page that was given back", was, 0);
            checksum += self.0.page(page).load(Ordering::Relaxed);
            must("give a page back", self.0.forget(page));
        }
        checksum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "takes writes")]
    fn memory_that_takes_writes_is_found() {
        refuses_writes(&memory());
    }

    #[test]
    #[should_panic(expected = "a page that was given back")]
    fn a_page_that_was_kept_is_found() {
        let memory = memory();
        memory.page(3).store(1, Ordering::Relaxed);
        Forget(memory).repeat(4);
    }
}
