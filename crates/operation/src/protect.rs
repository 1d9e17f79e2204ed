//! `mprotect`, `madvise`: what is mapped stays, what may be done with it changes.
//!
//! Both make the kernel take translations out of the TLB: of this CPU, and of each other CPU
//! that runs a flow in the same address space, which it has to interrupt for that.

use std::io;
use std::sync::atomic::Ordering;

use crate::check::{at_length, must, same};
use crate::context::OperationContext;
use crate::facts::Facts;
use crate::repeat::Operation;
use crate::sys::memory::{Access, Mapping, Of, PAGE, one_by_one, takes_writes};

const FAMILY: &str = "address space";

/// Pages of a flow's memory.
const PAGES: usize = 16;

fn memory() -> Mapping {
    one_by_one(must("map memory", Mapping::new(PAGES * PAGE, Of::Private)))
}

/// Takes away the right to write to a page, and gives it back.
#[derive(Debug)]
pub(crate) struct Protect;

impl Operation for Protect {
    const FACTS: Facts = Facts {
        name: "mprotect",
        family: FAMILY,
        does: "forbid writing to 64 KB, allow it again, write",
        shares: "nothing",
        verified: "what is written is there; 1 in 64 refuses a write while it is forbidden",
        ops: 1_500,
        needs_folder: false,
        waits: false,
    };

    type State = Mapping;

    fn prepare(_site: &OperationContext<'_>) -> io::Result<Self> {
        Ok(Self)
    }

    fn own(&self, _flow: usize) -> Mapping {
        memory()
    }

    fn repeat(&self, own: &mut Mapping, ops: u64) -> u64 {
        let page = PAGES - 1;
        own.page(page).store(0, Ordering::Relaxed);
        for op in 0..ops {
            must("forbid writing", own.allow(Access::Read));
            if at_length(op) {
                refuses_writes(own);
            }
            must("allow writing", own.allow(Access::Write));
            own.page(page).fetch_add(1, Ordering::Relaxed);
        }
        let writes = own.page(page).load(Ordering::Relaxed);
        same("the number of writes", writes, ops);
        writes
    }
}

fn refuses_writes(memory: &Mapping) {
    let takes = must("try to write", takes_writes(memory));
    assert!(!takes, "memory that must not be written takes writes");
}

/// Has the kernel forget a page.
#[derive(Debug)]
pub(crate) struct Forget;

impl Operation for Forget {
    const FACTS: Facts = Facts {
        name: "madvise",
        family: FAMILY,
        does: "write to a page and give it back (MADV_DONTNEED)",
        shares: "nothing",
        verified: "each page is zero when it comes back",
        ops: 1_200,
        needs_folder: false,
        waits: false,
    };

    type State = Mapping;

    fn prepare(_site: &OperationContext<'_>) -> io::Result<Self> {
        Ok(Self)
    }

    fn own(&self, _flow: usize) -> Mapping {
        memory()
    }

    fn repeat(&self, own: &mut Mapping, ops: u64) -> u64 {
        let mut checksum = 0;
        for op in 0..ops {
            let page = op as usize % PAGES;
            let was = own.page(page).fetch_add(op + 1, Ordering::Relaxed);
            same("a page that was given back", was, 0);
            checksum += own.page(page).load(Ordering::Relaxed);
            must("give a page back", own.forget(page));
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
        let mut own = memory();
        own.page(3).store(1, Ordering::Relaxed);
        Forget.repeat(&mut own, 4);
    }
}
