//! What the tests share.

mod home;
mod journal;
mod process;
mod running;
mod study;

pub(crate) use home::{Home, Run};
pub(crate) use journal::{Slot, end_signal, entries, results, slots};
pub(crate) use process::Process;
pub(crate) use running::Running;
pub(crate) use study::{drill, primes};

use std::thread::sleep;
use std::time::{Duration, Instant};

/// What every run of a study that has a source leaves in its results folder, without `--tables`.
pub(crate) const RESULT_FILES: [&str; 9] = [
    "findings.csv",
    "findings.json",
    "journal.jsonl",
    "machine.json",
    "quantities.csv",
    "report.html",
    "slots.csv",
    "summary.csv",
    "then-and-now.html",
];

/// Looks again and again until there is something, at most `seconds`.
pub(crate) fn within<T>(seconds: u64, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(seconds);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "not within {seconds} s: {what}");
        sleep(Duration::from_millis(3));
    }
}
