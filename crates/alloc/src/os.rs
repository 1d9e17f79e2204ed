//! Memory from the kernel, by `libc` itself: whatever stands between the kernel and an allocator must not allocate.
//! Under Miri, which knows mappings of the simplest kind alone, they come from the system's allocator, are never given
//! back, and all advice is refused.

use std::ptr::{NonNull, with_exposed_provenance_mut};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

pub(crate) const PAGE: usize = 4096;
/// Advice to make huge pages of what is mapped now (Linux 6.1); older kernels refuse it.
pub(crate) const MADV_COLLAPSE: libc::c_int = 25;

/// `size` fresh zeros at a multiple of `align` (a power of two of at least a page); `None` when the kernel refuses.
pub(crate) fn map(size: usize, align: usize) -> Option<NonNull<u8>> {
    if cfg!(miri) {
        let layout = std::alloc::Layout::from_size_align(size, align).ok();
        let layout = layout.filter(|_| size < 1 << 32)?;
        // SAFETY: callers map at least a page.
        return NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) });
    }
    let below = next_below(size, align);
    let first = map_near(below, size)?;
    if first.addr().get().is_multiple_of(align) {
        return Some(first);
    }
    // SAFETY: it was made a moment ago, and nobody else knows it.
    unsafe { unmap(first, size) };
    let wide = map_near(0, size.checked_add(align)?)?;
    let before = wide.addr().get().next_multiple_of(align) - wide.addr().get();
    // SAFETY: `before` is less than `align`, so the block lies within the mapping just made.
    let block = unsafe { wide.add(before) };
    if before > 0 {
        // SAFETY: the mapping just made, up to the block.
        unsafe { unmap(wide, before) };
    }
    // SAFETY: the mapping ends `align - before` bytes after the block.
    let after = unsafe { block.add(size) };
    if align > before {
        // SAFETY: its rest, behind the block.
        unsafe { unmap(after, align - before) };
    }
    LOWEST.store(block.addr().get(), Relaxed);
    Some(block)
}

/// Values on pages of their own, for ever; `None` when the kernel refuses.
pub(crate) fn map_all<T>(count: usize, value: impl Fn(usize) -> T) -> Option<&'static [T]> {
    const { assert!(align_of::<T>() <= PAGE) };
    let first = map(count * size_of::<T>(), PAGE)?.cast::<T>();
    for at in 0..count {
        // SAFETY: the mapping has room for `count` values.
        let place = unsafe { first.add(at) };
        // SAFETY: as above, and a page is aligned enough.
        unsafe { place.write(value(at)) };
    }
    // SAFETY: all of them were written, and are never unmapped.
    Some(unsafe { std::slice::from_raw_parts(first.as_ptr(), count) })
}

/// The lowest of the aligned mappings.
static LOWEST: AtomicUsize = AtomicUsize::new(0);

/// An aligned address below the mappings, in the same TiB; 0 for none. The kernel takes it where it is free: one call
/// in place of up to five.
fn next_below(size: usize, align: usize) -> usize {
    if align <= PAGE {
        return 0;
    }
    let next = |below: usize| {
        let at = below.checked_sub(size)? & !(align - 1);
        (at >> 40 == below >> 40).then_some(at)
    };
    let before = LOWEST.fetch_update(Relaxed, Relaxed, next);
    before.ok().and_then(next).unwrap_or(0)
}

fn map_near(place: usize, size: usize) -> Option<NonNull<u8>> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let place = with_exposed_provenance_mut(place);
    // SAFETY: a new private mapping touches nothing: the kernel takes another place where this one is not free.
    let at = unsafe { libc::mmap(place, size, protection, flags, -1, 0) };
    if at == libc::MAP_FAILED {
        return None;
    }
    NonNull::new(at.cast())
}

/// Safety: `size` bytes from `at` on are pages that [`map`] gave, and nothing refers to them any more.
pub(crate) unsafe fn unmap(at: NonNull<u8>, size: usize) {
    if cfg!(miri) {
        return;
    }
    // SAFETY: the caller's.
    let _refused = unsafe { libc::munmap(at.as_ptr().cast(), size) };
}

/// Advice on pages of a mapping; refused, it changes speed or footprint alone. Safety: `size` bytes from `at` on are
/// pages that [`map`] gave; for `MADV_DONTNEED`, which drops contents, they hold no live block.
pub(crate) unsafe fn advise(at: NonNull<u8>, size: usize, advice: libc::c_int) -> bool {
    // SAFETY: the caller's.
    !cfg!(miri) && unsafe { libc::madvise(at.as_ptr().cast(), size, advice) == 0 }
}

/// Moves the pages of a block to a mapping that is as long or longer, replacing it. Safety: both ranges are pages that
/// [`map`] gave; nothing refers to `to`, and once they have moved nothing to `from`.
pub(crate) unsafe fn move_pages(
    from: NonNull<u8>,
    old: usize,
    to: NonNull<u8>,
    new: usize,
) -> bool {
    if cfg!(miri) {
        return false;
    }
    let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
    // SAFETY: the caller's.
    let at = unsafe { libc::mremap(from.as_ptr().cast(), old, new, flags, to.as_ptr()) };
    at != libc::MAP_FAILED
}

pub(crate) fn is_mapped(address: usize) -> bool {
    if cfg!(miri) {
        return true;
    }
    let mut resident = 0;
    let page = with_exposed_provenance_mut(address & !(PAGE - 1));
    // SAFETY: the kernel writes one byte, for the one page, and nothing to the page itself.
    unsafe { libc::mincore(page, PAGE, &raw mut resident) == 0 }
}

/// Pages of a mapping that have memory, of the first two MiB or four; none where the kernel does not say.
pub(crate) fn resident(at: NonNull<u8>, size: usize) -> usize {
    let mut pages = [0; (4 << 20) / PAGE];
    let counted = size.div_ceil(PAGE).min(pages.len());
    // SAFETY: the kernel writes a byte for each page, and nothing to the pages themselves.
    let is_counted = !cfg!(miri)
        && unsafe { libc::mincore(at.as_ptr().cast(), counted * PAGE, pages.as_mut_ptr()) == 0 };
    let pages = &pages[..if is_counted { counted } else { 0 }];
    pages.iter().filter(|&&page| page & 1 != 0).count()
}

/// Milliseconds of a clock that only goes forward, to a few of them; it costs no system call.
pub(crate) fn now_ms() -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: writes the time, or nothing.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_COARSE, &raw mut now) };
    now.tv_sec as u64 * 1_000 + now.tv_nsec as u64 / 1_000_000
}

/// Safety: `old` bytes from `at` on are pages that [`map`] gave, and nothing refers to those beyond `new`.
pub(crate) unsafe fn resize(at: NonNull<u8>, old: usize, new: usize) -> bool {
    if cfg!(miri) {
        return false;
    }
    // SAFETY: the caller's; without MAYMOVE the mapping stays where it is.
    let to = unsafe { libc::mremap(at.as_ptr().cast(), old, new, 0) };
    to != libc::MAP_FAILED
}

/// Writes text to a descriptor without allocating.
pub(crate) fn write(descriptor: i32, text: &[u8]) {
    let mut left = text;
    while !left.is_empty() {
        // SAFETY: `left` is a slice of initialised bytes.
        let done = unsafe { libc::write(descriptor, left.as_ptr().cast(), left.len()) };
        match usize::try_from(done) {
            Ok(done) if done > 0 => left = left.get(done..).unwrap_or_default(),
            _ => return,
        }
    }
}

pub(crate) fn read_file<'a>(path: &std::ffi::CStr, buffer: &'a mut [u8]) -> Option<&'a [u8]> {
    // SAFETY: the path ends with a zero byte.
    let file = unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    if file < 0 {
        return None;
    }
    let mut filled = 0;
    while filled < buffer.len() {
        let rest = &mut buffer[filled..];
        // SAFETY: `rest` is writable for its length.
        let read = unsafe { libc::read(file, rest.as_mut_ptr().cast(), rest.len()) };
        match usize::try_from(read) {
            Ok(read) if read > 0 => filled += read,
            _ => break,
        }
    }
    // SAFETY: the descriptor was opened above and is closed once.
    let _ = unsafe { libc::close(file) };
    Some(&buffer[..filled])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_is_aligned_and_zero() {
        for align in [PAGE, 2 << 20, 16 << 20] {
            let at = map(3 * PAGE, align).expect("the kernel has three pages");
            assert!(at.addr().get().is_multiple_of(align));
            // SAFETY: the mapping has three pages.
            assert_eq!(unsafe { *at.as_ptr().wrapping_add(2 * PAGE) }, 0);
            // SAFETY: the mapping has three pages, and is not used again.
            unsafe { unmap(at, 3 * PAGE) };
        }
    }

    #[test]
    fn absurd_sizes_are_refused() {
        assert!(map(usize::MAX - PAGE, 2 << 20).is_none());
        assert!(map(1 << 60, PAGE).is_none());
    }

    #[test]
    fn a_file_is_read_as_far_as_the_buffer_reaches() {
        let mut buffer = [0; 8];
        let read = read_file(c"/proc/self/stat", &mut buffer).expect("Linux has it");
        assert_eq!(read.len(), 8);
        assert!(read_file(c"/proc/self/none", &mut buffer).is_none());
    }
}
