//! Touched guards: a fault with a name. A fiber that runs over the end of a guarded stack, or
//! through all packed slots below to the guard page, gets SIGSEGV, handled on the kernel thread's
//! alternate stack. The handler finds the fiber by the address and ends the program by name; any
//! other fault goes to the handler that was there before. An overflow that ends in a neighbour
//! often shows as that one's fault: a canary tells whose it was.

use std::cell::RefCell;
use std::io;
use std::ptr;
use std::sync::{Once, OnceLock};

use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

use crate::core::Core;
use crate::current;
use crate::fatal::{end, say};
use crate::memory::{Mapping, PAGE};
use crate::naming::overflowed;

static BEFORE: OnceLock<SigAction> = OnceLock::new();

pub(crate) fn report_touched_guards() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let flags = SaFlags::SA_SIGINFO | SaFlags::SA_ONSTACK | SaFlags::SA_NODEFER;
        let action = SigAction::new(SigHandler::SigAction(on_fault), flags, SigSet::empty());
        // SAFETY: the handler does only what a handler may.
        if let Ok(before) = unsafe { sigaction(Signal::SIGSEGV, &action) } {
            BEFORE.get_or_init(|| before);
        }
    });
}

extern "C" fn on_fault(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel passes a valid siginfo of a fault.
    let info_ref = unsafe { &*info };
    // SAFETY: SIGSEGV carries an address.
    let address = unsafe { info_ref.si_addr() }.addr();
    let innermost = current::core();
    // SAFETY: null, or a scheduler that runs on this kernel thread, below us.
    let mut entered = unsafe { innermost.as_ref() };
    while let Some(core) = entered {
        name_overflow(core, address);
        // SAFETY: null, or the scheduler whose fiber runs that one: it waits below it.
        entered = unsafe { core.below.get().as_ref() };
    }
    // SAFETY: as above.
    let core = unsafe { innermost.as_ref() };
    if let Some(core) = core.filter(|core| core.slots.is_packed()) {
        name_packed(core, address);
    }
    pass_on(signal, info, context);
}

fn name_overflow(core: &Core, address: usize) {
    if let Some(index) = core.slots.guard_at(address) {
        let bytes = core.slots.stack().bytes();
        end(format_args!(
            "fiber {index} overflowed its guarded stack of {bytes} bytes (it touched {address:#x}): \
             use larger stacks"
        ));
    }
    if let Some((index, bytes)) = core.staged_guard_at(address) {
        end(format_args!(
            "fiber {index} overflowed its movable stack of {bytes} bytes (it touched \
             {address:#x}): use larger stacks"
        ));
    }
    if let Some((index, bytes)) = core.last_guard_at(address) {
        end(format_args!(
            "what fiber {index} returned overflowed the stack of {bytes} bytes on which results that \
             nobody joins are dropped (it touched {address:#x}): join the fiber, or use larger stacks"
        ));
    }
}

/// Ends the program if an overflow is certain.
fn name_packed(core: &Core, address: usize) {
    let bytes = core.slots.stack().bytes();
    let in_a_fiber = !current::turn().is_null();
    if in_a_fiber && core.slots.is_below_all(address) {
        let index = core.running_index();
        end(format_args!(
            "fiber {index} overflowed its packed slot of {bytes} bytes so far that it ran through \
             all slots below it: use larger slots, or guarded stacks to find the place"
        ));
    }
    if let Some(index) = core.used_slots().find(|index| !core.slots.is_whole(*index)) {
        overflowed(core, index);
    }
    if in_a_fiber {
        let index = core.running_index();
        say(format_args!(
            "a fault at {address:#x} in fiber {index}, in a packed slot of {bytes} bytes: no canary is \
             gone, but a frame can jump over one (guarded stacks find the place)"
        ));
    }
}

/// The previous handler decides, or the fault repeats.
fn pass_on(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    match BEFORE.get().map(SigAction::handler) {
        Some(SigHandler::SigAction(handler)) => handler(signal, info, context),
        Some(SigHandler::Handler(handler)) => handler(signal),
        _ => {
            // SAFETY: restores the default; returning repeats the fault.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
    }
}

/// Kept until the thread ends.
pub(crate) fn ensure_alternate_stack() -> io::Result<()> {
    thread_local! {
        static OURS: RefCell<Option<AlternateStack>> = const { RefCell::new(None) };
    }
    if !has_alternate_stack() {
        let ours = AlternateStack::install()?;
        let mut ours = Some(ours);
        let kept = OURS.try_with(|kept| *kept.borrow_mut() = ours.take());
        if kept.is_err() {
            // The thread ends and has dropped that one: this one stays for good.
            std::mem::forget(ours);
        }
    }
    Ok(())
}

fn has_alternate_stack() -> bool {
    let mut present = stack_of(ptr::null_mut(), 0, 0);
    // SAFETY: only asks.
    unsafe { libc::sigaltstack(ptr::null(), &raw mut present) };
    present.ss_flags & libc::SS_DISABLE == 0
}

#[derive(Debug)]
struct AlternateStack {
    /// Freed after `drop` has told the kernel.
    _mapping: Mapping,
}

impl AlternateStack {
    const BYTES: usize = 64 << 10;

    fn install() -> io::Result<AlternateStack> {
        let mapping = Mapping::private(PAGE, AlternateStack::BYTES)?;
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
