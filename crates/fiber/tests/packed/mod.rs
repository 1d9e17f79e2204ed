//! Schedulers and packed slots for tests.

use fiber::{Config, ConfigError, Scheduler};

/// Packed slots of `bytes`.
pub(crate) fn packed(bytes: usize) -> Config {
    // SAFETY: the fibers of these tests fit in their slots, or run over them on purpose, in a process
    // of their own that is to be ended for it.
    unsafe { Config::packed(bytes) }
}

/// A scheduler that its test drops, by the end of it.
pub(crate) fn made(config: Config) -> Result<Scheduler, ConfigError> {
    // SAFETY: it is a local of a test, or of a fiber of one.
    unsafe { Scheduler::new(config) }
}
