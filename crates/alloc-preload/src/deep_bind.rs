//! `dlopen` without `RTLD_DEEPBIND`. A library that is opened with it finds the `free` of libc
//! before the one of this library, and frees blocks that libc never made: PHP opens its extensions
//! so, and crashes. So the flag is taken out here, as sanitizers ask programs to do. A library that
//! brings its own copy of a function, and hides it by this flag alone, gets the program's.
//!
//! `dlopen` finds out by its return address which library calls it, and searches that library's
//! `RUNPATH`. So this function is a jump and no call: the return address stays the caller's.

use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

/// The address of the `dlopen` that would have been found without this library, or 0.
static NEXT: AtomicUsize = AtomicUsize::new(0);

extern "C" fn find_next() -> usize {
    // SAFETY: the name ends with a zero; the answer is an address or null.
    let next = unsafe { libc::dlsym(libc::RTLD_NEXT, c"dlopen".as_ptr()) };
    if next.is_null() {
        // Without a dlopen behind this one nothing could have called it.
        std::process::abort();
    }
    NEXT.store(next.addr(), Relaxed);
    next.addr()
}

/// As in POSIX, but `RTLD_DEEPBIND` has no effect.
/// # Safety
/// As that of libc: `file` is null or a C string; initialisers of that library may run.
#[cfg(target_arch = "x86_64")]
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void {
    std::arch::naked_asm!(
        "and esi, {kept}",
        "mov rax, [rip + {next}]",
        "test rax, rax",
        "jne 2f",
        "push rdi", // both arguments, and 8 bytes to align the stack for a call
        "push rsi",
        "push rax",
        "call {find_next}",
        "pop rcx",
        "pop rsi",
        "pop rdi",
        "2:",
        "jmp rax",
        kept = const !libc::RTLD_DEEPBIND,
        next = sym NEXT,
        find_next = sym find_next,
    )
}

/// As on x86-64, its safety too.
#[cfg(target_arch = "aarch64")]
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void {
    std::arch::naked_asm!(
        "and w1, w1, {kept}",
        "adrp x16, {next}",
        "ldr x16, [x16, :lo12:{next}]",
        "cbnz x16, 2f",
        "stp x29, x30, [sp, #-32]!", // the way back, and both arguments
        "stp x0, x1, [sp, #16]",
        "bl {find_next}",
        "mov x16, x0",
        "ldp x0, x1, [sp, #16]",
        "ldp x29, x30, [sp], #32",
        "2:",
        "br x16",
        kept = const !libc::RTLD_DEEPBIND,
        next = sym NEXT,
        find_next = sym find_next,
    )
}
