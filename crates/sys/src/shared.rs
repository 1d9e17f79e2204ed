//! Memory that a process shares with those it forks, mapped before the first fork: atomics only,
//! and no lock, so a process that dies half-way leaves wrong numbers and never undefined behaviour.
//! ```text
//! ┌ header: H ┬ row 0: R ┬ row 1: R ┬ …
//! └───────────┴──────────┴──────────┴──
//! ```

use std::io;
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64};

use crate::{Mapping, Of, PAGE};

/// A type that may lie in memory shared by processes.
/// # Safety
/// All-zero bytes are a value of the type, it needs no drop, and all in it changes through `&self`
/// alone: by atomics, by the C library's process-shared objects, or by the kernel.
pub unsafe trait Shareable: Sync {}

// SAFETY: nothing at all.
unsafe impl Shareable for () {}
// SAFETY: an atomic; zero is false.
unsafe impl Shareable for AtomicBool {}
// SAFETY: an atomic; zero is a number.
unsafe impl Shareable for AtomicI32 {}
// SAFETY: as above.
unsafe impl Shareable for AtomicU32 {}
// SAFETY: as above.
unsafe impl Shareable for AtomicU64 {}
// SAFETY: values that may be shared, one after the other.
unsafe impl<T: Shareable, const N: usize> Shareable for [T; N] {}

/// A value alone on 128 bytes (cache lines are fetched in pairs), apart from other flows'.
#[repr(C, align(128))]
#[derive(Debug, Default)]
pub struct CachePadded<T>(pub T);

// SAFETY: a value that may be shared, and bytes that nobody uses.
unsafe impl<T: Shareable> Shareable for CachePadded<T> {}

/// When pages of shared memory take memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pages {
    /// Populated up front: no page faults later.
    AtOnce,
    /// Each when it is first touched.
    WhenTouched,
}

/// A header and rows in memory shared by processes, all zero at first.
#[derive(Debug)]
pub struct Shared<H, R = ()> {
    mapping: Mapping,
    rows: usize,
    holds: PhantomData<(H, R)>,
}

impl<H: Shareable, R: Shareable> Shared<H, R> {
    const ROWS: usize = {
        assert!(align_of::<H>() <= PAGE && align_of::<R>() <= PAGE);
        size_of::<H>().next_multiple_of(align_of::<R>())
    };

    /// Maps a header and `rows` rows. An error has the bytes.
    pub fn new(rows: usize, pages: Pages) -> io::Result<Self> {
        let length = rows
            .checked_mul(size_of::<R>())
            .and_then(|bytes| bytes.checked_add(Self::ROWS))
            .and_then(|bytes| bytes.max(1).checked_next_multiple_of(PAGE))
            .ok_or_else(|| io::Error::other("shared memory would exceed the address space"))?;
        let mapped = match pages {
            Pages::AtOnce => Mapping::new_at_once(length, Of::Shared),
            Pages::WhenTouched => Mapping::new_unreserved(length, Of::Shared),
        };
        let mapping = mapped.map_err(|error| {
            let said = format!("cannot map {length} bytes of shared memory: {error}");
            io::Error::new(error.kind(), said)
        })?;
        Ok(Self {
            mapping,
            rows,
            holds: PhantomData,
        })
    }

    /// The header.
    #[must_use]
    #[inline]
    pub fn header(&self) -> &H {
        // SAFETY: `new` mapped an aligned header that lives as `self`; `Shareable` vouches for it.
        unsafe { self.mapping.base().cast::<H>().as_ref() }
    }

    /// All rows.
    #[must_use]
    #[inline]
    pub fn rows(&self) -> &[R] {
        // SAFETY: `ROWS` lies inside the mapping, or at its end where there are no rows.
        let first = unsafe { self.mapping.base().add(Self::ROWS) };
        let rows = NonNull::slice_from_raw_parts(first.cast::<R>(), self.rows);
        // SAFETY: `new` mapped aligned rows for the life of `self`; `Shareable` vouches for them.
        unsafe { rows.as_ref() }
    }

    /// Its address and its bytes, in whole pages.
    #[must_use]
    pub fn memory(&self) -> (usize, usize) {
        (self.mapping.base().addr().get(), self.mapping.len())
    }
}

impl<H: Shareable> Shared<H> {
    /// One value alone, in memory at once.
    pub fn value() -> io::Result<Self> {
        Self::new(0, Pages::AtOnce)
    }
}

impl<H: Shareable> Deref for Shared<H> {
    type Target = H;

    #[inline]
    fn deref(&self) -> &H {
        self.header()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use nix::sys::wait::waitpid;
    use nix::unistd::{ForkResult, fork};

    use super::*;

    #[repr(C, align(128))]
    #[derive(Debug)]
    struct Row([AtomicU64; 3]);
    // SAFETY: atomics.
    unsafe impl Shareable for Row {}

    #[test]
    fn rows_are_aligned_lie_apart_and_inside() {
        let shared = Shared::<AtomicU32, Row>::new(40, Pages::WhenTouched).expect("memory");
        let (base, bytes) = shared.memory();
        let first = std::ptr::from_ref(&shared.rows()[0]).addr();
        let last = std::ptr::from_ref(&shared.rows()[39]).addr();
        assert_eq!((first - base, last - first), (128, 39 * 128));
        assert!(last + size_of::<Row>() <= base + bytes && bytes.is_multiple_of(PAGE));
        let mut words = shared
            .rows()
            .iter()
            .map(|row| row.0[2].load(Ordering::Relaxed));
        assert!(words.all(|word| word == 0));
    }

    #[test]
    fn what_a_forked_process_writes_is_read_by_its_parent() {
        let shared = Shared::<AtomicU64, Row>::new(2, Pages::AtOnce).expect("memory");
        // SAFETY: the child stores to memory and makes one call, which is async-signal-safe.
        match unsafe { fork() }.expect("a process") {
            ForkResult::Child => {
                shared.header().store(5, Ordering::SeqCst);
                shared.rows()[1].0[0].store(6, Ordering::SeqCst);
                // SAFETY: `_exit` has no preconditions.
                unsafe { libc::_exit(0) }
            }
            ForkResult::Parent { child } => {
                waitpid(child, None).expect("its end");
                assert_eq!(shared.header().load(Ordering::SeqCst), 5);
                assert_eq!(shared.rows()[1].0[0].load(Ordering::SeqCst), 6);
            }
        }
    }

    #[test]
    fn nothing_but_a_header_and_nothing_but_rows() {
        let header = Shared::<AtomicBool>::value().expect("memory");
        assert!(!header.load(Ordering::Relaxed) && header.rows().is_empty());
        let rows = Shared::<(), AtomicU64>::new(3, Pages::AtOnce).expect("memory");
        assert_eq!(rows.rows().len(), 3);
    }

    #[test]
    fn more_than_there_can_be_is_refused() {
        let rows = |rows| Shared::<(), Row>::new(rows, Pages::WhenTouched);
        assert!(rows(usize::MAX).is_err());
        let error = rows(1 << 50).expect_err("too much").to_string();
        assert!(error.contains("bytes of shared memory"), "{error}");
    }
}
