//! The end of the program, with a message that needs little stack and no memory.
//!
//! # Theory
//!
//! Whatever ends here has lost its stack or somebody else's, so nothing is unwound and
//! nothing allocated: the message is made in a buffer, written to standard error in one
//! call, and the program aborts.
//!
//! * A **canary** that changed: reported by the flow that broke it, where it is looked at.
//! * A **guard** that was touched, and a fault after an overflow in packed slots: see `guard`.
//! * A **panic** in a stack too small to unwind: a panic hook names the fiber, then lets
//!   the hook before it print what it can (over packed slots below, which nobody will use
//!   again, or into the guard).

use std::fmt::{self, Write};
use std::sync::Once;

use crate::config::{CATCHES_FROM, Stack, can_unwind};
use crate::core::Core;
use crate::current;

/// Says why and aborts.
#[cold]
#[inline(never)]
pub(crate) fn end(why: fmt::Arguments<'_>) -> ! {
    say(format_args!("{why}; the program ends"));
    std::process::abort()
}

pub(crate) fn say(why: fmt::Arguments<'_>) {
    let mut line = Line::default();
    // A message cut short is still a message.
    let _ = writeln!(line, "fiber: {why}");
    // SAFETY: the buffer is valid for the length given.
    unsafe { libc::write(2, line.bytes.as_ptr().cast(), line.len) };
}

/// The canary of fiber `index` is gone. Who ran over it may have a slot above: the canaries between
/// are gone too.
#[cold]
#[inline(never)]
pub(crate) fn overflowed(core: &Core, index: u32) -> ! {
    let bytes = bytes(core.slots.stack());
    let above = (index..core.used_slots().end).take_while(|above| !core.slots.is_whole(*above));
    let index = above.last().unwrap_or(index);
    end(format_args!(
        "fiber {index} overflowed its packed slot of {bytes} bytes (the canary below it is \
         gone): use larger slots, or guarded stacks to find the place"
    ))
}

/// Fiber `index` has begun and not ended, and its scheduler goes.
#[cold]
pub(crate) fn cannot_unwind(core: &Core, index: u32) -> ! {
    let bytes = bytes(core.slots.stack());
    let why = match can_unwind() {
        true => format_args!(
            "its stack of {bytes} bytes is too small to unwind: it takes {CATCHES_FROM}"
        ),
        false => format_args!("this program is built with panic = \"abort\": it cannot unwind"),
    };
    end(format_args!(
        "fiber {index} has not ended and its scheduler is dropped, but {why}; let it end first"
    ))
}

/// What the user asked for.
pub(crate) fn bytes(stack: Stack) -> usize {
    stack.bytes()
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
            let doomed = with_running(|core, index| {
                (!core.catches()).then(|| (index, bytes(core.slots.stack())))
            });
            if let Some((index, bytes)) = doomed {
                match can_unwind() {
                    true => say(format_args!(
                        "fiber {index} panicked in a stack of {bytes} bytes, too small to unwind (from \
                         {CATCHES_FROM} bytes on a panic is delivered at its join); it said:"
                    )),
                    false => say(format_args!(
                        "fiber {index} panicked in a program built with panic = \"abort\"; it said:"
                    )),
                }
            }
            before(info);
            if doomed.is_some() {
                say(format_args!("the program ends"));
                std::process::abort();
            }
        }));
    });
}

/// Looks at the fiber that runs on this kernel thread, if one does.
fn with_running<T>(look: impl FnOnce(&Core, u32) -> Option<T>) -> Option<T> {
    let turn = current::turn();
    // SAFETY: null, or a scheduler that runs below us, so that it outlives this look at it.
    let core = unsafe { current::core().as_ref() }?;
    match turn.is_null() || !core.is_running() {
        true => None,
        false => look(core, core.index_at(turn)),
    }
}
