//! Switching contexts on aarch64, AAPCS64.
//!
//! As in `x86_64`, which explains these items too: **inline**, four registers saved beside stack
//! pointer and where to go on, every other one declared clobbered. Two of the four are x19 and x29,
//! which the compiler keeps for itself and nobody can declare. A switch takes 12 instructions.
//! ```text
//!  Saved │ where to go on │ sp │ x19 │ x29 │ x20 │ x21 │
//! ```
//! Whoever goes on finds the turn in `x0`, the first argument register, and its own context in
//! `x1`. A stack that has not begun holds nothing: [`begin`] takes the entry from the word of x21,
//! and calls it with `lr` and frame pointer zero, which ends every backtrace.
//!
//! * **d8 to d15**: a call keeps the low halves of v8 to v15. All of v is declared clobbered.
//! * **x18** belongs to the platform. Linux gives it no meaning: it is neither saved nor touched,
//!   and nothing lives in it over a switch. (A shadow call stack in x18 would be another thread's.)
//! * **sp** is a multiple of 16 at every access: tops are, and all that compiled code takes is.
//! * **BTI**: a page of a binary that is marked for it is entered by `br x17` at `bti c` or `bti j`
//!   alone. Compiled entries then have the first, and here each such place has one.
//! * **PAC**: compiled code may sign `lr` with the sp of its frame, and checks it in that frame at
//!   the same sp: a switch between leaves both. Where to go on is not signed. Processes not forked
//!   of each other have other keys: a movable fiber with signed frames must not go between them.
//!   Rust signs nothing unless told to (`-Z branch-protection`).
//! * **GCS**, the kernel's shadow stack, is one a thread and would find another fiber's returns.
//!   Linux turns it on for binaries alone that are marked for it; Rust's are not.
//!
//! Not saved: FPCR (see [`Floats`]); FPSR, whose flags only add up, is the kernel thread's; signal
//! masks. SVE's registers end where v's do for all that a call keeps; SME is off at a call.
//!
//! Sources: Procedure Call Standard for the Arm 64-bit Architecture, 6.1 (registers), 6.4.5
//! (stack); Arm Architecture Reference Manual, D8.4.6 (BTI); the Rust reference on inline assembly;
//! Linux, `arch/arm64/include/uapi/asm/sigcontext.h`.

use std::arch::{asm, naked_asm};
use std::mem::offset_of;

use super::{Context, Entry, Lap, Saved, Sp, Turn};

/// What an entry saves of its caller: x19 to x30, d8 to d15, and a pair of its own.
pub(crate) const FRAME_BYTES: usize = 176;

impl Saved {
    #[inline(always)]
    fn begins(&self, at: usize, sp: Sp) {
        self.0[0].set(at);
        self.0[1].set(sp.expose_provenance());
    }
}

/// Kernels for aarch64 have pages of 4, 16 or 64 KiB.
pub(crate) fn available() -> Result<(), &'static str> {
    sys::pages_fit().map_err(|_larger| {
        "they are built for pages of 4 KiB, and this kernel's are larger (getconf PAGE_SIZE): boot \
         a kernel with pages of 4 KiB"
    })
}

/// As on x86-64, its safety too.
#[inline(always)]
pub(crate) unsafe fn switch(own: Context, next: Turn) -> Turn {
    let turn;
    // SAFETY: every register of the ABI is declared clobbered or saved and restored by hand (sp,
    // x19, x29, x20, x21), but x18, which nobody uses; the caller vouches for both contexts and
    // stacks.
    unsafe {
        asm!(
            "adr x17, 2f",              // x17: where this context goes on
            "mov x16, sp",              // which no store takes
            "stp x17, x16, [x1]",       // x1: own
            "stp x19, x29, [x1, #16]",
            "stp x20, x21, [x1, #32]",
            "ldr x1, [x0]",             // x0: next, the turn that the other one gets
            "ldp x17, x16, [x1]",
            "mov sp, x16",
            "br x17",                   // by x17: lands on `bti c` as on `bti j`
            "2:",                       // x0: our turn; x1: own; all others are anything
            "hint #36",                 // bti j
            "ldp x19, x29, [x1, #16]",
            "ldp x20, x21, [x1, #32]",
            inout("x0") next => turn,
            inout("x1") own => _,
            out("x22") _,
            out("x23") _,
            out("x24") _,
            out("x25") _,
            out("x26") _,
            out("x27") _,
            out("x28") _,
            clobber_abi("C"),           // the others but x18, lr, and all of v0 to v31
        );
    }
    turn
}

/// As on x86-64, its safety too.
#[inline(always)]
pub(crate) unsafe fn switch_to(own: Context, other: Context, turn: Turn) -> Turn {
    let ours;
    // SAFETY: as in `switch`.
    unsafe {
        asm!(
            "adr x17, 2f",
            "mov x16, sp",
            "stp x17, x16, [x1]",
            "stp x19, x29, [x1, #16]",
            "stp x20, x21, [x1, #32]",
            "mov x1, x2",               // x2: the other context
            "ldp x17, x16, [x1]",
            "mov sp, x16",
            "br x17",
            "2:",
            "hint #36",
            "ldp x19, x29, [x1, #16]",
            "ldp x20, x21, [x1, #32]",
            inout("x0") turn => ours,
            inout("x1") own => _,
            inout("x2") other => _,
            out("x22") _,
            out("x23") _,
            out("x24") _,
            out("x25") _,
            out("x26") _,
            out("x27") _,
            out("x28") _,
            clobber_abi("C"),
        );
    }
    ours
}

/// As on x86-64, its safety too.
pub(crate) unsafe fn leave(next: Turn) -> ! {
    // SAFETY: the caller vouches for the context; nothing here is returned to.
    unsafe {
        asm!(
            "ldr x1, [x0]",
            "ldp x17, x16, [x1]",
            "mov sp, x16",
            "br x17",
            in("x0") next,
            options(noreturn),
        );
    }
}

/// As on x86-64, its safety too.
pub(crate) unsafe fn call_on(top: *mut u8, function: extern "C" fn() -> !) -> ! {
    // SAFETY: the caller vouches for the stack; zeros in lr and frame pointer end backtraces.
    unsafe {
        asm!(
            "mov sp, x16",
            "mov x29, xzr",
            "mov x30, xzr",
            "br x17",
            in("x16") top,
            in("x17") function,
            options(noreturn),
        );
    }
}

/// As on x86-64, its safety too.
#[inline(always)]
pub(crate) unsafe fn first_frame(context: &Saved, entry: Entry, _top: *mut u8, top_there: *mut u8) {
    context.begins(begin as *const () as usize, top_there);
    context.0[5].set(entry as usize);
}

/// The caller of entries: none.
#[unsafe(naked)]
unsafe extern "C" fn begin(_turn: Turn) -> ! {
    naked_asm!(
        "hint #34",           // bti c
        "mov x29, xzr",
        "mov x30, xzr",
        "ldr x17, [x1, #40]", // x1: its context; x0: the turn, still
        "br x17",
    )
}

/// As on x86-64, its safety too.
pub(crate) unsafe fn hole(top: *mut u8) -> Saved {
    let context = Saved::default();
    context.begins(hand_on as *const () as usize, top);
    context
}

#[unsafe(naked)]
unsafe extern "C" fn hand_on(_turn: Turn) -> ! {
    naked_asm!(
        "hint #34",
        "ldr x1, [x0, #8]!",  // x0: the turn of the next cell; x1: the context of who goes on
        "ldp x17, x16, [x1]", // nothing of the hole's own was used
        "mov sp, x16",
        "br x17",             // where it goes on
    )
}

/// As on x86-64, its safety too.
pub(crate) unsafe fn lap(top: *mut u8) -> Saved {
    let context = Saved::default();
    context.begins(begin_again as *const () as usize, top);
    context
}

#[unsafe(naked)]
unsafe extern "C" fn begin_again(_turn: Turn) -> ! {
    naked_asm!(
        "hint #34",
        "ldr x16, [x1, {done}]", // x1: the lap
        "ldr x17, [x1, {most}]",
        "cmp x16, x17",
        "b.hs 2f",
        "add x16, x16, #1",
        "str x16, [x1, {done}]",
        "ldr x0, [x1, {first}]", // x0: the turn of the first cell
        "ldr x1, [x0]",          // x1: its context
        "ldp x17, x16, [x1]",
        "mov sp, x16",
        "br x17",
        "2:",
        "ldr x1, [x1, {scheduler}]", // x0: the turn of the last cell, still
        "ldp x17, x16, [x1]",
        "mov sp, x16",
        "br x17",
        done = const offset_of!(Lap, done),
        most = const offset_of!(Lap, most),
        first = const offset_of!(Lap, first),
        scheduler = const offset_of!(Lap, scheduler),
    )
}

#[inline(always)]
pub(crate) fn own<const WORD: usize>() -> *mut () {
    // SAFETY: each kernel thread has the words; only it, and a signal on it, writes them.
    unsafe { own_word(WORD).read_volatile() }
}

#[inline(always)]
pub(crate) fn set_own<const WORD: usize>(word: *mut ()) {
    // SAFETY: as in `own`.
    unsafe { own_word(WORD).write_volatile(word) }
}

#[inline(always)]
fn own_word(word: usize) -> *mut *mut () {
    std::ptr::with_exposed_provenance_mut::<*mut ()>(own_address()).wrapping_add(word)
}

#[inline(always)]
pub(crate) fn own_address() -> usize {
    let address;
    // SAFETY: reads where this kernel thread's words begin, and an offset that the loader knows.
    unsafe {
        asm!(
            "mrs {at}, tpidr_el0",
            concat!("adrp {offset}, :gottprel:", own_words!()),
            concat!("ldr {offset}, [{offset}, :gottprel_lo12:", own_words!(), "]"),
            "add {at}, {at}, {offset}",
            at = out(reg) address,
            offset = out(reg) _,
            options(nostack, preserves_flags, readonly),
        );
    }
    address
}

#[inline(always)]
pub(crate) fn prefetch(context: Context) {
    // SAFETY: a prefetch is a hint and does not fault.
    unsafe {
        asm!(
            "prfm pldl1keep, [{context}]",
            context = in(reg) context,
            options(nostack, preserves_flags, readonly),
        );
    };
}

pub(crate) fn valgrind(words: &[usize; 6], otherwise: usize) -> usize {
    let answer;
    // SAFETY: this changes nothing: x12 is turned by 3 + 13 + 51 + 61 = 128 bits, x10 joined with
    // itself. Valgrind reads the words, and writes x3.
    unsafe {
        asm!(
            "ror x12, x12, #3",
            "ror x12, x12, #13",
            "ror x12, x12, #51",
            "ror x12, x12, #61",
            "orr x10, x10, x10",
            in("x4") words.as_ptr(),
            inout("x3") otherwise => answer,
            options(nostack),
        );
    }
    answer
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Floats {
    fpcr: u64,
}

impl Floats {
    pub(crate) fn read() -> Floats {
        let fpcr;
        // SAFETY: reads a register that every process may read.
        unsafe {
            asm!("mrs {fpcr}, fpcr", fpcr = out(reg) fpcr, options(nomem, nostack, preserves_flags));
        }
        Floats { fpcr }
    }

    /// Of interrupted code. Safety: `context` is what the kernel passed to a handler still running.
    pub(crate) unsafe fn of_interrupted(context: *const libc::ucontext_t) -> Floats {
        /// How a record begins; those of vectors go on with FPSR and FPCR.
        #[repr(C)]
        struct Record {
            magic: u32,
            bytes: u32,
            _fpsr: u32,
            fpcr: u32,
        }
        const FPSIMD: u32 = 0x4650_8001;
        // SAFETY: the caller's promise; no reference is made.
        let pstate = unsafe { &raw const (*context).uc_mcontext.pstate };
        // Behind the registers, and 16-byte aligned as they are.
        let behind = pstate.wrapping_add(1).cast::<u8>();
        let mut record = behind.wrapping_add(behind.align_offset(16)).cast::<Record>();
        loop {
            // SAFETY: records follow each other up to one without magic, in 4 KiB of the frame.
            match unsafe { &*record } {
                Record { magic: FPSIMD, fpcr, .. } => return Floats { fpcr: u64::from(*fpcr) },
                Record { magic: 0, .. } => return Floats::read(),
                Record { bytes, .. } => record = record.wrapping_byte_add(*bytes as usize),
            }
        }
    }

    pub(crate) fn load(self) {
        // SAFETY: the word was read by `read`, so it holds no reserved bits.
        unsafe {
            asm!("msr fpcr, {fpcr}", fpcr = in(reg) self.fpcr, options(nomem, nostack, preserves_flags));
        }
    }
}
