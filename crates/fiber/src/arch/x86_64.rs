//! Switching contexts on x86-64, System V.
//!
//! # Theory
//!
//! The switch is **inline** and declares every register clobbered, so the compiler keeps
//! across it only what the fiber still needs, in the fiber's own frame, where it wants;
//! nothing is saved that nobody will read. Two registers cannot be declared (`rbx` and
//! `rbp`, which LLVM keeps for itself), so the switch saves those two by hand. A saved
//! context is the stack pointer, and three words below it:
//!
//! ```text
//!   higher addresses
//!  ┌──────────────────────────┐
//!  │ the fiber's frames       │
//!  │ …                        │
//!  ├──────────────────────────┤ ◀─ Sp
//!  │ rbx                      │ Sp -  8
//!  │ rbp                      │ Sp - 16
//!  │ where to go on           │ Sp - 24
//!  └──────────────────────────┘
//! ```
//!
//! The words lie *below* the stack pointer, in the 128-byte red zone that the ABI lets
//! nobody else touch: so no push, no pop, and `Sp` is `rsp` itself. (Compilers that use
//! the red zone for a leaf function do not keep it across inline assembly that may push,
//! which is what assembly without `nostack` says.)
//!
//! The switch goes by `jmp`, never `ret`: a return would be predicted from the return
//! stack, which knows nothing of other flows, and mispredicted each time. An indirect
//! jump is predicted per site and history, and a ring is a short, repeating history.
//!
//! A context that has not begun:
//!
//! ```text
//!  ┌──────────────────────────┐ ◀─ top: above it lies the closure
//!  │ 0: "return address"      │    ends every backtrace
//!  ├──────────────────────────┤ ◀─ Sp, and rsp at entry: 8 mod 16, as after a call
//!  │ -, -, entry              │ Sp - 8, - 16, - 24
//!  └──────────────────────────┘
//! ```
//!
//! `rdi` carries the turn over every switch. It is also the first argument register, so
//! that jumping to an [`Entry`] *is* calling it, and no trampoline exists.
//!
//! Deliberately not saved: mxcsr and the x87 control word (1.7x the price of a switch;
//! see [`Floats`] for fibers that ask), the direction flag (clear by the ABI), signal
//! masks, shadow stacks (the kernel enables none for programs that do not ask).
//!
//! Sources: System V AMD64 ABI 1.0, 3.2 (registers, red zone, alignment); the Rust
//! reference on inline assembly; G. Zheng, O. Lawlor and L. Kale, "Multiple Flows of
//! Control in Migratable Parallel Programs", 2006, for the minimal switch.

use std::arch::{asm, naked_asm};

use super::{Entry, Sp, Turn};

/// What the first frame, the entry's saved registers and one save area take.
pub(crate) const FRAME_BYTES: usize = 104;

/// Fibers work here.
#[expect(
    clippy::unnecessary_wraps,
    reason = "other targets have a reason to give"
)]
pub(crate) fn available() -> Result<(), &'static str> {
    Ok(())
}

/// Saves this context in `save` and goes on with the one in `next`. Returns when somebody
/// goes on with this context, with the turn that it was given.
///
/// # Safety
/// `save` is writable; `next` holds a context saved by this module, on a mapped stack,
/// that is resumed once; 24 bytes below the stack pointer belong to this context.
#[inline(always)]
pub(crate) unsafe fn switch(save: *mut Sp, next: Turn) -> Turn {
    let turn;
    // SAFETY: every register of the ABI is declared clobbered or saved and restored by
    // hand (rbx, rbp, rsp); the caller vouches for both cells and the stacks.
    unsafe {
        asm!(
            "lea rax, [rip + 2f]",  // rax: where this context goes on
            "mov [rsp - 8], rbx",
            "mov [rsp - 16], rbp",
            "mov [rsp - 24], rax",
            "mov [rsi], rsp",       // rsi: save; this context is complete from here on
            "mov rsp, [rdi]",       // rdi: next, the turn that the other one gets
            "jmp [rsp - 24]",
            "2:",                   // rdi: our turn; every other register is anything
            "mov rbp, [rsp - 16]",
            "mov rbx, [rsp - 8]",
            inout("rdi") next => turn,
            inout("rsi") save => _,
            out("r12") _,
            out("r13") _,
            out("r14") _,
            out("r15") _,
            clobber_abi("sysv64"),
        );
    }
    turn
}

/// As [`switch`], to the context at `sp`, giving it a null turn.
///
/// # Safety
/// As [`switch`]; the context at `sp` must be one that takes a null turn for "unwind".
pub(crate) unsafe fn switch_to_unwind(save: *mut Sp, sp: Sp) {
    // SAFETY: as in `switch`.
    unsafe {
        asm!(
            "lea rax, [rip + 2f]",
            "mov [rsp - 8], rbx",
            "mov [rsp - 16], rbp",
            "mov [rsp - 24], rax",
            "mov [rsi], rsp",
            "mov rsp, rdi",         // rdi: the context
            "xor edi, edi",         // rdi: the turn it gets, null
            "jmp [rsp - 24]",
            "2:",
            "mov rbp, [rsp - 16]",
            "mov rbx, [rsp - 8]",
            inout("rdi") sp => _,
            inout("rsi") save => _,
            out("r12") _,
            out("r13") _,
            out("r14") _,
            out("r15") _,
            clobber_abi("sysv64"),
        );
    }
}

/// Goes on with the context in `next`; the present one is gone.
///
/// # Safety
/// `next` as in [`switch`]; nothing on the present stack is needed any more.
pub(crate) unsafe fn leave(next: Turn) -> ! {
    // SAFETY: the caller vouches for the context; nothing here is returned to.
    unsafe {
        asm!(
            "mov rsp, [rdi]",
            "jmp [rsp - 24]",
            in("rdi") next,
            options(noreturn),
        );
    }
}

/// Goes on in `function` on the stack that ends at `top`; the present frame is gone.
///
/// # Safety
/// `top` is the end of a writable stack that nobody uses, 16-byte aligned; nothing on
/// the present stack is needed any more.
pub(crate) unsafe fn call_on(top: *mut u8, function: extern "C" fn() -> !) -> ! {
    // SAFETY: the caller vouches for the stack; the pushed zero ends backtraces and
    // aligns the stack as a call would.
    unsafe {
        asm!(
            "mov rsp, {top}",
            "push 0",
            "jmp {function}",
            top = in(reg) top,
            function = in(reg) function,
            options(noreturn),
        );
    }
}

/// Makes a context below `top` that starts in `entry`.
///
/// # Safety
/// `top` is 16-byte aligned with [`FRAME_BYTES`] writable bytes below it, unused.
#[inline(always)]
pub(crate) unsafe fn first_frame(top: *mut u8, entry: Entry) -> Sp {
    let sp = top.wrapping_sub(8);
    // SAFETY: within the bytes below `top` that the caller gave.
    unsafe { sp.cast::<usize>().write(0) };
    // SAFETY: the same.
    unsafe { sp.wrapping_sub(24).cast::<Entry>().write(entry) };
    sp
}

/// Makes a context below `top` that hands the turn to the next cell, each time.
///
/// # Safety
/// As [`first_frame`].
pub(crate) unsafe fn hole_frame(top: *mut u8) -> Sp {
    // SAFETY: the caller's promise is the one asked for.
    unsafe { first_frame(top, hand_on) }
}

/// What runs in a hole: it changes nothing, so it can be resumed without end.
#[unsafe(naked)]
unsafe extern "C" fn hand_on(_turn: Turn) -> ! {
    naked_asm!(
        "add rdi, 8",     // rdi: the turn of the next cell, and that of who goes on
        "mov rsp, [rdi]", // rsp: its stack; nothing of the hole's own was used
        "jmp [rsp - 24]", // where it goes on
    )
}

/// Asks for the saved words of a context, and the frame above them. Any address will do.
#[inline(always)]
pub(crate) fn prefetch(sp: Sp) {
    let words = sp.wrapping_sub(24).cast::<i8>();
    // SAFETY: a prefetch is a hint and does not fault.
    unsafe { std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(words) };
}

/// The floating-point control state: rounding, denormals, exception masks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Floats {
    mxcsr: u32,
    x87: u16,
}

impl Floats {
    /// The state of this kernel thread, now.
    pub(crate) fn read() -> Floats {
        let (mut mxcsr, mut x87) = (0_u32, 0_u16);
        // SAFETY: each instruction stores into the local it is given.
        unsafe {
            asm!(
                "stmxcsr [{mxcsr}]",
                "fnstcw [{x87}]",
                mxcsr = in(reg) &raw mut mxcsr,
                x87 = in(reg) &raw mut x87,
                options(nostack, preserves_flags),
            );
        }
        Floats { mxcsr, x87 }
    }

    /// Makes this the state of this kernel thread.
    pub(crate) fn load(self) {
        // SAFETY: the words were read by `read`, so they hold no reserved bits.
        unsafe {
            asm!(
                "ldmxcsr [{mxcsr}]",
                "fldcw [{x87}]",
                mxcsr = in(reg) &raw const self.mxcsr,
                x87 = in(reg) &raw const self.x87,
                options(nostack, preserves_flags),
            );
        }
    }
}
