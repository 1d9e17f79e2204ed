//! What a program of safe code can do wrong: each case compiles, and works or ends with a message
//! that names the fiber. What does not compile is in the documentation of `fiber::scope`.
//!
//! Each case is a process of its own, which is this program again with the name of the case.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "misuse/endings.rs"]
mod endings;
#[path = "misuse/locals.rs"]
mod locals;
#[path = "misuse/odd.rs"]
mod odd;

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitCode, Output};
use std::time::{Duration, Instant};

use fiber::{Config, Scheduler};

/// What becomes of a case.
enum Outcome {
    Works,
    /// It aborts and says this.
    Says(&'static str),
    /// It works or says this: which of both, the sizes of frames decide.
    Either(&'static str),
}
use Outcome::{Either, Says, Works};

type Case = (&'static str, Outcome, fn());

const SIGABRT: i32 = 6;
const PATIENCE: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    let cases = || odd::CASES.iter().chain(locals::CASES).chain(endings::CASES);
    let asked = std::env::args().nth(1);
    if let Some((_, _, case)) = cases().find(|(name, ..)| asked.as_deref() == Some(*name)) {
        case();
        return ExitCode::SUCCESS;
    }
    assert!(cases().count() >= 60, "{} cases", cases().count());
    let failed = cases().filter(|case| !is_as_expected(case)).count();
    let _ = writeln!(
        std::io::stdout(),
        "test result: {failed} failed of {}",
        cases().count()
    );
    ExitCode::from(u8::from(failed > 0))
}

fn is_as_expected((name, outcome, _): &Case) -> bool {
    let ended = run(name);
    let said = String::from_utf8_lossy(&ended.stderr);
    let works = ended.status.success();
    let says = |text| ended.status.signal() == Some(SIGABRT) && said.contains(text);
    let is_right = match outcome {
        Works => works,
        Says(text) => says(text),
        Either(text) => works || says(text),
    };
    let word = if is_right { "ok" } else { "FAILED" };
    let _ = writeln!(std::io::stdout(), "test {name} ... {word}");
    if !is_right {
        let _ = writeln!(std::io::stdout(), "{}: {said}", ended.status);
    }
    is_right
}

/// This program once more; one that hangs is killed.
fn run(name: &str) -> Output {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .arg(name)
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    child.wait_with_output().unwrap()
}

fn roomy() -> Config {
    Config::guarded(64 << 10).capacity(16)
}

/// Does something with a scheduler of roomy stacks.
fn with<R>(body: impl FnOnce(&Scheduler) -> R) -> R {
    fiber::scope(roomy(), body).unwrap()
}

/// A list whose destructor goes as deep as it is long.
struct Long(#[expect(dead_code, reason = "is dropped")] Option<Box<Long>>);

fn list(length: usize) -> Long {
    (0..length).fold(Long(None), |list, _| Long(Some(Box::new(list))))
}

/// Goes deeper than any stack.
#[inline(never)]
fn deep(calls: u64) -> u64 {
    let frame = std::hint::black_box([calls; 16]);
    match calls {
        u64::MAX => frame[0],
        _ => deep(calls + 1) + frame[1],
    }
}

/// Does something when it is dropped.
struct AtEnd<F: FnMut()>(F);

impl<F: FnMut()> Drop for AtEnd<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}
