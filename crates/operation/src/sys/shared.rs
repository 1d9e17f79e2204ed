//! A value in memory that processes share.

use std::io;
use std::marker::PhantomData;
use std::ops::Deref;

use super::memory::{Mapping, Of, PAGE};

/// What may lie in shared memory.
///
/// # Safety
/// All-zero bytes are a value of the type, and every change of it goes through `&self` by
/// atomics, by the C library's process-shared objects, or by the kernel.
pub(crate) unsafe trait Shareable: Sync {}

// SAFETY: atomics.
unsafe impl Shareable for std::sync::atomic::AtomicU32 {}

/// A value in one page of shared memory, zero at first. Processes that are forked later see
/// the same value.
#[derive(Debug)]
pub(crate) struct Shared<T> {
    mapping: Mapping,
    of: PhantomData<T>,
}

impl<T: Shareable> Shared<T> {
    pub(crate) fn new() -> io::Result<Self> {
        const { assert!(size_of::<T>() <= PAGE && align_of::<T>() <= PAGE) };
        let mapping = Mapping::new(PAGE, Of::Shared)?;
        Ok(Self {
            mapping,
            of: PhantomData,
        })
    }
}

impl<T: Shareable> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the page is mapped as long as `self` lives, is as large and as aligned as T
        // needs (checked in `new`), and `Shareable` vouches for the rest.
        unsafe { &*self.mapping.as_ptr().cast::<T>() }
    }
}
