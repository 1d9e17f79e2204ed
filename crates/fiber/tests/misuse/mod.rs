//! What a program of safe code can do wrong: each case compiles, and works or ends with a message
//! that names the fiber. What does not compile is in the documentation of `fiber::scope`.
//!
//! Each case is a process of its own: the program that has these cases, with the name of the case in
//! its environment.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod endings;
mod locals;
mod odd;

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use fiber::{Config, Fiber, Scheduler};

/// What becomes of a case.
#[derive(Clone, Copy)]
pub(crate) enum Outcome {
    Works,
    /// It aborts and says this.
    Says(&'static str),
    /// It works or says this: which of both, the sizes of frames decide.
    Either(&'static str),
}

/// What a case does, with a scheduler of roomy stacks, which it may leave alone.
type Deed = fn(&Scheduler);

#[derive(Clone, Copy)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) outcome: Outcome,
    deed: Deed,
}

/// The name of the case that a process is for.
const NAME: &str = "FIBER_MISUSE";
const SIGABRT: i32 = 6;
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn cases() -> impl Iterator<Item = Case> {
    let case = |name, outcome, deed| Case {
        name,
        outcome,
        deed,
    };
    let works = [odd::WORKS, locals::WORKS, endings::WORKS]
        .into_iter()
        .flatten();
    let says = [odd::SAYS, locals::SAYS, endings::SAYS]
        .into_iter()
        .flatten();
    let works = works.map(move |(name, deed)| case(name, Outcome::Works, *deed));
    let says = says.map(move |(name, text, deed)| case(name, Outcome::Says(text), *deed));
    let either = endings::EITHER.iter();
    let either = either.map(move |(name, text, deed)| case(name, Outcome::Either(text), *deed));
    works.chain(says).chain(either)
}

/// Does what this process is for, if that is a case.
pub(crate) fn is_carried_out() -> bool {
    let asked = std::env::var(NAME).ok();
    let case = cases().find(|case| asked.as_deref() == Some(case.name));
    case.map(|case| with(case.deed)).is_some()
}

/// What is wrong with how a case ends, in this program once more.
pub(crate) fn fell(case: &Case) -> Option<String> {
    let ended = output(skipped::this_program().env(NAME, case.name));
    let said = String::from_utf8_lossy(&ended.stderr);
    let works = ended.status.success();
    let says = |text| ended.status.signal() == Some(SIGABRT) && said.contains(text);
    let is_right = match case.outcome {
        Outcome::Works => works,
        Outcome::Says(text) => says(text),
        Outcome::Either(text) => works || says(text),
    };
    (!is_right).then(|| format!("{}: {said}", ended.status))
}

/// What a command says and how it ends; one that hangs is killed.
pub(crate) fn output(command: &mut Command) -> Output {
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
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

/// Makes a fiber, and runs until no fiber is runnable: how many are suspended.
fn runs<T: 'static>(scheduler: &Scheduler, body: impl FnOnce(&mut Fiber) -> T + 'static) -> usize {
    scheduler.spawn(body).unwrap();
    scheduler.run()
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
