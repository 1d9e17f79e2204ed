//! Packed slots for tests.

use fiber::Config;

/// Packed slots of `bytes`.
pub(crate) fn packed(bytes: usize) -> Config {
    // SAFETY: the fibers of these tests fit in their slots, or run over them on purpose, in a process
    // of their own that is to be ended for it.
    unsafe { Config::packed(bytes) }
}
