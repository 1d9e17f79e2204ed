//! Switching contexts on x86-64, System V.
//!
//! The switch is **inline** and saves the stack pointer, where to go on, and four registers in the
//! context's words ([`Saved`]); every other register is declared clobbered, and spilled to the
//! frame if need be. A flow whose live words fit the four touches one cache line at a switch, and
//! nothing of its stack. With all six that a call keeps, a switch takes a fifth longer.
//! ```text
//!  Saved │ where to go on │ rsp │ rbx │ rbp │ r12 │ r13 │
//! ```
//! It goes by `jmp`, never `ret`, which would be mispredicted from the return stack each time. An
//! indirect jump is predicted per site and history; a ring repeats.
//!
//! Whoever goes on finds the turn in `rdi` and its own context in `rsi`. `rdi` is also the first
//! argument register: jumping to an [`Entry`] *is* calling it. A stack that has not begun:
//! ```text
//!  ┌──────────────────────────┐ ◀─ top: above it lies the closure
//!  │ 0: "return address"      │    ends every backtrace
//!  └──────────────────────────┘ ◀─ rsp at entry: 8 mod 16, as after a call
//! ```
//! Not saved: mxcsr and the x87 control word (1.7x the price of a switch; see [`Floats`]),
//! direction flag (clear by the ABI), signal masks, shadow stacks (none unasked).
//!
//! Sources: System V AMD64 ABI 1.0, 3.2 (registers, alignment); the Rust reference on inline
//! assembly; G. Zheng, O. Lawlor and L. Kale, "Multiple Flows of Control in Migratable Parallel
//! Programs", 2006, for the minimal switch.

use std::arch::{asm, naked_asm};
use std::mem::offset_of;

use super::{Context, Entry, Lap, Saved, Turn};

/// What the first frame and the entry's saved registers take.
pub(crate) const FRAME_BYTES: usize = 80;

#[expect(
    clippy::unnecessary_wraps,
    reason = "other targets have a reason to give"
)]
pub(crate) fn available() -> Result<(), &'static str> {
    Ok(())
}

/// Saves this context in `own` and goes on with that of the cell `next`; returns the turn. Safety:
/// `own` is writable; `next` holds a context of this module, on a mapped stack, resumed once.
#[inline(always)]
pub(crate) unsafe fn switch(own: Context, next: Turn) -> Turn {
    let turn;
    // SAFETY: every register of the ABI is declared clobbered or saved and restored by hand (rsp,
    // rbx, rbp, r12, r13); the caller vouches for both contexts and the stacks.
    unsafe {
        asm!(
            "lea rax, [rip + 2f]",  // rax: where this context goes on
            "mov [rsi], rax",       // rsi: own
            "mov [rsi + 8], rsp",
            "mov [rsi + 16], rbx",
            "mov [rsi + 24], rbp",
            "mov [rsi + 32], r12",
            "mov [rsi + 40], r13",
            "mov rsi, [rdi]",       // rdi: next, the turn that the other one gets
            "mov rsp, [rsi + 8]",
            "jmp [rsi]",
            "2:",                   // rdi: our turn; rsi: own; all others are anything
            "mov rbx, [rsi + 16]",
            "mov rbp, [rsi + 24]",
            "mov r12, [rsi + 32]",
            "mov r13, [rsi + 40]",
            inout("rdi") next => turn,
            inout("rsi") own => _,
            out("r14") _,
            out("r15") _,
            clobber_abi("sysv64"),
        );
    }
    turn
}

/// As [`switch`], to the known context `other`, which gets `turn`: no cell to look into, on which
/// all would wait. Safety: as [`switch`]; `other` waits for such a turn.
#[inline(always)]
pub(crate) unsafe fn switch_to(own: Context, other: Context, turn: Turn) -> Turn {
    let ours;
    // SAFETY: as in `switch`.
    unsafe {
        asm!(
            "lea rax, [rip + 2f]",
            "mov [rsi], rax",
            "mov [rsi + 8], rsp",
            "mov [rsi + 16], rbx",
            "mov [rsi + 24], rbp",
            "mov [rsi + 32], r12",
            "mov [rsi + 40], r13",
            "mov rsi, rdx",         // rdx: the other context
            "mov rsp, [rsi + 8]",
            "jmp [rsi]",
            "2:",
            "mov rbx, [rsi + 16]",
            "mov rbp, [rsi + 24]",
            "mov r12, [rsi + 32]",
            "mov r13, [rsi + 40]",
            inout("rdi") turn => ours,
            inout("rsi") own => _,
            inout("rdx") other => _,
            out("r14") _,
            out("r15") _,
            clobber_abi("sysv64"),
        );
    }
    ours
}

/// Goes on with the context of the cell `next`. Safety: `next` as in [`switch`]; nothing on the
/// present stack is needed any more.
pub(crate) unsafe fn leave(next: Turn) -> ! {
    // SAFETY: the caller vouches for the context; nothing here is returned to.
    unsafe {
        asm!(
            "mov rsi, [rdi]",
            "mov rsp, [rsi + 8]",
            "jmp [rsi]",
            in("rdi") next,
            options(noreturn),
        );
    }
}

/// Goes on in `function` on the stack that ends at `top`. Safety: `top` is the end of a writable,
/// unused stack, 16-byte aligned; nothing on the present stack is needed any more.
pub(crate) unsafe fn call_on(top: *mut u8, function: extern "C" fn() -> !) -> ! {
    // SAFETY: the caller vouches for the stack; the pushed zero ends backtraces and aligns it.
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

/// Makes `context` one that starts in `entry` below `top`, which it will know as `top_there`.
/// Safety: `top` is 16-byte aligned with [`FRAME_BYTES`] writable, unused bytes below it.
#[inline(always)]
pub(crate) unsafe fn first_frame(context: &Saved, entry: Entry, top: *mut u8, top_there: *mut u8) {
    // SAFETY: within the bytes below `top` that the caller gave.
    unsafe { top.wrapping_sub(8).cast::<usize>().write(0) };
    context.0[0].set(entry as usize);
    context.0[1].set(top_there.wrapping_sub(8).expose_provenance());
}

/// Safety: as [`first_frame`].
unsafe fn fresh(entry: Entry, top: *mut u8) -> Saved {
    let context = Saved::default();
    // SAFETY: the caller's promise is the one asked for.
    unsafe { first_frame(&context, entry, top, top) };
    context
}

/// A context below `top` that hands the turn on, each time. Safety: as [`first_frame`].
pub(crate) unsafe fn hole(top: *mut u8) -> Saved {
    // SAFETY: the caller's promise is the one asked for.
    unsafe { fresh(hand_on, top) }
}

/// It changes nothing, so it can be resumed without end.
#[unsafe(naked)]
unsafe extern "C" fn hand_on(_turn: Turn) -> ! {
    naked_asm!(
        "add rdi, 8",     // rdi: the turn of the next cell, and that of who goes on
        "mov rsi, [rdi]", // rsi: its context; nothing of the hole's own was used
        "mov rsp, [rsi + 8]",
        "jmp [rsi]", // where it goes on
    )
}

/// The context of a [`Lap`], resumed only there. Safety: as [`first_frame`].
pub(crate) unsafe fn lap(top: *mut u8) -> Saved {
    // SAFETY: the caller's promise is the one asked for.
    unsafe { fresh(begin_again, top) }
}

/// As in a hole, nothing of its own changes but the count.
#[unsafe(naked)]
unsafe extern "C" fn begin_again(_turn: Turn) -> ! {
    naked_asm!(
        "mov rax, [rsi + {done}]", // rsi: the lap
        "cmp rax, [rsi + {most}]",
        "jae 2f",
        "inc rax",
        "mov [rsi + {done}], rax",
        "mov rdi, [rsi + {first}]", // rdi: the turn of the first cell
        "mov rsi, [rdi]",           // rsi: its context
        "mov rsp, [rsi + 8]",
        "jmp [rsi]",
        "2:",
        "mov rsi, [rsi + {scheduler}]", // rdi: the turn of the last cell, still
        "mov rsp, [rsi + 8]",
        "jmp [rsi]",
        done = const offset_of!(Lap, done),
        most = const offset_of!(Lap, most),
        first = const offset_of!(Lap, first),
        scheduler = const offset_of!(Lap, scheduler),
    )
}

/// A word of this kernel thread, 0 or 1.
#[inline(always)]
pub(crate) fn own<const WORD: usize>() -> *mut () {
    let word;
    // SAFETY: reads a word that each kernel thread has, at an offset that the loader knows.
    unsafe {
        asm!(
            concat!("mov {word}, [rip + ", own_words!(), "@GOTTPOFF]"),
            "mov {word}, fs:[{word} + 8 * {n}]",
            word = out(reg) word,
            n = const WORD,
            options(nostack, preserves_flags, readonly),
        );
    }
    word
}

#[inline(always)]
pub(crate) fn set_own<const WORD: usize>(word: *mut ()) {
    // SAFETY: as in `own`; nothing else writes it.
    unsafe {
        asm!(
            concat!("mov {at}, [rip + ", own_words!(), "@GOTTPOFF]"),
            "mov fs:[{at} + 8 * {n}], {word}",
            at = out(reg) _,
            word = in(reg) word,
            n = const WORD,
            options(nostack, preserves_flags),
        );
    }
}

/// Where they lie.
pub(crate) fn own_address() -> usize {
    let address;
    // SAFETY: the first word at `fs` is its own address.
    unsafe {
        asm!(
            "mov {at}, fs:[0]",
            concat!("add {at}, [rip + ", own_words!(), "@GOTTPOFF]"),
            at = out(reg) address,
            options(nostack, readonly),
        );
    }
    address
}

#[inline(always)]
pub(crate) fn prefetch(context: Context) {
    // SAFETY: a prefetch is a hint and does not fault.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(context.cast())
    };
}

/// A request to valgrind, which answers; a processor leaves `otherwise`.
pub(crate) fn valgrind(words: &[usize; 6], otherwise: usize) -> usize {
    let answer;
    // SAFETY: this changes the flags alone: rdi is turned by 3 + 13 + 61 + 51 = 128 bits, rbx
    // exchanged with itself. Valgrind reads the words, and writes rdx.
    unsafe {
        asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") words.as_ptr(),
            inout("rdx") otherwise => answer,
            options(nostack),
        );
    }
    answer
}

/// The floating-point control state: rounding, denormals, exception masks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Floats {
    mxcsr: u32,
    x87: u16,
}

impl Floats {
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

    /// Of interrupted code. Safety: `context` is what the kernel passed to a handler still running.
    pub(crate) unsafe fn of_interrupted(context: *const libc::ucontext_t) -> Floats {
        // SAFETY: the caller's promise.
        let state = unsafe { (*context).uc_mcontext.fpregs };
        // SAFETY: null, or what the kernel put into the frame of the same handler.
        let state = unsafe { state.as_ref() };
        state.map_or_else(Floats::read, |state| Floats {
            mxcsr: state.mxcsr,
            x87: state.cwd,
        })
    }

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
