//! Ends of the program that name a fiber.
//!
//! * A **canary** that changed: reported by the flow that broke it, where it is looked at.
//! * A **guard** that was touched, and a fault after an overflow in packed slots: see `guard`.
//! * A **panic** in a stack too small to unwind: a hook names the fiber, then lets the earlier hook
//!   print what it can (over packed slots below, or into the guard).

use std::panic::PanicHookInfo;
use std::sync::Once;

use crate::config::{CATCHES_FROM, can_unwind};
use crate::core::Core;
use crate::current;
use crate::fatal::{end, say};

/// Who ran over it may have a slot above: the canaries between are gone too.
#[cold]
#[inline(never)]
pub(crate) fn overflowed(core: &Core, index: u32) -> ! {
    let bytes = core.slots.stack().bytes();
    let above = (index..core.used_slots().end).take_while(|above| !core.slots.is_whole(*above));
    let index = above.last().unwrap_or(index);
    end(format_args!(
        "fiber {index} overflowed its packed slot of {bytes} bytes (the canary below it is \
         gone): use larger slots, or guarded stacks to find the place"
    ))
}

#[cold]
pub(crate) fn cannot_unwind(core: &Core, index: u32) -> ! {
    let bytes = core.slots.stack().bytes();
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

enum Panic {
    Caught,
    /// By a destructor in a fiber that unwinds already, or a function that must not.
    LetOut,
    /// It is one more in a fiber that is unwound with its scheduler.
    Unwound,
    /// In a stack too small to unwind, or a program that cannot.
    Doomed,
}

pub(crate) fn name_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let kind = with_running(|core, index| {
                let kind = kind(core, info);
                name_panic(core, index, &kind);
                kind
            });
            before(info);
            if matches!(kind, Some(Panic::Doomed)) {
                say(format_args!("the program ends"));
                std::process::abort();
            }
        }));
    });
}

fn kind(core: &Core, info: &PanicHookInfo<'_>) -> Panic {
    // How the core library begins the last panic of a program.
    let is_last = info
        .payload_as_str()
        .is_some_and(|text| text.starts_with("panic in a "));
    match core.is_running() {
        _ if !core.catches() => Panic::Doomed,
        _ if is_last => Panic::LetOut,
        false => Panic::Unwound,
        true => Panic::Caught,
    }
}

fn name_panic(core: &Core, index: u32, kind: &Panic) {
    let bytes = core.slots.stack().bytes();
    match kind {
        Panic::Caught => {}
        Panic::LetOut => say(format_args!("fiber {index} cannot go on unwinding")),
        Panic::Unwound => say(format_args!(
            "fiber {index} panicked while it was unwound because its scheduler is dropped; it said:"
        )),
        Panic::Doomed if can_unwind() => say(format_args!(
            "fiber {index} panicked in a stack of {bytes} bytes, too small to unwind (from \
             {CATCHES_FROM} bytes on a panic is delivered at its join); it said:"
        )),
        Panic::Doomed => say(format_args!(
            "fiber {index} panicked in a program built with panic = \"abort\"; it said:"
        )),
    }
}

fn with_running<T>(look: impl FnOnce(&Core, u32) -> T) -> Option<T> {
    let turn = current::turn();
    // SAFETY: null, or a scheduler that runs below us, so that it outlives this look at it.
    let core = unsafe { current::core().as_ref() }?;
    (!turn.is_null()).then(|| look(core, core.running_index()))
}
