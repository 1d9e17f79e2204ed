use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Release};

use crate::lock::Lock;
use crate::{Config, CoreAware};

struct Shared {
    is_made: AtomicBool,
    lock: Lock,
    allocator: UnsafeCell<MaybeUninit<CoreAware>>,
}

// SAFETY: the cell is written once, under the lock, before `is_made` is set; then only read.
unsafe impl Sync for Shared {}

static SHARED: Shared = Shared {
    is_made: AtomicBool::new(false),
    lock: Lock::new(),
    allocator: UnsafeCell::new(MaybeUninit::uninit()),
};

/// The allocator of this process, with its environment's settings; `None` without memory for it.
#[inline]
#[must_use]
pub fn shared() -> Option<&'static CoreAware> {
    match made() {
        Some(shared) => Some(shared),
        None => make().then(made)?,
    }
}

/// The allocator of this process, if it was asked for before.
#[inline(always)]
#[must_use]
pub fn made() -> Option<&'static CoreAware> {
    if !SHARED.is_made.load(Acquire) {
        return None;
    }
    let allocator = SHARED.allocator.get().cast::<CoreAware>();
    // SAFETY: `is_made` was set after the cell was written, and nothing changes it again.
    Some(unsafe { &*allocator })
}

#[cold]
fn make() -> bool {
    if !SHARED.lock.lock() {
        return false;
    }
    let mut is_made = SHARED.is_made.load(Acquire);
    if !is_made && let Some(allocator) = CoreAware::new(Config::from_environment()) {
        let place = SHARED.allocator.get().cast::<CoreAware>();
        // SAFETY: the lock is held, and nobody reads before `is_made` is set.
        unsafe { place.write(allocator) };
        SHARED.is_made.store(true, Release);
        is_made = true;
    }
    // SAFETY: it was locked above.
    unsafe { SHARED.lock.unlock() };
    is_made
}

/// The allocator of this process, for `#[global_allocator]`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Global;

// SAFETY: as for `CoreAware`, of which there is one.
unsafe impl GlobalAlloc for Global {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's.
        shared().map_or(std::ptr::null_mut(), |shared| unsafe {
            shared.alloc(layout)
        })
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if let Some(shared) = shared() {
            // SAFETY: the caller's.
            unsafe { shared.dealloc(block, layout) };
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's.
        shared().map_or(std::ptr::null_mut(), |shared| unsafe {
            shared.alloc_zeroed(layout)
        })
    }
}
