//! Preemption: a timer has a fiber give up its turn in the middle of a computation.
//!
//! A signal handler on a fiber's stack may switch to another fiber as a yield does
//! (*signal-yield*): the kernel has put the interrupted registers, vectors included, into a frame
//! there, and takes them back when the handler returns. The handler is entered with its signal
//! unblocked (`SA_NODEFER`), and takes the floating-point control state of the interrupted code.
//!
//! A kernel thread's one timer is set once for each turn: when an interruptible section begins, and
//! when a fiber goes on in one. It expires in no other code. The signal is SIGURG: ignored by
//! default, and rarely used (Go's runtime preempts by it, too).
//!
//! # What it deliberately does not do
//! * **Interrupt any code.** Whoever is interrupted with a lock (an allocator's, that of standard
//!   output) keeps all other fibers of the thread from it, for ever; a thread-local half changed, a
//!   fiber half switched are worse. So the author promises that a section holds nothing.
//! * **Packed slots, movable stacks.** A signal frame takes 1 to 11 KiB, and a stack without its
//!   own address must not hold what the kernel reads.
//! * **Unwind a fiber that was interrupted.** No table covers any instruction: a scheduler dropped
//!   before it has ended ends the program.
//!
//! Sources: S. Shiina, S. Iwasaki, K. Taura, P. Balaji, "Lightweight Preemptive User-Level
//! Threads", PPoPP 2021 (signal-yield, timers of kernel threads); signal(7), timer_create(2).

use std::cell::Cell;
use std::io;
use std::mem;
use std::ptr;
use std::sync::Once;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

use crate::arch::Floats;
use crate::config::Stack;
use crate::current;
use crate::error::PreemptError;

const SIGNAL: Signal = Signal::SIGURG;

/// For signal frames with the largest vectors, the handler, and the section.
const STACK_LEAST: usize = 32 << 10;

thread_local! {
    /// In ns, of the running section; 0 outside sections.
    static QUANTUM: Cell<u64> = const { Cell::new(0) };
    static TIMER: Timer = const { Timer(Cell::new(None)) };
}

/// Calls `section`, in which the fiber gives up its turn after each `quantum` of time. Outside
/// fibers nothing is interrupted. Errors: a small stack, no guard, no timer.
/// # Safety
/// `section` can be stopped at any instruction for any time, while other fibers of the kernel
/// thread run: it holds no lock, borrows no thread-local, calls no function of this crate, and none
/// that allocates, prints or panics. Its fiber ends before its scheduler is dropped.
pub unsafe fn preemptible<R>(
    quantum: Duration,
    section: impl FnOnce() -> R,
) -> Result<R, PreemptError> {
    if !current::is_turn(current::turn()) {
        return Ok(section());
    }
    // SAFETY: there is a turn, so a fiber runs.
    let stack = unsafe { current::running() }.slots.stack();
    if !matches!(stack, Stack::Guarded { bytes } if bytes >= STACK_LEAST) {
        return Err(PreemptError::Stack { least: STACK_LEAST });
    }
    yield_at_signals()?;
    TIMER.with(Timer::ensure)?;
    let quantum = u64::try_from(quantum.as_nanos()).unwrap_or(u64::MAX).max(1);
    let outer = QUANTUM.replace(quantum);
    set_timer(quantum);
    let result = section();
    QUANTUM.set(outer);
    set_timer(outer);
    Ok(result)
}

fn yield_at_signals() -> io::Result<()> {
    static ONCE: Once = Once::new();
    let mut outcome = Ok(());
    ONCE.call_once(|| {
        let flags = SaFlags::SA_SIGINFO | SaFlags::SA_NODEFER | SaFlags::SA_RESTART;
        let action = SigAction::new(SigHandler::SigAction(on_tick), flags, SigSet::empty());
        // SAFETY: the code that the handler interrupts has agreed to what it does.
        outcome = unsafe { sigaction(SIGNAL, &action) }.map(|_before| ());
    });
    Ok(outcome?)
}

extern "C" fn on_tick(_: i32, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let quantum = QUANTUM.replace(0);
    if quantum == 0 {
        return;
    }
    let errno = Errno::last();
    // SAFETY: the kernel passes the context of the interrupted code.
    let floats = unsafe { Floats::of_interrupted(context.cast()) };
    // SAFETY: a section runs, so a fiber does; it agreed to be stopped here.
    unsafe { current::running() }.stop_at_tick(current::turn(), floats);
    errno.set();
    QUANTUM.set(quantum);
    set_timer(quantum);
}

/// To expire once, after `nanoseconds`; 0 stops it.
fn set_timer(nanoseconds: u64) {
    let Some(timer) = TIMER.with(|timer| timer.0.get()) else {
        return;
    };
    let once = libc::itimerspec {
        it_interval: timespec(0),
        it_value: timespec(nanoseconds),
    };
    // SAFETY: a timer of this kernel thread; the call is one that a handler may make.
    unsafe { libc::timer_settime(timer, 0, &raw const once, ptr::null_mut()) };
}

fn timespec(nanoseconds: u64) -> libc::timespec {
    const SECOND: u64 = 1_000_000_000;
    libc::timespec {
        tv_sec: (nanoseconds / SECOND) as libc::time_t,
        tv_nsec: (nanoseconds % SECOND) as libc::c_long,
    }
}

struct Timer(Cell<Option<libc::timer_t>>);

impl Timer {
    fn ensure(&self) -> io::Result<()> {
        if self.0.get().is_some() {
            return Ok(());
        }
        // SAFETY: all-zero bytes are a request without a value, filled in below.
        let mut event: libc::sigevent = unsafe { mem::zeroed() };
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        event.sigev_signo = SIGNAL as i32;
        event.sigev_notify_thread_id = rustix::thread::gettid().as_raw_nonzero().get();
        let mut timer: libc::timer_t = ptr::null_mut();
        // SAFETY: both are valid for the call.
        let code =
            unsafe { libc::timer_create(libc::CLOCK_MONOTONIC, &raw mut event, &raw mut timer) };
        if code != 0 {
            return Err(io::Error::last_os_error());
        }
        self.0.set(Some(timer));
        Ok(())
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        if let Some(timer) = self.0.take() {
            // SAFETY: ours, and no section runs: the thread ends.
            unsafe { libc::timer_delete(timer) };
        }
    }
}
