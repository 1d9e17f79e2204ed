//! How effects are checked: a flow that finds one missing fails the slot with the message.

use std::io;

use measure::give_up;

/// Checks that cost more than the operation are made once in this many operations.
pub const EVERY: u64 = 64;

#[inline]
pub(crate) fn at_length(op: u64) -> bool {
    op.is_multiple_of(EVERY)
}

#[inline]
pub(crate) fn must<T>(what: &str, result: io::Result<T>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => failed(what, &error),
    }
}

#[cold]
fn failed(what: &str, error: &io::Error) -> ! {
    let way_out = match error.raw_os_error() {
        Some(libc::EMFILE) => "; raise the limit (ulimit -n), or use fewer flows",
        Some(libc::EAGAIN) => "; a limit on processes and threads was reached: use fewer flows",
        Some(libc::ENOSPC) => "; make room on the disk",
        Some(libc::EPERM | libc::EACCES | libc::ENOSYS) => {
            "; this user, a sandbox or the kernel does not allow it"
        }
        _ => "",
    };
    give_up(format_args!("cannot {what}: {error}{way_out}"))
}

#[inline]
pub(crate) fn same(what: &str, came: u64, expected: u64) {
    if came != expected {
        differs(what, came, expected);
    }
}

#[cold]
fn differs(what: &str, came: u64, expected: u64) -> ! {
    give_up(format_args!(
        "{what}: {came:#x} came and not {expected:#x}: the operation had no effect"
    ))
}

/// Checks that numbers given out and taken back come again, but for [`SLACK`] steps a flow.
#[derive(Debug)]
pub(crate) struct Recurrence {
    furthest: u64,
    steps: u64,
    most: u64,
}

const SLACK: u64 = 16;

impl Recurrence {
    pub(crate) fn new(flows: u64) -> Self {
        Self {
            furthest: 0,
            steps: 0,
            most: SLACK * (flows + 1),
        }
    }

    #[inline]
    pub(crate) fn up(&mut self, number: u64) {
        if number > self.furthest {
            self.furthest = number;
            self.steps += 1;
        }
    }

    #[inline]
    pub(crate) fn down(&mut self, number: u64) {
        self.up(u64::MAX - number);
    }

    pub(crate) fn check(&self, what: &str) {
        let Self { steps, most, .. } = self;
        assert!(
            steps <= most,
            "{what} do not come again ({steps} new ones): taking them back had no effect"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_come_again_pass() {
        let mut seen = Recurrence::new(2);
        (0..10_000).for_each(|op| seen.up(op % 3));
        seen.check("descriptors");
    }

    #[test]
    #[should_panic(expected = "do not come again")]
    fn numbers_that_go_on_are_found() {
        let mut seen = Recurrence::new(2);
        (0..100).for_each(|op| seen.down(1_000 - op));
        seen.check("addresses");
    }

    #[test]
    #[should_panic(expected = "use fewer flows")]
    fn a_failure_says_what_to_do() {
        must::<()>(
            "start a flow",
            Err(io::Error::from_raw_os_error(libc::EAGAIN)),
        );
    }

    #[test]
    #[should_panic(expected = "0x1 came and not 0x2")]
    fn what_differs_is_shown() {
        same("a word", 1, 2);
    }
}
