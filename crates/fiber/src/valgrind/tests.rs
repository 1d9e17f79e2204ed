//! A program of fibers, run by valgrind in a child process, with stacks known and unknown.

use std::cell::Cell;
use std::process::{Command, Output};
use std::rc::Rc;

use super::{Stacks, request};
use crate::{Config, Fiber, Scheduler};

/// Set in the child process: it is to do the deeds, not to look at them.
const DEEDS: &str = "FIBER_TEST_DEEDS";
/// Set in a child process whose stacks valgrind shall not know.
const UNKNOWN: &str = "FIBER_TEST_UNKNOWN_STACKS";
/// How valgrind is to end when memcheck found something.
const FOUND: i32 = 9;
const WARNING: &str = "client switching stacks?";

pub(super) fn is_to_be_unknown() -> bool {
    std::env::var_os(UNKNOWN).is_some()
}

// ── Without valgrind ─────────────────────────────────────────────────────────────────

#[test]
fn a_processor_answers_what_it_was_given() {
    // No tool of valgrind has requests of this number.
    assert_eq!(request([0x7FFF_0001, 1, 2], 42), 42);
}

// ── Under valgrind ───────────────────────────────────────────────────────────────────

/// Runs `test` in a child process under valgrind; `None`, and a word, when there is none.
fn under_valgrind(test: &str, stacks_are_known: bool) -> Option<Output> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        skipped::skipped("valgrind is not installed: apt-get install valgrind");
        return None;
    }
    let mut child = Command::new("valgrind");
    child
        .args([&format!("--error-exitcode={FOUND}"), "--leak-check=no"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", &format!("valgrind::tests::{test}")])
        .args(["--nocapture", "--test-threads=1"])
        .env(DEEDS, "1");
    if !stacks_are_known {
        child.env(UNKNOWN, "1");
    }
    let ended = child.output().unwrap();
    if String::from_utf8_lossy(&ended.stderr).contains("failed to start tool") {
        skipped::skipped("valgrind is installed for other processors alone");
        return None;
    }
    Some(ended)
}

/// The child process: true when this is one, and the deeds are done.
fn is_the_child() -> bool {
    let is_child = std::env::var_os(DEEDS).is_some();
    if is_child {
        deeds();
    }
    is_child
}

#[test]
fn valgrind_has_nothing_to_say_of_fibers() {
    if is_the_child() {
        return;
    }
    let Some(ended) = under_valgrind("valgrind_has_nothing_to_say_of_fibers", true) else {
        return;
    };
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(0), "{said}");
    assert!(!said.contains(WARNING), "{said}");
    assert!(said.contains("ERROR SUMMARY: 0 errors"), "{said}");
}

/// That the test above can fail.
#[test]
fn valgrind_warns_of_stacks_that_it_does_not_know() {
    if is_the_child() {
        return;
    }
    let test = "valgrind_warns_of_stacks_that_it_does_not_know";
    let Some(ended) = under_valgrind(test, false) else {
        return;
    };
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(said.contains(WARNING), "{said}");
    assert!(!ended.status.success(), "{said}");
}

// ── What the child does ──────────────────────────────────────────────────────────────

fn deeds() {
    assert_eq!(
        Stacks::if_watched(1).unwrap().is_some(),
        !is_to_be_unknown(),
        "valgrind was not found"
    );
    roomy_stacks();
    many_small_slots();
    slots_are_used_again();
    a_live_scheduler_is_dropped();
}

fn guarded() -> Scheduler {
    // SAFETY: it is dropped in this function, or in the one that asked for it.
    unsafe { Scheduler::new(Config::guarded(128 << 10).capacity(40)) }.unwrap()
}

/// Takes some 200 bytes of stack a level.
#[inline(never)]
fn depth(levels: usize) -> usize {
    let frame = std::hint::black_box([levels; 16]);
    if levels == 0 {
        return 0;
    }
    1 + depth(levels - 1) + frame[3] - levels
}

/// Yield, suspend and awaken, a panic, deep recursion, fibers that make fibers.
fn roomy_stacks() {
    let scheduler = guarded();
    let sleeper = scheduler.spawn(|fiber| fiber.suspend()).unwrap();
    let id = sleeper.id();
    let waker = scheduler.spawn(move |fiber| {
        fiber.yield_now();
        crate::awaken(id)
    });
    let thrower = scheduler.spawn(|fiber| {
        fiber.yield_now();
        std::panic::resume_unwind(Box::new("went wrong"))
    });
    let thrower: crate::JoinHandle<()> = thrower.unwrap();
    let diver = scheduler.spawn(|fiber| {
        let first = depth(300);
        fiber.yield_now();
        first + depth(400)
    });
    let parent = scheduler.spawn(|_| {
        let child = crate::spawn(|fiber| {
            fiber.yield_now();
            vec![1, 2, 3]
        });
        child.unwrap().join().unwrap().len()
    });
    assert!(waker.unwrap().join().unwrap());
    sleeper.join().unwrap();
    assert_eq!(thrower.join().unwrap_err().message(), Some("went wrong"));
    assert_eq!(diver.unwrap().join().unwrap(), 700);
    assert_eq!(parent.unwrap().join().unwrap(), 3);
}

fn packed(bytes: usize) -> Config {
    // SAFETY: what runs in these slots is a few words and a loop over them.
    unsafe { Config::packed(bytes) }
}

fn many_small_slots() {
    for bytes in [192, 256, 512] {
        // SAFETY: it is dropped in this function, or in the one that asked for it.
        let scheduler = unsafe { Scheduler::new(packed(bytes).capacity(500)) }.unwrap();
        let spawn = |number: usize| {
            let body = move |fiber: &mut Fiber| {
                for _ in 0..4 {
                    fiber.yield_now();
                }
                number
            };
            scheduler.spawn(body).unwrap()
        };
        let handles: Vec<_> = (0..500).map(spawn).collect();
        let sum: usize = handles.into_iter().map(|h| h.join().unwrap()).sum();
        assert_eq!(sum, 499 * 250);
    }
}

/// A large closure lies where a smaller one's frames were.
fn slots_are_used_again() {
    // SAFETY: it is dropped in this function, or in the one that asked for it.
    let scheduler = unsafe { Scheduler::new(packed(2_048).capacity(1)) }.unwrap();
    for _ in 0..2 {
        let small = scheduler.spawn(|fiber| fiber.yield_now()).unwrap();
        small.join().unwrap();
        let numbers = [7_u64; 40];
        let large = scheduler.spawn(move |_| numbers.iter().sum::<u64>());
        assert_eq!(large.unwrap().join().unwrap(), 280);
    }
}

/// Fibers that never ran, that wait, and that ended without a join.
fn a_live_scheduler_is_dropped() {
    struct Counts(Rc<Cell<u32>>);
    impl Drop for Counts {
        fn drop(&mut self) {
            self.0.set(self.0.get() + 1);
        }
    }
    let dropped = Rc::new(Cell::new(0));
    let scheduler = guarded();
    for waits in [true, false, true] {
        let counts = Counts(Rc::clone(&dropped));
        let body = move |fiber: &mut Fiber| {
            if waits {
                fiber.suspend();
            }
            counts
        };
        scheduler.spawn(body).unwrap();
    }
    scheduler.run();
    let counts = Counts(Rc::clone(&dropped));
    scheduler.spawn(move |_| drop(counts)).unwrap();
    drop(scheduler);
    assert_eq!(dropped.get(), 4);
}
