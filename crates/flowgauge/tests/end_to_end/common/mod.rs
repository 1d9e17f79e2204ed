//! What the tests share.

mod arguments;
mod home;
mod journal;
mod process;
mod run;
mod running;
mod study;

pub(crate) use arguments::Arguments;
pub(crate) use home::{Home, Made, PROGRAM};
pub(crate) use journal::{Row, Slot, end_signal, entries, labels, results, slots, table};
pub(crate) use process::Process;
pub(crate) use run::{Run, says, unbroken};
pub(crate) use running::Running;
pub(crate) use study::{BOTH, drill, primes};

use std::sync::Mutex;
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

/// Does `work` for each of `rows`, three at a time: most of their time is waiting.
pub(crate) fn each_at_once<T: Send>(
    rows: impl IntoIterator<Item = T, IntoIter: Send>,
    work: impl Fn(T) + Sync,
) {
    let rows = Mutex::new(rows.into_iter());
    let next = || rows.lock().unwrap().next();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while let Some(row) = next() {
                    work(row);
                }
            });
        }
    });
}

/// Looks again and again until it is so, at most `seconds`.
pub(crate) fn until(seconds: u64, what: &str, mut is_so: impl FnMut() -> bool) {
    within(seconds, what, || is_so().then_some(()));
}
