//! What tests of programs share.

use std::time::Duration;

/// Whether it comes true within a minute.
pub(crate) fn eventually(mut is_true: impl FnMut() -> bool) -> bool {
    (0..12_000).any(|_| {
        std::thread::sleep(Duration::from_millis(5));
        is_true()
    })
}
