use std::io;

use ::sys::Advice;
pub(crate) use ::sys::{Access, Mapping, Of, PAGE};

/// No huge pages, no read-ahead. Kernels without huge pages refuse the first request and need none.
pub(crate) fn one_by_one(mapping: Mapping) -> Mapping {
    for advice in [Advice::NoHugePages, Advice::NothingAhead] {
        let _refused_where_needless = mapping.advise(advice);
    }
    mapping
}

pub(crate) fn takes_writes(mapping: &Mapping) -> io::Result<bool> {
    let first = mapping.as_ptr();
    // SAFETY: the mapping has the eight bytes; the call fails where it cannot write.
    match super::answer(unsafe { libc::getrandom(first, size_of::<u64>(), 0) } as i64) {
        Ok(_) => Ok(true),
        Err(error) if error.raw_os_error() == Some(libc::EFAULT) => Ok(false),
        Err(error) => Err(error),
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Break(usize);

impl Break {
    pub(crate) fn now() -> io::Result<Self> {
        // SAFETY: the kernel refuses a break of 0 and answers where it is: nothing is moved.
        unsafe { Self(0).set() }
    }

    pub(crate) fn above(self, bytes: usize) -> Self {
        Self(self.0 + bytes)
    }

    pub(crate) fn address(self) -> u64 {
        self.0 as u64
    }

    /// Moves the break here if the kernel can; returns where it is now. Safety: nobody uses memory
    /// between this and the present break: not the allocator either.
    #[inline]
    pub(crate) unsafe fn set(self) -> io::Result<Self> {
        // SAFETY: the kernel takes away what lies above the break, unused by the caller's promise.
        let now = super::answer(unsafe { libc::syscall(libc::SYS_brk, self.0) })?;
        Ok(Self(now as usize))
    }

    /// Checks that the page above the break can be had. Safety: the process has one thread, and its
    /// allocator does not move the break.
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
