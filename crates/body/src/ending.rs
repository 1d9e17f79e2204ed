//! Names the function of a body in which a process crashed, exited, or was copied.
//!
//! # Theory
//!
//! A process that dies of a signal cannot say where it was, and one that calls `exit` leaves a code. So each
//! call of a body notes its function in a word of its own kernel thread, and a handler of the signals of a
//! crash, or one of `exit`, writes that word's name to standard error: the launch that failed has it among its
//! last words. Then whoever handled the signal before has it: the fault repeats, or is sent again.
//!
//! A function that forks must not come back twice: its copy would go on as a second harness. So a process counts how
//! often it is a copy, and where that has changed by the end of a call the copy says so and ends its launch's group.
//!
//! A fault on a stack that is used up has no place for a handler, unless its kernel thread has another one.

use std::cell::Cell;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Once, OnceLock};

const CRASHES: [(i32, &str); 5] = [
    (libc::SIGSEGV, "SIGSEGV"),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGFPE, "SIGFPE"),
    (libc::SIGILL, "SIGILL"),
    (libc::SIGABRT, "SIGABRT"),
];

thread_local! {
    /// The function of the body that this kernel thread is in, and which copy called it.
    static IN: Cell<(&'static str, u32)> = const { Cell::new(("", 0)) };
}

/// How many forks lie between the process that named its endings and this one.
static COPIES: AtomicU32 = AtomicU32::new(0);

/// Who it is, and who handled each signal before.
static WHO: OnceLock<String> = OnceLock::new();
static BEFORE: [OnceLock<libc::sigaction>; CRASHES.len()] =
    [const { OnceLock::new() }; CRASHES.len()];

#[inline]
pub(crate) fn calls<T>(function: &'static str, call: impl FnOnce() -> T) -> T {
    let copies = COPIES.load(Ordering::Relaxed);
    IN.set((function, copies));
    let answer = call();
    if COPIES.load(Ordering::Relaxed) != copies {
        end_launch();
    }
    IN.set(("", 0));
    answer
}

extern "C" fn on_copy() {
    COPIES.fetch_add(1, Ordering::Relaxed);
}

#[cold]
fn end_launch() -> ! {
    let (function, _) = IN.get();
    tell(&[
        " forks in its function `",
        function,
        "`, and the child returns from it: end the child by _exit\n",
    ]);
    // SAFETY: takes numbers; 0 is the group of this process, which is the launch's.
    unsafe { libc::kill(0, libc::SIGKILL) };
    // SAFETY: ends the process.
    unsafe { libc::_exit(1) }
}

/// From here on this process and those that it forks say in which function of `who` they crash or exit.
/// Before the body is loaded, so that a runtime in it may have the signals for itself.
pub fn name_endings(who: String) {
    static ONCE: Once = Once::new();
    let _first_stays = WHO.set(who);
    ONCE.call_once(|| {
        for ((signal, _), before) in CRASHES.iter().zip(&BEFORE) {
            let mut old = MaybeUninit::uninit();
            // SAFETY: all-zero bytes are a `sigaction`.
            let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
            action.sa_sigaction = on_crash as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
            // SAFETY: the handler only reads, writes to a descriptor, and sets handlers.
            if unsafe { libc::sigaction(*signal, &raw const action, old.as_mut_ptr()) } == 0 {
                // SAFETY: the call has filled it.
                before.get_or_init(|| unsafe { old.assume_init() });
            }
        }
        // SAFETY: the function takes nothing and does not unwind.
        unsafe { libc::atexit(on_exit) };
        // SAFETY: the same.
        unsafe { libc::pthread_atfork(None, None, Some(on_copy)) };
    });
}

extern "C" fn on_crash(signal: i32, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    let mut known = CRASHES.iter().zip(&BEFORE);
    let Some(((_, name), before)) = known.find(|((own, _), _)| *own == signal) else {
        return;
    };
    say("crashed", name);
    match before.get() {
        // SAFETY: what the kernel gave.
        Some(before) => unsafe { libc::sigaction(signal, before, std::ptr::null_mut()) },
        None => 0,
    };
    // SAFETY: the kernel passes a valid one.
    let was_sent = unsafe { (*info).si_code } <= 0;
    if was_sent {
        // SAFETY: takes a number.
        unsafe { libc::raise(signal) };
    }
}

extern "C" fn on_exit() {
    say("ended the process", "exit");
}

/// Of the process that was called, and not of a copy that ends as it likes.
fn say(what: &str, how: &str) {
    let (function, copies) = IN.get();
    if !function.is_empty() && copies == COPIES.load(Ordering::Relaxed) {
        tell(&[" ", what, " in its function `", function, "` (", how, ")\n"]);
    }
}

/// One line, in one write: flows may crash at the same time.
fn tell(parts: &[&str]) {
    let who = WHO.get().map_or("", String::as_str);
    let mut line = [0_u8; 512];
    let mut length = 0;
    for part in [who].iter().chain(parts) {
        let part = part.as_bytes();
        let fits = part.len().min(line.len() - length);
        line[length..length + fits].copy_from_slice(&part[..fits]);
        length += fits;
    }
    // SAFETY: `write` is async-signal-safe, and the bytes are those of the line.
    unsafe { libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), length) };
}
