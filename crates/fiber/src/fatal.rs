//! The end of the program, with a message that needs little stack and no memory.
//!
//! # Theory
//!
//! Whatever ends here has lost its stack or somebody else's, so nothing is unwound and
//! nothing allocated: the message is made in a buffer, written to standard error in one
//! call, and the program aborts.
//!
//! * A **canary** that changed: reported by the flow that broke it, before any other runs.
//! * A **guard** that was touched: the kernel sends SIGSEGV, whose handler runs on the
//!   alternate signal stack, finds the fiber by the address, and reports. Any other fault
//!   goes to the handler that was there before.
//! * A **panic** in a stack too small to unwind: a panic hook names the fiber, then lets
//!   the hook before it print what it can (over packed slots below, which nobody will use
//!   again, or into the guard).

use std::fmt::{self, Write};
use std::io;
use std::ptr;
use std::sync::{Once, OnceLock};

use crate::config::{CATCHES_FROM, Stack};
use crate::core::Core;
use crate::current;
use crate::memory::Mapping;

/// Says why and aborts.
#[cold]
#[inline(never)]
pub(crate) fn end(why: fmt::Arguments<'_>) -> ! {
    say(why);
    std::process::abort()
}

fn say(why: fmt::Arguments<'_>) {
    let mut line = Line::default();
    // A message cut short is still a message.
    let _ = writeln!(line, "fiber: {why}; the program ends");
    // SAFETY: the buffer is valid for the length given.
    unsafe { libc::write(2, line.bytes.as_ptr().cast(), line.len) };
}

/// The canary of fiber `index` is gone.
#[cold]
#[inline(never)]
pub(crate) fn overflowed(core: &Core, index: u32) -> ! {
    let bytes = bytes(core.slots.stack());
    end(format_args!(
        "fiber {index} overflowed its packed slot of {bytes} bytes (the canary below it is \
         gone): use larger slots, or guarded stacks to find the place"
    ))
}

fn bytes(stack: Stack) -> usize {
    match stack {
        Stack::Packed { bytes } | Stack::Guarded { bytes } => bytes,
    }
}

#[derive(Debug)]
struct Line {
    bytes: [u8; 320],
    len: usize,
}

impl Default for Line {
    fn default() -> Line {
        Line {
            bytes: [0; 320],
            len: 0,
        }
    }
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.bytes.get_mut(self.len..).unwrap_or_default();
        let part = text.len().min(room.len());
        room[..part].copy_from_slice(&text.as_bytes()[..part]);
        self.len += part;
        Ok(())
    }
}

/// From now on a panic in a fiber that cannot be unwound ends the program.
pub(crate) fn end_on_panics_in_small_slots() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let doomed = running().filter(|(core, _)| !core.catches());
            if let Some((core, index)) = doomed {
                let bytes = bytes(core.slots.stack());
                say(format_args!(
                    "fiber {index} panicked in a stack of {bytes} bytes, too small to unwind (from \
                     {CATCHES_FROM} bytes on a panic is delivered at its join)"
                ));
            }
            before(info);
            if doomed.is_some() {
                std::process::abort();
            }
        }));
    });
}

/// The fiber that runs on this kernel thread.
fn running<'a>() -> Option<(&'a Core, u32)> {
    let turn = current::turn();
    // SAFETY: a scheduler that runs outlives this look at it: it runs below us.
    let core = unsafe { current::core().as_ref() }?;
    (!turn.is_null() && core.is_running()).then(|| (core, core.index_at(turn)))
}

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

/// An alternate signal stack, if this kernel thread had none.
#[derive(Debug)]
pub(crate) struct AltStack(Option<Mapping>);

impl AltStack {
    const BYTES: usize = 64 << 10;

    pub(crate) fn ensure() -> io::Result<AltStack> {
        let mut present = stack_of(ptr::null_mut(), 0, 0);
        // SAFETY: only asks.
        unsafe { libc::sigaltstack(ptr::null(), &raw mut present) };
        if present.ss_flags & libc::SS_DISABLE == 0 {
            return Ok(AltStack(None));
        }
        let mapping = Mapping::private(AltStack::BYTES)?;
        let ours = stack_of(mapping.base(), 0, AltStack::BYTES);
        // SAFETY: the mapping lives until `drop` has taken it away again.
        unsafe { libc::sigaltstack(&raw const ours, ptr::null_mut()) };
        Ok(AltStack(Some(mapping)))
    }
}

impl Drop for AltStack {
    fn drop(&mut self) {
        if self.0.is_some() {
            let none = stack_of(ptr::null_mut(), libc::SS_DISABLE, 0);
            // SAFETY: this kernel thread is on its own stack, not on the alternate one.
            unsafe { libc::sigaltstack(&raw const none, ptr::null_mut()) };
        }
    }
}

fn stack_of(base: *mut u8, flags: i32, bytes: usize) -> libc::stack_t {
    libc::stack_t {
        ss_sp: base.cast(),
        ss_flags: flags,
        ss_size: bytes,
    }
}
