//! Zeroed words of each kernel thread, for `own` and `set_own` of its processor.
//!
//! They are made by hand: where the link does not optimise, `thread_local!` is a call through a pointer, and costs as
//! much as a switch. Weak: a test program has this crate twice, and may share them. Other versions of the crate have
//! words of their own.

macro_rules! own_words {
    () => {
        concat!(
            "flowgauge_fiber_own_",
            env!("CARGO_PKG_VERSION_MAJOR"),
            "_",
            env!("CARGO_PKG_VERSION_MINOR"),
        )
    };
}

const WORDS: usize = 2;

std::arch::global_asm!(
    ".pushsection .tbss.flowgauge_fiber_own, \"awT\", %nobits",
    ".balign 8",
    concat!(".weak ", own_words!()),
    concat!(".hidden ", own_words!()),
    concat!(own_words!(), ":"),
    ".zero 8 * {words}",
    ".popsection",
    words = const WORDS,
);
