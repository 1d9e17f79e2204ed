//! Movable stacks for tests.

use fiber::Config;
use fiber::movable::Way;

/// Movable stacks of `bytes` with addresses of their own.
pub(crate) fn movable(bytes: usize) -> Config {
    kept(Way::Isomalloc, bytes)
}

/// Movable stacks of `bytes`, kept in one of three ways.
pub(crate) fn kept(way: Way, bytes: usize) -> Config {
    // SAFETY: the fibers of these tests fit in their slots, or run over them on purpose, in a process
    // of their own that is to be ended for it.
    unsafe { Config::kept(way, bytes) }
}
