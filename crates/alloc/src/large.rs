//! Blocks beyond 1 MiB: a mapping each, aligned to the size of a region, so no large page is shared with another block.
//! The header takes its first page. One aligned to a region or more begins one, with its header on the page before:
//! ```text
//!  region              region + page              |  region        region
//!  | header | block ................ |            |  ... header | block .......... |
//! ```
//! Freed mappings are kept for the next request that fits, as all pages would be faulted in anew: in a list for each
//! core, so that no two cores write the same lines; a core whose list has none that fits looks at the others'. One that
//! is up to half too long serves as well. What is kept, and what is more than an eighth beyond a request that was so
//! served, is together an eighth of what is live or 16 MiB; the oldest of the core goes first. It lingers for a quarter
//! of a second at least, twice that at most. Time is looked at when a large block is mapped or freed; [`Large::trim`]
//! gives all of them back. Huge pages are not asked for, unless the settings say so.
//!
//! Guarded allocators keep no mappings, but the headers of the last 1,024 freed blocks: a second free finds them.

use std::ptr::{NonNull, null_mut, with_exposed_provenance_mut};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU64, AtomicUsize};

use crate::lock::{Guarded, Lock};
use crate::os::{self, PAGE};
use crate::region::{Geometry, PLACES, SEEN, Seen};

pub(crate) const LARGE_MAGIC: u64 = 0x6667_6c61_7267_6521;
pub(crate) const FREED_MAGIC: u64 = 0x6667_6672_6565_6421;
/// Headers of freed blocks that guarded allocators keep.
const HEADERS: usize = 1024;
const KEPT: usize = 64;
/// Bytes that are kept, or `1 / KEPT_PART` of those that are live.
const KEPT_BYTES: usize = 16 << 20;
const KEPT_PART: usize = 8;
/// What is more than `1 / EXCESS` beyond a request that a kept mapping serves counts as kept.
const EXCESS: usize = 8;
const LINGER_MS: u64 = 250;

#[repr(C)]
#[derive(Debug)]
pub(crate) struct Header {
    pub(crate) magic: u64,
    start: usize,
    mapped: usize,
    offset: usize,
    /// Bytes of the mapping that count as kept.
    spare: usize,
}

impl Header {
    fn live(start: usize, mapped: usize, offset: usize) -> Self {
        Self {
            magic: LARGE_MAGIC,
            start,
            mapped,
            offset,
            spare: 0,
        }
    }

    pub(crate) fn usable(&self) -> usize {
        self.mapped - self.offset
    }

    pub(crate) fn block(&self) -> usize {
        self.start + self.offset
    }
}

#[derive(Debug)]
pub(crate) struct Large {
    /// One a core.
    lists: &'static [Guarded<List>],
    headers: Guarded<Headers>,
    live_blocks: AtomicUsize,
    live_bytes: AtomicUsize,
    kept_bytes: AtomicUsize,
    /// When it was looked for what is kept for long: milliseconds of [`os::now_ms`].
    looked: AtomicU64,
}

/// Kept mappings, the oldest first.
#[repr(align(128))]
#[derive(Debug)]
struct List {
    kept: [Kept; KEPT],
    count: usize,
}

/// Addresses of the headers of freed blocks, the oldest at `oldest` once all places are used.
#[derive(Debug)]
struct Headers {
    places: [usize; HEADERS],
    oldest: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// For that number of cores; `None` without memory.
    pub(crate) fn new(cores: usize) -> Option<Self> {
        Some(Self {
            lists: os::map_all(cores, |_| Guarded::new(List::new()))?,
            headers: Guarded::new(Headers {
                places: [0; HEADERS],
                oldest: 0,
            }),
            live_blocks: AtomicUsize::new(0),
            live_bytes: AtomicUsize::new(0),
            kept_bytes: AtomicUsize::new(0),
            looked: AtomicU64::new(0),
        })
    }

    pub(crate) fn locks(&self) -> impl Iterator<Item = &Lock> {
        let lists = self.lists.iter().map(|list| &list.lock);
        lists.chain([&self.headers.lock])
    }

    /// A block of `size` bytes at a multiple of `align`; whether it is known to hold zeros.
    pub(crate) fn take(
        &self,
        core: usize,
        geometry: Geometry,
        size: usize,
        align: usize,
        huge: bool,
    ) -> (*mut u8, bool) {
        let Some((offset, mapped)) = layout(geometry, size, align) else {
            return (null_mut(), false);
        };
        if align < geometry.region
            && let Some(header) = self.reuse(core, mapped, offset)
        {
            // SAFETY: a kept mapping is nobody else's once it is taken.
            return (unsafe { write_header(geometry, header) }, false);
        }
        let Some(start) = os::map(mapped, align.max(geometry.region)) else {
            return (null_mut(), false);
        };
        self.give_back_old();
        if huge {
            // SAFETY: the mapping just made.
            unsafe { os::advise(start, mapped, libc::MADV_HUGEPAGE) };
        }
        self.add(mapped);
        let header = Header::live(start.as_ptr().expose_provenance(), mapped, offset);
        // SAFETY: the mapping just made, as long as `layout` said.
        (unsafe { write_header(geometry, header) }, true)
    }

    /// The header of a kept mapping that fits, of this core if there is one.
    fn reuse(&self, core: usize, mapped: usize, offset: usize) -> Option<Header> {
        if self.kept_bytes.load(Relaxed) < mapped {
            return None;
        }
        let (others, own) = self.lists.split_at(core);
        let mut lists = own.iter().chain(others);
        let kept = lists.find_map(|list| list.if_free(|list| list.reuse(mapped))?)?;
        let spare = kept.mapped.saturating_sub(mapped + mapped / EXCESS);
        self.kept_bytes.fetch_sub(kept.mapped - spare, Relaxed);
        self.add(kept.mapped);
        Some(Header {
            spare,
            ..Header::live(kept.start, kept.mapped, offset)
        })
    }

    /// Safety: `header` is that of a live large block that nobody uses any more.
    pub(crate) unsafe fn free(
        &self,
        core: usize,
        geometry: Geometry,
        header: NonNull<Header>,
        keep: Keep,
    ) {
        // SAFETY: the caller's.
        let was = unsafe { header.read() };
        let (start, mapped, offset) = (was.start, was.mapped, was.offset);
        // SAFETY: the header is mapped, and nobody else's since its block is free.
        unsafe { (*header.as_ptr()).magic = FREED_MAGIC };
        self.subtract(mapped);
        self.kept_bytes.fetch_sub(was.spare, Relaxed);
        if keep == Keep::Header {
            // SAFETY: the block's mapping, and the caller's that nobody uses it.
            return unsafe { self.keep_header(start, mapped, header) };
        }
        let kept = Kept {
            start,
            mapped,
            since: os::now_ms(),
        };
        if offset >= geometry.region || !self.keep(core, kept) {
            // SAFETY: the block's mapping, which is not kept, and the caller's that nobody uses it.
            unsafe { unmap(start, mapped) };
        }
        self.give_back_old();
    }

    /// Keeps a mapping on the list of a core, and gives back the oldest ones there that are too many; whether it could.
    fn keep(&self, core: usize, kept: Kept) -> bool {
        let list = &self.lists[core];
        if kept.mapped > self.may_keep() {
            return false;
        }
        self.kept_bytes.fetch_add(kept.mapped, Relaxed);
        if list.locked(|list| list.keep(kept)) != Some(true) {
            self.kept_bytes.fetch_sub(kept.mapped, Relaxed);
            return false;
        }
        self.give_back(list, |list| {
            list.count == KEPT || self.kept_bytes.load(Relaxed) > self.may_keep()
        });
        true
    }

    fn may_keep(&self) -> usize {
        KEPT_BYTES.max(self.live_bytes.load(Relaxed) / KEPT_PART)
    }

    /// Gives back the oldest mapping of a list for as long as `goes` says so; whether there were any.
    fn give_back(&self, list: &Guarded<List>, goes: impl Fn(&List) -> bool) -> bool {
        let next = || list.locked(|list| (list.count > 0 && goes(list)).then(|| list.remove(0)));
        let mut any = false;
        while let Some(old) = next().flatten() {
            self.kept_bytes.fetch_sub(old.mapped, Relaxed);
            // SAFETY: a mapping that was kept, and is no more.
            unsafe { unmap(old.start, old.mapped) };
            any = true;
        }
        any
    }

    /// Gives back what was kept for long, of all cores; looks for it once in a while.
    fn give_back_old(&self) {
        let (now, looked) = (os::now_ms(), self.looked.load(Relaxed));
        if now < looked + LINGER_MS {
            return;
        }
        self.looked.store(now, Relaxed);
        for list in self.lists {
            self.give_back(list, |list| list.kept[0].since + LINGER_MS <= now);
        }
    }

    /// Gives back a mapping but for the page of its header, and the oldest kept header. Safety: a mapping of a freed
    /// block, whose header is `header`.
    unsafe fn keep_header(&self, start: usize, mapped: usize, header: NonNull<Header>) {
        let page = header.addr().get() & !(PAGE - 1);
        // SAFETY: the caller's: pages before the header and behind it.
        unsafe { unmap(start, page - start) };
        // SAFETY: as above.
        unsafe { unmap(page + PAGE, start + mapped - page - PAGE) };
        let oldest = self.headers.locked(|headers| headers.keep(page));
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
        let was = unsafe { header.read() };
        let (start, mapped, offset) = (was.start, was.mapped, was.offset);
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
        self.kept_bytes.fetch_sub(was.spare, Relaxed);
        self.subtract(mapped);
        self.add(wanted);
        let header = Header::live(now, wanted, offset);
        // SAFETY: the block's mapping as it is now.
        unsafe { write_header(geometry, header) }
    }

    pub(crate) fn trim(&self) -> bool {
        let given = self.lists.iter();
        given.filter(|list| self.give_back(list, |_| true)).count() > 0
    }

    pub(crate) fn stats(&self) -> LargeStats {
        LargeStats {
            live_blocks: self.live_blocks.load(Relaxed),
            live_bytes: self.live_bytes.load(Relaxed),
            kept_bytes: self.kept_bytes.load(Relaxed),
        }
    }

    fn add(&self, mapped: usize) {
        self.live_blocks.fetch_add(1, Relaxed);
        self.live_bytes.fetch_add(mapped, Relaxed);
    }

    fn subtract(&self, mapped: usize) {
        self.live_blocks.fetch_sub(1, Relaxed);
        self.live_bytes.fetch_sub(mapped, Relaxed);
    }
}

impl List {
    const fn new() -> Self {
        Self {
            kept: [NOTHING; KEPT],
            count: 0,
        }
    }

    /// The shortest kept mapping that is long enough, if at most half too long.
    fn reuse(&mut self, mapped: usize) -> Option<Kept> {
        let fit = mapped..=mapped + mapped / 2;
        let kept = self.kept[..self.count].iter().enumerate();
        let fitting = kept.filter(|(_, kept)| fit.contains(&kept.mapped));
        let place = fitting.min_by_key(|(_, kept)| kept.mapped)?.0;
        Some(self.remove(place))
    }

    fn remove(&mut self, place: usize) -> Kept {
        let found = self.kept[place];
        self.kept.copy_within(place + 1..self.count, place);
        self.count -= 1;
        found
    }

    fn keep(&mut self, mapping: Kept) -> bool {
        let fits = self.count < KEPT;
        if fits {
            self.kept[self.count] = mapping;
            self.count += 1;
        }
        fits
    }
}

impl Headers {
    /// What it takes the place of.
    fn keep(&mut self, page: usize) -> usize {
        let place = &mut self.places[self.oldest];
        self.oldest = (self.oldest + 1) % HEADERS;
        std::mem::replace(place, page)
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

/// The block of a header. Safety: its mapping is the caller's, as long and with as much before the block as [`layout`]
/// said.
unsafe fn write_header(geometry: Geometry, header: Header) -> *mut u8 {
    let block: *mut u8 = with_exposed_provenance_mut(header.block());
    let Some(at) = NonNull::new(block) else {
        return null_mut();
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

#[cfg(test)]
mod tests;
