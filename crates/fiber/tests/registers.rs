//! What a call keeps is kept over every kind of switch: each register of the ABI, on the stacks of
//! fibers and on that of who runs them, and the stack pointer's alignment.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::arch::naked_asm;
use std::ffi::c_void;

use fiber::{Config, Fiber, Scheduler};

/// rbx, rbp, r12 to r15; and the stack pointer at the call.
#[cfg(target_arch = "x86_64")]
const REGISTERS: usize = 6;
/// A call has pushed where it returns to.
#[cfg(target_arch = "x86_64")]
const SP_IN_16: u64 = 8;

/// x19 to x29, the low halves of v8 to v15; and the stack pointer at the call.
#[cfg(target_arch = "aarch64")]
const REGISTERS: usize = 19;
#[cfg(target_arch = "aarch64")]
const SP_IN_16: u64 = 0;

type Words = [u64; REGISTERS + 1];
type Call = extern "C" fn(*mut c_void);

/// Calls `call(with)` with all kept registers set to `words`, and puts there what is in them after.
/// Safety: `call` takes `with`.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn across(call: Call, with: *mut c_void, words: *mut Words) {
    naked_asm!(
        "mov [rdx + 48], rsp",
        "push rbx",
        "push rbp",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "push rdx",
        "mov rbx, [rdx]",
        "mov rbp, [rdx + 8]",
        "mov r12, [rdx + 16]",
        "mov r13, [rdx + 24]",
        "mov r14, [rdx + 32]",
        "mov r15, [rdx + 40]",
        "mov rax, rdi",
        "mov rdi, rsi",
        "call rax",
        "pop rdx",
        "mov [rdx], rbx",
        "mov [rdx + 8], rbp",
        "mov [rdx + 16], r12",
        "mov [rdx + 24], r13",
        "mov [rdx + 32], r14",
        "mov [rdx + 40], r15",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbp",
        "pop rbx",
        "ret",
    )
}

/// Calls `call(with)` with all kept registers set to `words`, and puts there what is in them after.
/// Safety: `call` takes `with`.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
unsafe extern "C" fn across(call: Call, with: *mut c_void, words: *mut Words) {
    naked_asm!(
        "mov x9, sp",
        "str x9, [x2, #152]",
        "stp x29, x30, [sp, #-176]!",
        "stp x19, x20, [sp, #16]",
        "stp x21, x22, [sp, #32]",
        "stp x23, x24, [sp, #48]",
        "stp x25, x26, [sp, #64]",
        "stp x27, x28, [sp, #80]",
        "stp d8, d9, [sp, #96]",
        "stp d10, d11, [sp, #112]",
        "stp d12, d13, [sp, #128]",
        "stp d14, d15, [sp, #144]",
        "str x2, [sp, #160]",
        "ldp x19, x20, [x2]",
        "ldp x21, x22, [x2, #16]",
        "ldp x23, x24, [x2, #32]",
        "ldp x25, x26, [x2, #48]",
        "ldp x27, x28, [x2, #64]",
        "ldr x29, [x2, #80]",
        "ldp d8, d9, [x2, #88]",
        "ldp d10, d11, [x2, #104]",
        "ldp d12, d13, [x2, #120]",
        "ldp d14, d15, [x2, #136]",
        "mov x9, x0",
        "mov x0, x1",
        "blr x9",
        "ldr x2, [sp, #160]",
        "stp x19, x20, [x2]",
        "stp x21, x22, [x2, #16]",
        "stp x23, x24, [x2, #32]",
        "stp x25, x26, [x2, #48]",
        "stp x27, x28, [x2, #64]",
        "str x29, [x2, #80]",
        "stp d8, d9, [x2, #88]",
        "stp d10, d11, [x2, #104]",
        "stp d12, d13, [x2, #120]",
        "stp d14, d15, [x2, #136]",
        "ldp x19, x20, [sp, #16]",
        "ldp x21, x22, [sp, #32]",
        "ldp x23, x24, [sp, #48]",
        "ldp x25, x26, [sp, #64]",
        "ldp x27, x28, [sp, #80]",
        "ldp d8, d9, [sp, #96]",
        "ldp d10, d11, [sp, #112]",
        "ldp d12, d13, [sp, #128]",
        "ldp d14, d15, [sp, #144]",
        "ldp x29, x30, [sp], #176",
        "ret",
    )
}

/// Numbers that no other call has at its time.
fn words_of(seed: u64) -> Words {
    std::array::from_fn(|place| {
        ((seed << 8) | (place as u64 + 1)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    })
}

fn check(call: Call, with: *mut c_void, seed: u64) {
    let mut words = words_of(seed);
    // SAFETY: every caller gives what its `call` takes.
    unsafe { across(call, with, &raw mut words) };
    assert_eq!(words[..REGISTERS], words_of(seed)[..REGISTERS], "{seed}");
    assert_eq!(words[REGISTERS] % 16, SP_IN_16, "of the stack pointer");
}

fn fiber_at<'a>(with: *mut c_void) -> &'a mut Fiber {
    // SAFETY: the handle of the fiber that runs, which waits for this call.
    unsafe { &mut *with.cast::<Fiber>() }
}

extern "C" fn yields(with: *mut c_void) {
    fiber_at(with).yield_now();
}

extern "C" fn yields_by_function(_: *mut c_void) {
    fiber::yield_now();
}

extern "C" fn suspends(with: *mut c_void) {
    let fiber = fiber_at(with);
    let id = fiber.id();
    fiber::spawn(move |_| fiber::awaken(id)).unwrap();
    fiber.suspend();
}

extern "C" fn joins(_: *mut c_void) {
    let other = fiber::spawn(|fiber| {
        fiber.yield_now();
        clobbers();
        7
    });
    assert_eq!(other.unwrap().join().unwrap(), 7);
}

extern "C" fn runs(with: *mut c_void) {
    // SAFETY: a scheduler of the caller's, which waits for this call.
    unsafe { &*with.cast::<Scheduler>() }.run();
}

/// Uses as many registers of both kinds as an ABI may keep.
fn clobbers() {
    let mut words = words_of(u64::MAX);
    extern "C" fn nothing(_: *mut c_void) {}
    // SAFETY: `nothing` takes anything.
    unsafe { across(nothing, std::ptr::null_mut(), &raw mut words) };
}

fn holds_over_switches(turns: u64, mostly: Call, config: Config) {
    const KINDS: [Call; 4] = [yields, yields_by_function, suspends, joins];
    let runs_all = |scheduler: &Scheduler| {
        for who in 0..8_u64 {
            let body = move |fiber: &mut Fiber| {
                for turn in 0..turns {
                    let call = match turn % 64 {
                        0..4 => KINDS[((turn + who) % 4) as usize],
                        _ => mostly,
                    };
                    check(call, (&raw mut *fiber).cast(), (turn << 8) | who);
                }
            };
            scheduler.spawn(body).unwrap();
        }
        check(runs, (&raw const *scheduler).cast_mut().cast(), 1 << 40);
        assert_eq!(scheduler.live(), 0);
    };
    fiber::scope(config.capacity(32), runs_all).unwrap();
}

#[test]
fn registers_and_alignment_outlive_a_million_switches() {
    holds_over_switches(125_000, yields, Config::guarded(64 << 10));
}

#[test]
fn registers_and_alignment_outlive_switches_of_every_kind() {
    for call in [yields_by_function, suspends, joins] {
        holds_over_switches(2_000, call, Config::guarded(64 << 10));
    }
}

#[test]
fn registers_and_alignment_outlive_the_unwinding_of_a_dropped_scheduler() {
    extern "C" fn is_dropped(_: *mut c_void) {
        fiber::scope(Config::guarded(64 << 10), |scheduler| {
            let body = |fiber: &mut Fiber| {
                clobbers();
                fiber.suspend();
            };
            scheduler.spawn(body).unwrap();
            scheduler.run();
        })
        .unwrap();
    }
    check(is_dropped, std::ptr::null_mut(), 1);
}
