//! Names the function of a body in which a process crashed or exited.
//!
//! # Theory
//!
//! A process that dies of a signal cannot say where it was, and one that calls `exit` leaves a code. So each
//! call of a body notes its function in a word of its own kernel thread, and a handler of the signals of a
//! crash, or one of `exit`, writes that word's name to standard error: the launch that failed has it among its
//! last words. Then whoever handled the signal before has it: the fault repeats, or is sent again.
//!
//! A fault on a stack that is used up has no place for a handler, unless its kernel thread has another one.

use std::cell::Cell;
use std::mem::MaybeUninit;
use std::sync::{Once, OnceLock};

/// Signals of a crash, with their names.
const CRASHES: [(i32, &str); 5] = [
    (libc::SIGSEGV, "SIGSEGV"),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGFPE, "SIGFPE"),
    (libc::SIGILL, "SIGILL"),
    (libc::SIGABRT, "SIGABRT"),
];

thread_local! {
    /// The function of the body that this kernel thread is in.
    static IN: Cell<&'static str> = const { Cell::new("") };
}

/// Who it is, and who handled each signal before.
static WHO: OnceLock<String> = OnceLock::new();
static BEFORE: [OnceLock<libc::sigaction>; CRASHES.len()] =
    [const { OnceLock::new() }; CRASHES.len()];

/// Calls a function of the body by its name.
#[inline]
pub(crate) fn calls<T>(function: &'static str, call: impl FnOnce() -> T) -> T {
    IN.set(function);
    let answer = call();
    IN.set("");
    answer
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
    });
}

extern "C" fn on_crash(signal: i32, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    let known = CRASHES
        .iter()
        .zip(&BEFORE)
        .find(|((own, _), _)| *own == signal);
    let Some(((_, name), before)) = known else {
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

/// One line, in one write: flows may crash at the same time.
fn say(what: &str, how: &str) {
    let function = IN.get();
    if function.is_empty() {
        return;
    }
    let who = WHO.get().map_or("", String::as_str);
    let mut line = [0_u8; 512];
    let mut length = 0;
    for part in [
        who,
        " ",
        what,
        " in its function `",
        function,
        "` (",
        how,
        ")\n",
    ] {
        let part = part.as_bytes();
        let fits = part.len().min(line.len() - length);
        line[length..length + fits].copy_from_slice(&part[..fits]);
        length += fits;
    }
    // SAFETY: `write` is async-signal-safe, and the bytes are those of the line.
    unsafe { libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), length) };
}
