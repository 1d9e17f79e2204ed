//! Mappings, and words in them.

use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::AsRawFd;
use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;

/// Bytes of a page.
pub(crate) const PAGE: usize = 4096;

/// What a mapping shows.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Of<'f> {
    /// Memory of this process alone.
    Private,
    /// Memory that processes forked later share.
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

/// Mapped memory. It is used by atomic words alone, so that others may see and change it.
#[derive(Debug)]
pub(crate) struct Mapping {
    base: NonNull<u8>,
    length: usize,
}

// SAFETY: a mapping is reached through atomic words alone, and unmapped by its owner, after
// every borrow has ended.
unsafe impl Sync for Mapping {}
// SAFETY: nothing about a mapping belongs to the thread that made it.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Maps `length` bytes, a multiple of the page size, to be read and written.
    #[inline]
    pub(crate) fn new(length: usize, of: Of<'_>) -> io::Result<Self> {
        // SAFETY: a mapping at an address of the kernel's choice replaces nothing.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                length,
                libc::PROT_READ | libc::PROT_WRITE,
                of.flags(),
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

    /// Asks for pages one by one, so that each is a fault of its own: no huge pages, and
    /// nothing of a file ahead of its use. Kernels without huge pages refuse the one, and then
    /// it need not be asked for.
    pub(crate) fn one_by_one(self) -> Self {
        for advice in [libc::MADV_NOHUGEPAGE, libc::MADV_RANDOM] {
            // SAFETY: the range is a mapping of `self`; the advice changes no content.
            unsafe { libc::madvise(self.as_ptr(), self.length, advice) };
        }
        self
    }

    /// Gives the memory back, and says so if that fails.
    #[inline]
    pub(crate) fn unmap(self) -> io::Result<()> {
        let this = ManuallyDrop::new(self);
        // SAFETY: the range is a mapping that `self` owned, and no borrow of it is left.
        super::answer(unsafe { libc::munmap(this.as_ptr(), this.length) }).map(|_| ())
    }

    #[inline]
    pub(crate) fn as_ptr(&self) -> *mut libc::c_void {
        self.base.as_ptr().cast()
    }

    #[inline]
    pub(crate) fn address(&self) -> u64 {
        self.base.addr().get() as u64
    }

    /// Lets the whole mapping be read alone, or written too.
    #[inline]
    pub(crate) fn writable(&self, writable: bool) -> io::Result<()> {
        let write = if writable { libc::PROT_WRITE } else { 0 };
        let protection = libc::PROT_READ | write;
        // SAFETY: the range is a mapping of `self`; who writes it meanwhile is killed by a
        // signal, which breaks no rule of memory.
        super::answer(unsafe { libc::mprotect(self.as_ptr(), self.length, protection) }).map(|_| ())
    }

    /// Whether the kernel can write here.
    pub(crate) fn takes_writes(&self) -> io::Result<bool> {
        // SAFETY: the mapping has the eight bytes; the call fails where it cannot write.
        match super::answer(unsafe { libc::getrandom(self.as_ptr(), size_of::<u64>(), 0) } as i64) {
            Ok(_) => Ok(true),
            Err(error) if error.raw_os_error() == Some(libc::EFAULT) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Has the kernel forget what page `page` of private memory holds.
    #[inline]
    pub(crate) fn forget(&self, page: usize) -> io::Result<()> {
        let offset = page * PAGE;
        assert!(offset < self.length, "page {page} lies outside");
        // SAFETY: the offset lies inside the mapping, which is checked above.
        let address = unsafe { self.base.add(offset) }.as_ptr().cast();
        // SAFETY: the page lies in the mapping, and holds words that may be any number.
        super::answer(unsafe { libc::madvise(address, PAGE, libc::MADV_DONTNEED) }).map(|_| ())
    }

    /// The first word of page `page`.
    #[inline]
    pub(crate) fn page(&self, page: usize) -> &AtomicU64 {
        self.word(page * (PAGE / size_of::<u64>()))
    }

    /// Word `index`.
    #[inline]
    pub(crate) fn word(&self, index: usize) -> &AtomicU64 {
        let offset = index * size_of::<u64>();
        assert!(offset < self.length, "word {index} lies outside");
        // SAFETY: the offset lies inside the mapping, which is checked above.
        let word = unsafe { self.base.add(offset) };
        // SAFETY: the word is aligned (pages are), mapped as long as `self` lives, used as an
        // atomic by everybody, and any bytes are a number.
        unsafe { word.cast::<AtomicU64>().as_ref() }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the range is the mapping made by `new`, and no borrow of it is left.
        unsafe { libc::munmap(self.as_ptr(), self.length) };
    }
}

/// An end of the heap.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Break(usize);

impl Break {
    /// Where the break is.
    pub(crate) fn now() -> io::Result<Self> {
        // SAFETY: the kernel refuses a break of 0 and answers where it is: nothing is moved.
        unsafe { Self(0).set() }
    }

    /// The break `bytes` further up.
    pub(crate) fn above(self, bytes: usize) -> Self {
        Self(self.0 + bytes)
    }

    pub(crate) fn address(self) -> u64 {
        self.0 as u64
    }

    /// Moves the break here, if the kernel can; the answer is where it is now.
    ///
    /// # Safety
    /// Nobody may use memory between this and where the break is: not the allocator either.
    #[inline]
    pub(crate) unsafe fn set(self) -> io::Result<Self> {
        // SAFETY: the kernel takes away what lies above the break, which the caller promises
        // that nobody uses.
        let now = super::answer(unsafe { libc::syscall(libc::SYS_brk, self.0) })?;
        Ok(Self(now as usize))
    }

    /// Sees whether the page above the break can be had, written and given back.
    ///
    /// # Safety
    /// The process must have one thread, and its allocator no need to move the break.
    pub(crate) unsafe fn try_page(self) -> io::Result<()> {
        let above = self.above(PAGE);
        // SAFETY: the break moves up, and nobody else moves it.
        if unsafe { above.set() }?.0 != above.0 {
            return Err(io::Error::other(
                "the break cannot be moved: no room above the heap",
            ));
        }
        let word = std::ptr::with_exposed_provenance_mut::<u8>(self.0);
        // SAFETY: the byte lies in the page that the kernel just gave, which nobody else has.
        unsafe { word.write_volatile(1) };
        // SAFETY: as above.
        let came = unsafe { word.read_volatile() };
        // SAFETY: above is only the page that was just taken.
        unsafe { self.set() }?;
        match came {
            1 => Ok(()),
            _ => Err(io::Error::other("the page above the break holds nothing")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;

    #[test]
    fn words_keep_what_is_written() {
        let mapping = Mapping::new(2 * PAGE, Of::Shared).unwrap();
        mapping.page(1).store(7, Ordering::Relaxed);
        assert_eq!(mapping.word(PAGE / 8).load(Ordering::Relaxed), 7);
        mapping.unmap().unwrap();
    }

    #[test]
    #[should_panic(expected = "word 512 lies outside")]
    fn words_outside_are_refused() {
        Mapping::new(PAGE, Of::Private).unwrap().word(512);
    }

    #[test]
    fn nothing_cannot_be_mapped() {
        assert!(Mapping::new(0, Of::Private).is_err());
    }
}
