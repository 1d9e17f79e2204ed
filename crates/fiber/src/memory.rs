//! Memory from the kernel: mappings, and tables of words in them. A scheduler reserves address
//! space for all fibers it may ever hold, and the kernel gives a page when it is first touched:
//! nothing is moved, no table grows. That is most of what a new fiber costs: a page of 4 KiB took
//! 1.2 us where measured, one by one or by `MADV_POPULATE_WRITE`, one of 2 MiB 45 us, a tenth of
//! that a byte. So what fills half of a huge page gets a whole one.
//!
//! A [`Mapping`] is all that the rest of the crate knows of where slots lie: private memory, or a
//! part of a [`Region`](crate::movable::Region). Slots hold stacks and arenas.

use std::io;
use std::marker::PhantomData;
use std::ptr::NonNull;

use sys::{Access, Advice, Of};

pub(crate) use sys::PAGE;

pub(crate) const LINE: usize = 64;

/// Fewer TLB entries for dense slots.
pub(crate) const HUGE_PAGE: usize = 2 << 20;

pub(crate) fn in_whole_pages(bytes: usize) -> usize {
    let page = match bytes % HUGE_PAGE >= HUGE_PAGE / 2 {
        true => HUGE_PAGE,
        false => PAGE,
    };
    bytes.next_multiple_of(page)
}

/// Readable, writable, zero until written; unmapped when dropped.
#[derive(Debug)]
pub(crate) struct Mapping {
    base: NonNull<u8>,
    bytes: usize,
    below: usize,
    /// `None`: part of a larger mapping.
    own: Option<sys::Mapping>,
}

impl Mapping {
    /// Of a mapping that outlives it, above `below` untouchable bytes.
    pub(crate) fn part(base: NonNull<u8>, bytes: usize, below: usize) -> Mapping {
        Mapping {
            base,
            bytes,
            below,
            own: None,
        }
    }

    pub(crate) fn above(own: sys::Mapping, below: usize) -> Mapping {
        // SAFETY: every caller maps at least these bytes.
        let base = unsafe { own.base().add(below) };
        Mapping {
            base,
            bytes: own.len() - below,
            below,
            own: Some(own),
        }
    }

    /// Above `below` untouchable bytes (whole pages), on a boundary of huge pages if it can hold one.
    pub(crate) fn private(below: usize, bytes: usize) -> io::Result<Mapping> {
        let bytes = bytes.max(1).next_multiple_of(PAGE);
        let own = match bytes < HUGE_PAGE {
            true => sys::Mapping::new_unreserved(below + bytes, Of::Private),
            false => sys::Mapping::on_boundary(below + bytes, Of::Private, HUGE_PAGE, below),
        }?;
        if below > 0 {
            own.allow_part(0..below, Access::Nothing)?;
        }
        Ok(Mapping::above(own, below))
    }

    pub(crate) fn untouchable(bytes: usize) -> io::Result<Mapping> {
        let bytes = bytes.max(HUGE_PAGE).next_multiple_of(PAGE);
        let own = sys::Mapping::on_boundary(bytes, Of::Private, HUGE_PAGE, 0)?;
        own.allow(Access::Nothing)?;
        Ok(Mapping::above(own, 0))
    }

    pub(crate) fn is_below(&self, address: usize) -> bool {
        let base = self.base().addr();
        (base - self.below..base).contains(&address)
    }

    /// Whole huge pages if it fills half of the last: one takes as long as some forty small ones.
    pub(crate) fn in_huge_pages(below: usize, bytes: usize) -> io::Result<Mapping> {
        let mapping = Mapping::private(below, in_whole_pages(bytes))?;
        if let Some(own) = mapping.own.as_ref().filter(|_| mapping.bytes >= HUGE_PAGE) {
            let _works_without = own.advise(Advice::HugePages);
        }
        Ok(mapping)
    }

    pub(crate) fn base(&self) -> *mut u8 {
        self.base.as_ptr()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn end(&self) -> *mut u8 {
        self.base().wrapping_add(self.bytes)
    }
}

/// A type whose all-zero bytes are a value.
/// # Safety
/// They are, and it needs no drop.
pub(crate) unsafe trait Zeroed {}

#[derive(Debug)]
pub(crate) struct Table<T> {
    mapping: Mapping,
    start: usize,
    len: usize,
    holds: PhantomData<T>,
}

impl<T: Zeroed> Table<T> {
    pub(crate) fn new(len: usize) -> io::Result<Table<T>> {
        Table::at_half_a_page(len, 0)
    }

    /// From the middle of a page: loads do not wait for stores with the same low twelve bits.
    pub(crate) fn apart(len: usize) -> io::Result<Table<T>> {
        Table::at_half_a_page(len, PAGE / 2)
    }

    fn at_half_a_page(len: usize, start: usize) -> io::Result<Table<T>> {
        let mapping = Mapping::in_huge_pages(0, start + len * size_of::<T>())?;
        Ok(Table {
            start,
            ..Table::over(mapping, len)
        })
    }

    pub(crate) fn over(mapping: Mapping, len: usize) -> Table<T> {
        assert!(
            len * size_of::<T>() <= mapping.bytes(),
            "a table beyond its mapping"
        );
        Table {
            mapping,
            start: 0,
            len,
            holds: PhantomData,
        }
    }

    /// May be one past the last.
    #[inline(always)]
    pub(crate) fn address(&self, index: usize) -> *mut T {
        let first = self.mapping.base().wrapping_add(self.start).cast::<T>();
        first.wrapping_add(index)
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub(crate) fn at(&self, index: usize) -> &T {
        assert!(index < self.len, "index beyond the table");
        // SAFETY: the index is in range (just checked); the mapping lives as long as `self`, is
        // aligned, and holds values of `T`: zeroed bytes are one.
        unsafe { &*self.address(index) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_huge_page_that_would_be_half_full_is_taken_whole() {
        let bytes = |asked| Mapping::in_huge_pages(0, asked).unwrap().bytes();
        assert_eq!(bytes(PAGE), PAGE);
        assert_eq!(bytes(HUGE_PAGE / 2 - 1), HUGE_PAGE / 2);
        assert_eq!(bytes(HUGE_PAGE / 2), HUGE_PAGE);
        assert_eq!(bytes(HUGE_PAGE + PAGE), HUGE_PAGE + PAGE);
        assert_eq!(bytes(HUGE_PAGE + HUGE_PAGE / 2), 2 * HUGE_PAGE);
    }

    #[test]
    fn only_what_lies_below_may_not_be_touched() {
        for bytes in [PAGE, 3 * HUGE_PAGE] {
            let mapping = Mapping::in_huge_pages(PAGE, bytes).unwrap();
            let base = mapping.base().addr();
            assert!(mapping.is_below(base - 1) && mapping.is_below(base - PAGE));
            assert!(!mapping.is_below(base) && !mapping.is_below(base - PAGE - 1));
            assert!(bytes < HUGE_PAGE || base.is_multiple_of(HUGE_PAGE));
        }
        let mapping = Mapping::private(0, PAGE).unwrap();
        assert!(!mapping.is_below(mapping.base().addr() - 1));
    }

    #[test]
    fn what_can_hold_huge_pages_starts_on_a_boundary_of_them() {
        for bytes in [HUGE_PAGE / 2, HUGE_PAGE, 3 * HUGE_PAGE + 1] {
            let mapping = Mapping::in_huge_pages(0, bytes).unwrap();
            assert_eq!(mapping.base().addr() % HUGE_PAGE, 0);
        }
    }
}
