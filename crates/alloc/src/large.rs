//! Blocks beyond 1 MiB: a mapping each, aligned to the size of a region, so no large page is shared with another block.
//! The header takes its first page. One aligned to a region or more begins one, with its header on the page before:
//! ```text
//!  region              region + page              |  region        region
//!  | header | block ................ |            |  ... header | block .......... |
//! ```
//! Freed mappings are kept for the next request that fits, as all pages would be faulted in anew; one that is up to
//! half too long serves as well, without the memory of what is beyond an eighth. They are an eighth of what is live or
//! 16 MiB, for a quarter of a second; the oldest goes first. Time is looked at when a large block is mapped or freed;
//! [`Large::trim`] gives all of them back. Huge pages are not asked for, unless the settings say so.
//!
//! Guarded allocators keep no mappings, but the headers of the last 1,024 freed blocks: a second free finds them.

use std::cell::UnsafeCell;
use std::ptr::{NonNull, null_mut, with_exposed_provenance_mut};

use crate::lock::Lock;
use crate::os::{self, PAGE};
use crate::region::{Geometry, PLACES, SEEN, Seen};

pub(crate) const LARGE_MAGIC: u64 = 0x6667_6c61_7267_6521;
pub(crate) const FREED_MAGIC: u64 = 0x6667_6672_6565_6421;
/// Headers of freed blocks that guarded allocators keep.
const HEADERS: usize = 1024;
const KEPT: usize = 64;
/// Bytes that they may have together, or `1 / KEPT_PART` of those that are live.
const KEPT_BYTES: usize = 16 << 20;
const KEPT_PART: usize = 8;
/// A kept mapping loses the memory that is more than `1 / EXCESS` beyond what is needed.
const EXCESS: usize = 8;
const LINGER_MS: u64 = 250;

#[repr(C)]
#[derive(Debug)]
pub(crate) struct Header {
    pub(crate) magic: u64,
    start: usize,
    mapped: usize,
    offset: usize,
}

impl Header {
    pub(crate) fn usable(&self) -> usize {
        self.mapped - self.offset
    }

    pub(crate) fn block(&self) -> usize {
        self.start + self.offset
    }
}

#[derive(Debug)]
pub(crate) struct Large {
    pub(crate) lock: Lock,
    inner: UnsafeCell<Inner>,
}

// SAFETY: `inner` is only touched by the holder of `lock`.
unsafe impl Sync for Large {}

#[derive(Debug)]
struct Inner {
    kept: [Kept; KEPT],
    count: usize,
    kept_bytes: usize,
    /// Addresses of the headers of freed blocks, the oldest at `oldest` once all places are used.
    headers: [usize; HEADERS],
    oldest: usize,
    stats: LargeStats,
}

#[derive(Debug, Clone, Copy)]
struct Kept {
    start: usize,
    mapped: usize,
    /// Since when: milliseconds of [`os::now_ms`].
    since: u64,
}

const NOTHING: Kept = Kept {
    start: 0,
    mapped: 0,
    since: 0,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    Mapping,
    Header,
}

/// Large blocks of the process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LargeStats {
    /// Live blocks.
    pub live_blocks: usize,
    /// Bytes mapped for them.
    pub live_bytes: usize,
    /// Bytes kept for later.
    pub kept_bytes: usize,
}

impl Large {
    pub(crate) const fn new() -> Self {
        Self {
            lock: Lock::new(),
            inner: UnsafeCell::new(Inner {
                kept: [NOTHING; KEPT],
                count: 0,
                kept_bytes: 0,
                headers: [0; HEADERS],
                oldest: 0,
                stats: LargeStats {
                    live_blocks: 0,
                    live_bytes: 0,
                    kept_bytes: 0,
                },
            }),
        }
    }

    fn locked<T>(&self, work: impl FnOnce(&mut Inner) -> T) -> Option<T> {
        if !self.lock.lock() {
            return None;
        }
        // SAFETY: the lock is held, and `work` cannot reach it again.
        let done = work(unsafe { &mut *self.inner.get() });
        // SAFETY: it was locked above, and `work` is over.
        unsafe { self.lock.unlock() };
        Some(done)
    }

    /// A block of `size` bytes at a multiple of `align`; whether it is known to hold zeros.
    pub(crate) fn take(
        &self,
        geometry: Geometry,
        size: usize,
        align: usize,
        huge: bool,
    ) -> (*mut u8, bool) {
        let Some((offset, mapped)) = layout(geometry, size, align) else {
            return (null_mut(), false);
        };
        if align < geometry.region
            && let Some((start, kept)) = self.locked(|inner| inner.reuse(mapped)).flatten()
        {
            let needed = mapped + mapped / EXCESS;
            if kept > needed {
                // SAFETY: a kept mapping is nobody else's once it is taken.
                unsafe { drop_pages(start + needed.next_multiple_of(PAGE), start + kept) };
            }
            // SAFETY: as above.
            return (
                unsafe { write_header(geometry, start, kept, offset) },
                false,
            );
        }
        let Some(start) = os::map(mapped, align.max(geometry.region)) else {
            return (null_mut(), false);
        };
        self.give_back(os::now_ms().saturating_sub(LINGER_MS));
        if huge {
            // SAFETY: the mapping just made.
            unsafe { os::advise(start, mapped, libc::MADV_HUGEPAGE) };
        }
        self.locked(|inner| inner.add(mapped));
        let start = start.as_ptr().expose_provenance();
        // SAFETY: the mapping just made, as long as `layout` said.
        (
            unsafe { write_header(geometry, start, mapped, offset) },
            true,
        )
    }

    /// Safety: `header` is that of a live large block that nobody uses any more.
    pub(crate) unsafe fn free(&self, geometry: Geometry, header: NonNull<Header>, keep: Keep) {
        // SAFETY: the caller's.
        let Header {
            start,
            mapped,
            offset,
            ..
        } = unsafe { header.read() };
        // SAFETY: the header is mapped, and nobody else's since its block is free.
        unsafe { (*header.as_ptr()).magic = FREED_MAGIC };
        self.locked(|inner| inner.subtract(mapped));
        if keep == Keep::Header {
            // SAFETY: the block's mapping, and the caller's that nobody uses it.
            return unsafe { self.keep_header(start, mapped, header) };
        }
        let kept = Kept {
            start,
            mapped,
            since: os::now_ms(),
        };
        let fits = offset < geometry.region;
        if self.locked(|inner| fits && inner.keep(kept)) != Some(true) {
            // SAFETY: the block's mapping, which is not kept, and the caller's that nobody uses it.
            unsafe { unmap(start, mapped) };
        }
        self.give_back(kept.since.saturating_sub(LINGER_MS));
    }

    /// Gives back mappings that were kept before then, and those that are too many; whether there were any.
    fn give_back(&self, before: u64) -> bool {
        let mut any = false;
        while let Some(old) = self.locked(|inner| inner.excess(before)).flatten() {
            // SAFETY: a mapping that was kept, and is no more.
            unsafe { unmap(old.start, old.mapped) };
            any = true;
        }
        any
    }

    /// Gives back a mapping but for the page of its header, and the oldest kept header. Safety: a mapping of a freed
    /// block, whose header is `header`.
    unsafe fn keep_header(&self, start: usize, mapped: usize, header: NonNull<Header>) {
        let page = header.addr().get() & !(PAGE - 1);
        // SAFETY: the caller's: pages before the header and behind it.
        unsafe { unmap(start, page - start) };
        // SAFETY: as above.
        unsafe { unmap(page + PAGE, start + mapped - page - PAGE) };
        let oldest = self.locked(|inner| {
            let place = &mut inner.headers[inner.oldest];
            inner.oldest = (inner.oldest + 1) % HEADERS;
            std::mem::replace(place, page)
        });
        let oldest = oldest.unwrap_or(page);
        // SAFETY: the page of a header that nobody looks for any more.
        unsafe { unmap(oldest, PAGE) };
    }

    /// Grows or shrinks a block; null where the kernel refuses. Safety: `header` is that of a live large block.
    pub(crate) unsafe fn resize(
        &self,
        geometry: Geometry,
        header: NonNull<Header>,
        size: usize,
    ) -> *mut u8 {
        // SAFETY: the caller's.
        let Header {
            start,
            mapped,
            offset,
            ..
        } = unsafe { header.read() };
        let Some((_, wanted)) = layout(geometry, size, 1).filter(|_| offset == PAGE) else {
            return null_mut();
        };
        let old: NonNull<u8> = match NonNull::new(with_exposed_provenance_mut(start)) {
            Some(old) => old,
            None => return null_mut(),
        };
        // SAFETY: the mapping of a live block of the caller's.
        let now = if unsafe { os::resize(old, mapped, wanted) } {
            start
        } else {
            let Some(to) = os::map(wanted, geometry.region) else {
                return null_mut();
            };
            // SAFETY: as above, and a mapping just made.
            if !unsafe { os::move_pages(old, mapped.min(wanted), to, wanted) } {
                // SAFETY: it was made above, and was not replaced.
                unsafe { os::unmap(to, wanted) };
                return null_mut();
            }
            if mapped > wanted {
                // SAFETY: what did not move of the old mapping.
                unsafe { unmap(start + wanted, mapped - wanted) };
            }
            to.as_ptr().expose_provenance()
        };
        self.locked(|inner| {
            inner.subtract(mapped);
            inner.add(wanted);
        });
        // SAFETY: the block's mapping as it is now.
        unsafe { write_header(geometry, now, wanted, offset) }
    }

    pub(crate) fn trim(&self) -> bool {
        self.give_back(u64::MAX)
    }

    pub(crate) fn stats(&self) -> LargeStats {
        let stats = self.locked(|inner| LargeStats {
            kept_bytes: inner.kept_bytes,
            ..inner.stats
        });
        stats.unwrap_or_default()
    }
}

impl Inner {
    /// The shortest kept mapping that is long enough, if at most half too long.
    fn reuse(&mut self, mapped: usize) -> Option<(usize, usize)> {
        let fit = mapped..=mapped + mapped / 2;
        let kept = self.kept[..self.count].iter().enumerate();
        let fitting = kept.filter(|(_, kept)| fit.contains(&kept.mapped));
        let place = fitting.min_by_key(|(_, kept)| kept.mapped)?.0;
        let found = self.remove(place);
        self.add(found.mapped);
        Some((found.start, found.mapped))
    }

    fn remove(&mut self, place: usize) -> Kept {
        let found = self.kept[place];
        self.kept.copy_within(place + 1..self.count, place);
        self.count -= 1;
        self.kept_bytes -= found.mapped;
        found
    }

    fn keep(&mut self, mapping: Kept) -> bool {
        let fits = self.count < KEPT && mapping.mapped <= self.may_keep();
        if fits {
            self.kept[self.count] = mapping;
            self.count += 1;
            self.kept_bytes += mapping.mapped;
        }
        fits
    }

    fn may_keep(&self) -> usize {
        KEPT_BYTES.max(self.stats.live_bytes / KEPT_PART)
    }

    fn excess(&mut self, before: u64) -> Option<Kept> {
        let is_full = self.count == KEPT || self.kept_bytes > self.may_keep();
        let goes = self.count > 0 && (is_full || self.kept[0].since < before);
        goes.then(|| self.remove(0))
    }

    fn add(&mut self, mapped: usize) {
        self.stats.live_blocks += 1;
        self.stats.live_bytes += mapped;
    }

    /// A block that came without the lock was not counted.
    fn subtract(&mut self, mapped: usize) {
        self.stats.live_blocks = self.stats.live_blocks.saturating_sub(1);
        self.stats.live_bytes = self.stats.live_bytes.saturating_sub(mapped);
    }
}

fn layout(geometry: Geometry, size: usize, align: usize) -> Option<(usize, usize)> {
    let offset = match align < geometry.region {
        true => align.max(PAGE),
        false => align,
    };
    let mapped = offset.checked_add(size)?.checked_next_multiple_of(PAGE)?;
    (mapped <= isize::MAX as usize).then_some((offset, mapped))
}

/// In the page at the region's beginning, or in the one before, on one of 32 lines: those of some hundred blocks would
/// compete for one line of a cache. None is the line of a tag in [`Region::seen`].
pub(crate) fn header_of(geometry: Geometry, block: NonNull<u8>) -> *mut Header {
    let base = geometry.base(block.as_ptr());
    let page = match base == block.as_ptr() {
        true => block.addr().get() - PAGE,
        false => base.addr(),
    };
    let (place, line) = ((page >> 21) % PLACES, (page >> 24) % 4);
    let tag = SEEN + place * size_of::<Seen>();
    with_exposed_provenance_mut(page + tag + (1 + line) * 64)
}

/// Safety: a mapping of the caller's begins at `start`, as long and with as much before the block as [`layout`] said.
unsafe fn write_header(geometry: Geometry, start: usize, mapped: usize, offset: usize) -> *mut u8 {
    let block: *mut u8 = with_exposed_provenance_mut(start + offset);
    let Some(at) = NonNull::new(block) else {
        return null_mut();
    };
    let header = Header {
        magic: LARGE_MAGIC,
        start,
        mapped,
        offset,
    };
    // SAFETY: the caller's: the header's page belongs to the mapping, and not to the block.
    unsafe { header_of(geometry, at).write(header) };
    block
}

/// Unmaps pages; none at address zero, or where there are none. Safety: as [`os::unmap`].
unsafe fn unmap(start: usize, mapped: usize) {
    if let Some(at) = NonNull::new(with_exposed_provenance_mut(start)).filter(|_| mapped > 0) {
        // SAFETY: the caller's.
        unsafe { os::unmap(at, mapped) };
    }
}

/// Gives back the memory of pages, and keeps their addresses. Safety: they are pages of a mapping that nobody uses.
unsafe fn drop_pages(from: usize, to: usize) {
    if let Some(at) = NonNull::new(with_exposed_provenance_mut(from)).filter(|_| from < to) {
        // SAFETY: the caller's.
        unsafe { os::advise(at, to - from, libc::MADV_DONTNEED) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inner() -> Inner {
        Large::new().inner.into_inner()
    }

    fn kept(mapped: usize, since: u64) -> Kept {
        Kept {
            start: mapped,
            mapped,
            since,
        }
    }

    #[test]
    fn the_shortest_mapping_that_is_at_most_half_too_long_is_reused() {
        let mut inner = inner();
        for pages in [800, 880, 840, 1_240] {
            assert!(inner.keep(kept(pages * PAGE, 0)));
        }
        assert_eq!(inner.reuse(820 * PAGE), Some((840 * PAGE, 840 * PAGE)));
        assert_eq!(inner.reuse(820 * PAGE), Some((880 * PAGE, 880 * PAGE)));
        assert_eq!(inner.reuse(820 * PAGE), None, "1,240 pages are too many");
        assert_eq!(inner.kept_bytes, 2_040 * PAGE);
    }

    #[test]
    fn the_oldest_mapping_goes_when_there_are_too_many_and_when_it_is_old() {
        let mut inner = inner();
        for since in 0..KEPT as u64 {
            assert!(inner.keep(kept(PAGE, since)));
        }
        assert!(!inner.keep(kept(PAGE, 99)), "there is no place");
        assert_eq!(inner.excess(0).map(|old| old.since), Some(0));
        assert!(inner.excess(0).is_none());
        assert_eq!(inner.excess(2).map(|old| old.since), Some(1));
        assert!(inner.excess(2).is_none());
    }

    #[test]
    fn what_is_kept_is_bounded_by_what_is_live() {
        let mut inner = inner();
        assert!(!inner.keep(kept(KEPT_BYTES + PAGE, 0)));
        inner.add(KEPT_PART * (KEPT_BYTES + PAGE));
        assert!(inner.keep(kept(KEPT_BYTES + PAGE, 0)));
        inner.subtract(KEPT_PART * (KEPT_BYTES + PAGE));
        assert!(inner.excess(0).is_some() && inner.kept_bytes == 0);
    }
}
