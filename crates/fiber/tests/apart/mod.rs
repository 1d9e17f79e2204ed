//! Movable stacks for tests.

use fiber::Config;
use fiber::movable::{MovableFiber, MoveError, Way};

pub(crate) const WAYS: [Way; 3] = [Way::Isomalloc, Way::Copied, Way::Aliased];

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

/// Goes to another process, once it has joined.
pub(crate) fn go(fiber: &mut MovableFiber<'_>, to: usize) {
    loop {
        // SAFETY: callers keep nothing of the process they leave.
        match unsafe { fiber.move_to(to) } {
            Err(MoveError::Absent { .. }) => fiber.yield_now(),
            went => return went.unwrap(),
        }
    }
}
