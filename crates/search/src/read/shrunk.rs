//! A mapped file that becomes shorter while it is looked at: touching a page behind its end raises
//! SIGBUS. So while mapped files are searched, a handler puts pages of zeros over the rest of the
//! mapping that its thread looks at and notes that. Every other SIGBUS does what it always does.
//! The handler uses a thread-local that needs no setting up, and the system call `mmap`.

use std::ptr::{self, NonNull};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, compiler_fence};

use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

use crate::locks::held;

struct Look {
    base: AtomicUsize,
    end: AtomicUsize,
    shrunk: AtomicBool,
}

thread_local! {
    static LOOK: Look = const {
        Look {
            base: AtomicUsize::new(0),
            end: AtomicUsize::new(0),
            shrunk: AtomicBool::new(false),
        }
    };
}

#[derive(Debug)]
pub(crate) struct Watched(());

impl Watched {
    pub(crate) fn begin(base: NonNull<u8>, length: usize) -> Watched {
        let base = base.as_ptr().addr();
        LOOK.with(|look| look.set(base, base + length));
        Watched(())
    }

    pub(crate) fn has_shrunk(&self) -> bool {
        compiler_fence(Ordering::SeqCst);
        LOOK.with(|look| look.shrunk.load(Ordering::Relaxed))
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        LOOK.with(|look| look.set(0, 0));
    }
}

impl Look {
    /// The handler runs on this thread between any two instructions: the fence orders what follows.
    fn set(&self, base: usize, end: usize) {
        self.shrunk.store(false, Ordering::Relaxed);
        self.base.store(base, Ordering::Relaxed);
        self.end.store(end, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
    }

    fn mends(&self, address: usize) -> bool {
        let end = self.end.load(Ordering::Relaxed);
        let inside = address >= self.base.load(Ordering::Relaxed) && address < end;
        // SAFETY: `base` to `end` is the mapping that this thread looks at, and `address` is in it.
        let mended = inside && unsafe { put_zeros(address, end) };
        self.shrunk.fetch_or(mended, Ordering::Relaxed);
        mended
    }
}

static INSTALLED: Mutex<(usize, Option<SigAction>)> = Mutex::new((0, None));

#[derive(Debug)]
pub(crate) struct Handler(());

impl Handler {
    pub(crate) fn install() -> Handler {
        let mut installed = held(&INSTALLED);
        if installed.0 == 0 {
            installed.1 = exchange(&ours());
        }
        installed.0 += 1;
        Handler(())
    }
}

impl Drop for Handler {
    fn drop(&mut self) {
        let mut installed = held(&INSTALLED);
        installed.0 -= 1;
        let last = installed.0 == 0;
        if let Some(before) = installed.1.take_if(|_| last) {
            exchange(&before);
        }
    }
}

fn ours() -> SigAction {
    let flags = SaFlags::SA_SIGINFO | SaFlags::SA_ONSTACK;
    SigAction::new(SigHandler::SigAction(on_fault), flags, SigSet::empty())
}

fn exchange(action: &SigAction) -> Option<SigAction> {
    // SAFETY: installs our handler, which does only what a handler may, or the one that was there.
    unsafe { sigaction(Signal::SIGBUS, action) }.ok()
}

extern "C" fn on_fault(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel passes a valid `siginfo_t`.
    let info = unsafe { &*info };
    // SAFETY: of a fault, the address is set.
    let address = unsafe { info.si_addr() }.addr();
    if !LOOK.with(|look| look.mends(address)) {
        // Not ours: the fault repeats with the default action.
        let default = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
        exchange(&default);
    }
}

/// Puts pages of zeros from the page of `address` to `end`. Safety: the pages must belong to a
/// mapping of files that is only read, by this thread alone.
unsafe fn put_zeros(address: usize, end: usize) -> bool {
    // SAFETY: asks for a constant of the system, which a handler may do.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    let from = address & !(usize::try_from(page).unwrap_or(4096) - 1);
    // SAFETY: the caller promises that the pages are its own and only read, before and after.
    let put = unsafe {
        libc::mmap(
            ptr::without_provenance_mut(from),
            end - from,
            libc::PROT_READ,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
            -1,
            0,
        )
    };
    put != libc::MAP_FAILED
}
