//! Mapped memory with an owner. Safe code reaches it by atomic words, or by bare addresses; so
//! changing a whole mapping is safe too. A forbidden access ends the process by a signal.

use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;

/// A page in bytes; where the machine has larger ones nothing is mapped ([`pages_fit`]).
pub const PAGE: usize = 4_096;

/// Errors: the kernel's pages are not of [`PAGE`] bytes, as those of some for aarch64.
pub fn pages_fit() -> io::Result<()> {
    // SAFETY: only asks.
    fit(unsafe { libc::sysconf(libc::_SC_PAGESIZE) })
}

fn fit(bytes: libc::c_long) -> io::Result<()> {
    if usize::try_from(bytes) == Ok(PAGE) {
        return Ok(());
    }
    let text = format!(
        "the kernel's pages have {bytes} bytes, and this program is built for pages of {PAGE}: \
         boot a kernel with pages of 4 KiB"
    );
    Err(io::Error::new(io::ErrorKind::Unsupported, text))
}

/// What a mapping shows.
#[derive(Debug, Clone, Copy)]
pub enum Of<'f> {
    /// Memory of this process alone; zero at first.
    Private,
    /// Memory that processes forked later share; zero at first.
    Shared,
    /// A file; what is written stays in this process.
    FilePrivate(&'f File),
    /// A file; what is written is written to it.
    FileShared(&'f File),
}

impl Of<'_> {
    fn flags(self) -> libc::c_int {
        match self {
            Self::Private => libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            Self::Shared => libc::MAP_SHARED | libc::MAP_ANONYMOUS,
            Self::FilePrivate(_) => libc::MAP_PRIVATE,
            Self::FileShared(_) => libc::MAP_SHARED,
        }
    }

    fn descriptor(self) -> libc::c_int {
        match self {
            Self::Private | Self::Shared => -1,
            Self::FilePrivate(file) | Self::FileShared(file) => file.as_raw_fd(),
        }
    }
}

/// What may be done to memory; anything else ends the process by a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Nothing.
    Nothing,
    /// Reading.
    Read,
    /// Reading and writing.
    Write,
}

impl Access {
    fn protection(self) -> libc::c_int {
        match self {
            Self::Nothing => libc::PROT_NONE,
            Self::Read => libc::PROT_READ,
            Self::Write => libc::PROT_READ | libc::PROT_WRITE,
        }
    }
}

/// What the kernel is advised of a mapping. None changes what this process reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advice {
    /// Huge pages, where they can be had.
    HugePages,
    /// No huge pages.
    NoHugePages,
    /// Nothing of a file ahead of its use.
    NothingAhead,
    /// Not in processes that are forked.
    NotInForks,
}

impl Advice {
    fn number(self) -> libc::c_int {
        match self {
            Self::HugePages => libc::MADV_HUGEPAGE,
            Self::NoHugePages => libc::MADV_NOHUGEPAGE,
            Self::NothingAhead => libc::MADV_RANDOM,
            Self::NotInForks => libc::MADV_DONTFORK,
        }
    }
}

/// Mapped memory, unmapped when it is dropped.
#[derive(Debug)]
pub struct Mapping {
    base: NonNull<u8>,
    length: usize,
}

// SAFETY: safe code reaches a mapping through atomic words, and its owner unmaps it last.
unsafe impl Sync for Mapping {}
// SAFETY: nothing about a mapping belongs to the thread that made it.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Maps `length` bytes, a multiple of [`PAGE`], for reading and writing.
    #[inline]
    pub fn new(length: usize, of: Of<'_>) -> io::Result<Self> {
        Self::map(length, of, 0)
    }

    /// As [`new`](Self::new), with every page in memory before it returns.
    pub fn new_at_once(length: usize, of: Of<'_>) -> io::Result<Self> {
        Self::map(length, of, libc::MAP_POPULATE)
    }

    /// As [`new`](Self::new), without a reservation of memory.
    pub fn new_unreserved(length: usize, of: Of<'_>) -> io::Result<Self> {
        Self::map(length, of, libc::MAP_NORESERVE)
    }

    /// Unreserved memory with byte `at` on a multiple of `boundary` (a power of two of pages).
    pub fn on_boundary(length: usize, of: Of<'_>, boundary: usize, at: usize) -> io::Result<Self> {
        let too_large = || io::Error::other("a mapping would exceed the address space");
        let larger = length.checked_add(boundary).ok_or_else(too_large)?;
        let whole = ManuallyDrop::new(Self::new_unreserved(larger, of)?);
        let head = whole.base.addr().get().wrapping_add(at).wrapping_neg() & (boundary - 1);
        // SAFETY: `head` is below `boundary`, and the mapping is that much longer than `length`.
        let base = unsafe { whole.base.add(head) };
        // SAFETY: as above: this is where the tail begins, or where the mapping ends.
        let tail = unsafe { base.add(length) };
        // SAFETY: the start of the mapping made above, which nobody has seen.
        unsafe { give_back(whole.base, head) };
        // SAFETY: its end, as above.
        unsafe { give_back(tail, boundary - head) };
        Ok(Self { base, length })
    }

    /// Takes over memory mapped in another way.
    /// # Safety
    /// `length` bytes from `base` are whole pages of mappings that nobody else unmaps.
    #[must_use]
    pub unsafe fn from_raw(base: NonNull<u8>, length: usize) -> Self {
        Self { base, length }
    }

    #[inline]
    fn map(length: usize, of: Of<'_>, further: libc::c_int) -> io::Result<Self> {
        if cfg!(not(target_arch = "x86_64")) {
            pages_fit()?;
        }
        // SAFETY: a mapping at an address of the kernel's choice replaces nothing.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                length,
                Access::Write.protection(),
                of.flags() | further,
                of.descriptor(),
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let base = NonNull::new(base.cast()).ok_or_else(|| io::Error::other("mapped at 0"))?;
        Ok(Self { base, length })
    }

    /// Gives the memory back; an error if the kernel has no room to split a mapping.
    #[inline]
    pub fn unmap(self) -> io::Result<()> {
        let this = ManuallyDrop::new(self);
        // SAFETY: the range is a mapping that `self` owned, and no borrow of it is left.
        done(unsafe { libc::munmap(this.as_ptr(), this.length) })
    }

    /// Its first byte.
    #[must_use]
    #[inline]
    pub fn base(&self) -> NonNull<u8> {
        self.base
    }

    /// The address for system calls.
    #[must_use]
    #[inline]
    pub fn as_ptr(&self) -> *mut libc::c_void {
        self.base.as_ptr().cast()
    }

    /// The same, as a number.
    #[must_use]
    #[inline]
    pub fn address(&self) -> u64 {
        self.base.addr().get() as u64
    }

    /// Its bytes.
    #[must_use]
    #[inline]
    #[expect(clippy::len_without_is_empty, reason = "no mapping is empty")]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Sets the access to all of it.
    #[inline]
    pub fn allow(&self, access: Access) -> io::Result<()> {
        // SAFETY: the range is this mapping; a signal ends other uses, without undefined behaviour.
        done(unsafe { libc::mprotect(self.as_ptr(), self.length, access.protection()) })
    }

    /// Sets the access to whole pages. Panics: the part lies outside.
    pub fn allow_part(&self, part: Range<usize>, access: Access) -> io::Result<()> {
        assert!(
            part.start <= part.end && part.end <= self.length,
            "{part:?} lies outside"
        );
        // SAFETY: the part begins inside the mapping, or at its end.
        let first = unsafe { self.base.add(part.start) }.as_ptr().cast();
        // SAFETY: the range lies inside the mapping (checked above); the rest as in `allow`.
        done(unsafe { libc::mprotect(first, part.len(), access.protection()) })
    }

    /// Advises the kernel. Errors: it does not know that advice.
    pub fn advise(&self, advice: Advice) -> io::Result<()> {
        // SAFETY: the range is this mapping; no advice changes what is in it.
        done(unsafe { libc::madvise(self.as_ptr(), self.length, advice.number()) })
    }

    /// Drops a private page: it reads as zero, or as the file. Panics: the page lies outside.
    #[inline]
    pub fn forget(&self, page: usize) -> io::Result<()> {
        let offset = page * PAGE;
        assert!(offset < self.length, "page {page} lies outside");
        // SAFETY: the offset lies inside the mapping, which is checked above.
        let address = unsafe { self.base.add(offset) }.as_ptr().cast();
        // SAFETY: the page lies in the mapping, and holds words that may be any number.
        done(unsafe { libc::madvise(address, PAGE, libc::MADV_DONTNEED) })
    }

    /// The first word of page `page`. Panics: the page lies outside.
    #[must_use]
    #[inline]
    pub fn page(&self, page: usize) -> &AtomicU64 {
        self.word(page * (PAGE / size_of::<u64>()))
    }

    /// Word `index`. Panics: the word lies outside.
    #[must_use]
    #[inline]
    pub fn word(&self, index: usize) -> &AtomicU64 {
        let offset = index * size_of::<u64>();
        assert!(offset < self.length, "word {index} lies outside");
        // SAFETY: the offset lies inside the mapping, which is checked above.
        let word = unsafe { self.base.add(offset) };
        // SAFETY: the word is aligned (pages are), mapped as long as `self` lives, an atomic for
        // everybody, and any bytes are a number.
        unsafe { word.cast::<AtomicU64>().as_ref() }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the range is this mapping, and no borrow of it is left.
        unsafe { give_back(self.base, self.length) };
    }
}

/// A length of 0 is fine. Safety: whole pages of the caller's own, and nobody refers into them.
unsafe fn give_back(base: NonNull<u8>, length: usize) {
    if length > 0 {
        // SAFETY: the caller promises that the range is its own and no longer used.
        unsafe { libc::munmap(base.as_ptr().cast(), length) };
    }
}

fn done(code: libc::c_int) -> io::Result<()> {
    match code {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::atomic::Ordering;

    use super::*;

    #[test]
    fn words_keep_what_is_written() {
        let mapping = Mapping::new(2 * PAGE, Of::Shared).expect("memory");
        mapping.page(1).store(7, Ordering::Relaxed);
        assert_eq!(mapping.word(PAGE / 8).load(Ordering::Relaxed), 7);
        mapping.unmap().expect("unmapped");
    }

    #[test]
    #[should_panic(expected = "word 512 lies outside")]
    fn words_outside_are_refused() {
        let _outside = Mapping::new(PAGE, Of::Private).expect("memory").word(512);
    }

    #[test]
    fn a_kernel_with_larger_pages_is_refused_with_their_size() {
        assert!(pages_fit().is_ok() && fit(4_096).is_ok());
        for bytes in [16_384, 65_536, -1] {
            let error = fit(bytes).expect_err("other pages").to_string();
            assert!(error.contains(&format!("have {bytes} bytes")), "{error}");
        }
    }

    #[test]
    fn nothing_cannot_be_mapped() {
        assert!(Mapping::new(0, Of::Private).is_err());
    }

    #[test]
    fn what_is_forgotten_is_zero() {
        let mapping = Mapping::new(2 * PAGE, Of::Private).expect("memory");
        for page in [0, 1] {
            mapping.page(page).store(1, Ordering::Relaxed);
        }
        mapping.forget(1).expect("forgotten");
        assert_eq!(mapping.page(0).load(Ordering::Relaxed), 1);
        assert_eq!(mapping.page(1).load(Ordering::Relaxed), 0);
    }

    #[test]
    fn the_byte_that_is_asked_for_lies_on_the_boundary() {
        const BOUNDARY: usize = 2 << 20;
        for (length, at) in [(BOUNDARY, 0), (3 * BOUNDARY, PAGE), (PAGE, 0)] {
            let mapping = Mapping::on_boundary(length, Of::Private, BOUNDARY, at).expect("memory");
            assert!((mapping.base().addr().get() + at).is_multiple_of(BOUNDARY));
            mapping.page(length / PAGE - 1).store(1, Ordering::Relaxed);
            assert_eq!(mapping.len(), length);
        }
        assert!(Mapping::on_boundary(usize::MAX, Of::Private, BOUNDARY, 0).is_err());
    }

    /// What the kernel says may be done to the page at an address.
    fn access_to(address: usize) -> String {
        let maps = fs::read_to_string("/proc/self/maps").expect("maps");
        let mut lines = maps.lines().filter_map(|line| {
            let (range, rest) = line.split_once(' ')?;
            let (start, end) = range.split_once('-')?;
            let number = |text| usize::from_str_radix(text, 16).expect("an address");
            let access = rest.split(' ').next()?;
            (number(start)..number(end))
                .contains(&address)
                .then(|| access.to_owned())
        });
        lines.next().expect("a mapping")
    }

    #[test]
    fn access_is_that_of_the_part_it_was_given_for() {
        let mapping = Mapping::new(3 * PAGE, Of::Private).expect("memory");
        let at = |page| access_to(mapping.base().addr().get() + page * PAGE);
        mapping
            .allow_part(PAGE..2 * PAGE, Access::Nothing)
            .expect("allowed");
        assert_eq!([at(0), at(1), at(2)], ["rw-p", "---p", "rw-p"]);
        mapping.allow(Access::Read).expect("allowed");
        assert_eq!([at(0), at(1), at(2)], ["r--p", "r--p", "r--p"]);
    }

    #[test]
    #[should_panic(expected = "lies outside")]
    fn parts_outside_are_refused() {
        let mapping = Mapping::new(PAGE, Of::Private).expect("memory");
        let _outside = mapping.allow_part(0..2 * PAGE, Access::Read);
    }
}
