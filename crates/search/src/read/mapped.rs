use std::io;
use std::os::fd::BorrowedFd;
use std::ptr::NonNull;

use memchr::{memchr, memrchr};
use nix::sys::mman::{MapFlags, ProtFlags, mmap, munmap};
use nix::sys::stat::{SFlag, fstat};

use super::rolling::BLOCK_BYTES;
use super::shrunk::Watched;
use super::text::{End, Mark, Nul, Viewer};

#[derive(Debug)]
pub(crate) struct Mapped {
    base: NonNull<u8>,
    length: usize,
}

impl Mapped {
    /// `None` if it cannot be mapped: empty, in `/proc`, or not on a disk.
    pub(crate) fn of(file: BorrowedFd<'_>) -> io::Result<Option<Mapped>> {
        let stat = fstat(file)?;
        let kind = SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT;
        let length = usize::try_from(stat.st_size).unwrap_or(0);
        let Some(bytes) = std::num::NonZeroUsize::new(length).filter(|_| kind == SFlag::S_IFREG)
        else {
            return Ok(None);
        };
        // SAFETY: a new private mapping where the kernel chooses touches no memory in use.
        let base = unsafe {
            mmap(
                None,
                bytes,
                ProtFlags::PROT_READ,
                MapFlags::MAP_PRIVATE,
                file,
                0,
            )
        }?;
        Ok(Some(Mapped {
            base: base.cast(),
            length,
        }))
    }

    /// `None` if it must be read: not UTF-8, or NUL bytes in place of line feeds.
    pub(crate) fn view(&self, nul: Nul, viewer: &mut impl Viewer) -> io::Result<Option<End>> {
        let watched = Watched::begin(self.base, self.length);
        // SAFETY: the mapping of `length` bytes lives as long as `self`, and nobody writes through
        // it. The handler of `shrunk` replaces pages that vanish because the file became shorter.
        // (Another program may change the bytes, which are only read and not trusted.)
        let text = unsafe { std::slice::from_raw_parts(self.base.as_ptr(), self.length) };
        let start = match Mark::of(text) {
            Mark::Utf16 => return Ok(None),
            Mark::Utf8(start) => start,
        };
        if nul == Nul::IsLineFeed && memchr(0, text).is_some() {
            return Ok(None);
        }
        let end = windows(text, start, nul, viewer);
        if watched.has_shrunk() {
            return Err(io::Error::other("it became shorter while it was searched"));
        }
        Ok(Some(end))
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: base and length of our own mapping, to which no reference is left.
        let _ = unsafe { munmap(self.base.cast(), self.length) };
    }
}

fn windows(text: &[u8], mut start: usize, nul: Nul, viewer: &mut impl Viewer) -> End {
    if text.len() < BLOCK_BYTES {
        viewer.came(text.len());
        return viewer.whole(&text[start..], start as u64, nul);
    }
    let (mut came, mut checked) = (0, start);
    loop {
        let end = text.len().min(came + BLOCK_BYTES);
        viewer.came(end - came);
        came = end;
        let new = &text[checked..end];
        if let Some(at) = memchr(0, new).filter(|_| nul == Nul::Ends) {
            return End::Binary((checked + at) as u64);
        }
        let cut = match end == text.len() {
            true => end,
            false => memrchr(b'\n', new).map_or(start, |feed| checked + feed + 1),
        };
        checked = end;
        if cut > start && viewer.window(&text[start..cut], start as u64).is_break() {
            return End::Done;
        }
        start = cut;
        if end == text.len() {
            return End::Done;
        }
    }
}
