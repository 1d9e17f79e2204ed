//! Touched guards: a fault with a name.
//!
//! # Theory
//!
//! A fiber that runs over the end of a guarded stack touches a page that may not be
//! touched, and the kernel sends SIGSEGV. Its handler cannot run on that stack, so the
//! kernel thread has an alternate one. The handler finds the fiber by the address and
//! ends the program by name; any other fault goes to the handler that was there before.
//!
//! Packed slots have no guard between them, but the page below them all is one: a fiber that
//! runs so deep faults there in its own turn, so the one that runs is named.

use std::cell::RefCell;
use std::io;
use std::ptr;
use std::sync::{Once, OnceLock};

use crate::current;
use crate::fatal::{bytes, end};
use crate::memory::Mapping;

static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

/// From now on a touched guard is reported by name.
pub(crate) fn report_touched_guards() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let mut action = no_action();
        action.sa_sigaction = on_fault as extern "C" fn(_, _, _) as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
        let mut before = no_action();
        // SAFETY: both actions are valid; the handler does only what a handler may.
        unsafe { libc::sigaction(libc::SIGSEGV, &raw const action, &raw mut before) };
        BEFORE.get_or_init(|| before);
    });
}

fn no_action() -> libc::sigaction {
    // SAFETY: all-zero bytes are an action: the default, no flags, an empty mask.
    unsafe { std::mem::zeroed() }
}

extern "C" fn on_fault(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel passes a valid siginfo of a fault.
    let info_ref = unsafe { &*info };
    // SAFETY: SIGSEGV carries an address.
    let address = unsafe { info_ref.si_addr() }.addr();
    // SAFETY: the scheduler that runs on this kernel thread lives: it runs below us.
    let core = unsafe { current::core().as_ref() };
    if let Some(index) = core.and_then(|core| core.slots.guard_at(address)) {
        let bytes = core.map_or(0, |core| bytes(core.slots.stack()));
        end(format_args!(
            "fiber {index} overflowed its guarded stack of {bytes} bytes (it touched {address:#x}): \
             use larger stacks"
        ));
    }
    if let Some((index, bytes)) = core.and_then(|core| core.staged_guard_at(address)) {
        end(format_args!(
            "fiber {index} overflowed its movable stack of {bytes} bytes (it touched \
             {address:#x}): use larger stacks"
        ));
    }
    let in_a_fiber = !current::turn().is_null();
    if let Some(core) = core.filter(|core| in_a_fiber && core.slots.is_below_all(address)) {
        let (index, bytes) = (core.running_index(), bytes(core.slots.stack()));
        end(format_args!(
            "fiber {index} overflowed its packed slot of {bytes} bytes so far that it ran through \
             all slots below it: use larger slots, or guarded stacks to find the place"
        ));
    }
    pass_on(signal, info, context);
}

/// Not ours: the handler before us decides, or the fault happens again with the default.
fn pass_on(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let before = BEFORE.get().copied().unwrap_or_else(no_action);
    if before.sa_sigaction == libc::SIG_DFL || before.sa_sigaction == libc::SIG_IGN {
        // SAFETY: restores the default; returning repeats the fault.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
        return;
    }
    // SAFETY: the word is the address of a handler. One installed without SA_SIGINFO
    // takes the first argument and ignores the others, which are in registers.
    let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) =
        unsafe { std::mem::transmute(before.sa_sigaction) };
    handler(signal, info, context);
}

/// Sees to an alternate signal stack for this kernel thread, kept until the thread ends.
pub(crate) fn ensure_alternate_stack() -> io::Result<()> {
    thread_local! {
        static OURS: RefCell<Option<AlternateStack>> = const { RefCell::new(None) };
    }
    if !has_alternate_stack() {
        let ours = AlternateStack::install()?;
        OURS.with_borrow_mut(|kept| *kept = Some(ours));
    }
    Ok(())
}

fn has_alternate_stack() -> bool {
    let mut present = stack_of(ptr::null_mut(), 0, 0);
    // SAFETY: only asks.
    unsafe { libc::sigaltstack(ptr::null(), &raw mut present) };
    present.ss_flags & libc::SS_DISABLE == 0
}

/// Where handlers run when a fiber's stack is no place for them.
#[derive(Debug)]
struct AlternateStack {
    /// Given back after `drop` has told the kernel.
    _mapping: Mapping,
}

impl AlternateStack {
    const BYTES: usize = 64 << 10;

    fn install() -> io::Result<AlternateStack> {
        let mapping = Mapping::private(AlternateStack::BYTES)?;
        let ours = stack_of(mapping.base(), 0, AlternateStack::BYTES);
        // SAFETY: the mapping lives until `drop` has taken it away again.
        unsafe { libc::sigaltstack(&raw const ours, ptr::null_mut()) };
        Ok(AlternateStack { _mapping: mapping })
    }
}

impl Drop for AlternateStack {
    fn drop(&mut self) {
        let none = stack_of(ptr::null_mut(), libc::SS_DISABLE, 0);
        // SAFETY: this kernel thread is on its own stack, not on the alternate one.
        unsafe { libc::sigaltstack(&raw const none, ptr::null_mut()) };
    }
}

fn stack_of(base: *mut u8, flags: i32, bytes: usize) -> libc::stack_t {
    libc::stack_t {
        ss_sp: base.cast(),
        ss_flags: flags,
        ss_size: bytes,
    }
}
