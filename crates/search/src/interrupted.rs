//! How a search ends at a signal: at once, and none of its processes outlives it. The kernel kills
//! them when their maker ends (`models::children`), but of a large pool some stay for seconds. So
//! the handler kills and reaps each before it ends its own process. It finds them in shared memory
//! ([`SharedMemory`]). Who forks has one thread, so the handler runs before or after each step of
//! it. From before a fork until the entry is made no signal comes ([`SignalsBlocked`]); one that
//! ends by itself keeps its entry until it is reaped. In the processes it ends that one alone.

use std::io;
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicPtr, Ordering};

use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, SigmaskHow, Signal, sigaction};

use crate::models::{SharedMemory, Slot};

/// Null: no processes are listed.
static SHARED: AtomicPtr<SharedMemory> = AtomicPtr::new(ptr::null_mut());
static MAKER: AtomicI32 = AtomicI32::new(0);

/// A millisecond apart; what lives longer resists a kill, as where a disk does not answer.
const LOOKS: usize = 3_000;

/// From now on `signal` ends this process with a shell's exit code, after those of a search.
pub fn end_at(signal: Signal) -> io::Result<()> {
    let action = SigAction::new(
        SigHandler::Handler(end),
        SaFlags::SA_RESTART,
        // Another signal waits until this one has ended the process.
        SigSet::all(),
    );
    // SAFETY: the handler only makes async-signal-safe calls, and reads atomics.
    unsafe { sigaction(signal, &action) }?;
    Ok(())
}

pub(crate) struct ChildRegistry;

impl ChildRegistry {
    pub(crate) fn of(shared: &SharedMemory) -> ChildRegistry {
        MAKER.store(std::process::id().cast_signed(), Ordering::Relaxed);
        SHARED.store(ptr::from_ref(shared).cast_mut(), Ordering::Release);
        ChildRegistry
    }
}

impl Drop for ChildRegistry {
    fn drop(&mut self) {
        SHARED.store(ptr::null_mut(), Ordering::Release);
    }
}

pub(crate) struct SignalsBlocked(Option<SigSet>);

impl SignalsBlocked {
    pub(crate) fn now() -> SignalsBlocked {
        // It fails for masks and ways that do not exist alone.
        SignalsBlocked(SigSet::all().thread_swap_mask(SigmaskHow::SIG_BLOCK).ok())
    }
}

impl Drop for SignalsBlocked {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            let _as_before = before.thread_set_mask();
        }
    }
}

extern "C" fn end(signal: libc::c_int) {
    // SAFETY: `getpid` has no preconditions.
    let own = unsafe { libc::getpid() };
    // SAFETY: null, or a shared memory that lives: `ChildRegistry` takes it back before it goes, on
    // the thread that this handler interrupts.
    let shared = unsafe { SHARED.load(Ordering::Acquire).as_ref() };
    if let Some(shared) = shared.filter(|_| MAKER.load(Ordering::Relaxed) == own) {
        let pids = || (0..shared.slots()).filter_map(|slot| shared.slot(slot).process());
        for pid in pids() {
            // SAFETY: `kill` is async-signal-safe; the process is a child that was not reaped.
            unsafe { libc::kill(pid, libc::SIGKILL) };
        }
        let slots = (0..shared.slots()).map(|slot| shared.slot(slot));
        slots.filter_map(Slot::to_reap).for_each(reap);
    }
    // SAFETY: ends this process at once; what it holds is the kernel's to free.
    unsafe { libc::_exit(128 + signal) }
}

fn reap(pid: i32) {
    let pause = libc::timespec {
        tv_sec: 0,
        tv_nsec: 1_000_000,
    };
    for _ in 0..LOOKS {
        // SAFETY: `waitpid` is async-signal-safe; a null status asks for none.
        if unsafe { libc::waitpid(pid, ptr::null_mut(), libc::WNOHANG) } != 0 {
            return;
        }
        // SAFETY: `nanosleep` is async-signal-safe and reads a local; nobody asks what is left.
        unsafe { libc::nanosleep(&raw const pause, ptr::null_mut()) };
    }
}
