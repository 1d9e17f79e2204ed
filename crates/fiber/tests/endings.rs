//! Mistakes that end the program, each in a child process: what it says, and that it ends.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod ended;
mod packed;

use std::os::unix::process::ExitStatusExt;

use fiber::{Config, Fiber};

use ended::{ROLE, ending_of, ends_saying};
use packed::{made, packed};

/// Runs `body` in the middle one of three fibers.
fn run_three<T: 'static>(config: Config, body: impl FnOnce(&mut Fiber) -> T + Copy + 'static) {
    let scheduler = made(config.capacity(3)).unwrap();
    scheduler.spawn(|fiber| fiber.yield_now()).unwrap();
    scheduler.spawn(body).unwrap();
    scheduler.spawn(|fiber| fiber.yield_now()).unwrap();
    scheduler.run();
}

/// Writes to `BYTES` of stack and returns.
#[inline(never)]
fn use_stack<const BYTES: usize>() {
    std::hint::black_box([1_u8; BYTES]);
}

#[test]
fn a_canary_names_the_fiber_at_its_next_yield() {
    ends_saying("fiber 1 overflowed its packed slot of 512 bytes", || {
        run_three(packed(512), |fiber| {
            use_stack::<600>();
            fiber.yield_now();
        });
    });
}

#[test]
fn a_canary_that_goes_in_a_later_round_names_the_fiber_before_it_ends() {
    ends_saying("fiber 1 overflowed its packed slot of 512 bytes", || {
        run_three(packed(512), |fiber| {
            fiber.yield_now();
            use_stack::<600>();
            (0..64).for_each(|_| fiber.yield_now());
            std::process::exit(0);
        });
    });
}

#[test]
fn a_canary_is_looked_at_when_a_fiber_ends() {
    ends_saying("fiber 1 overflowed its packed slot", || {
        run_three(packed(512), |_| use_stack::<600>());
    });
}

/// Goes down by some hundred bytes a call, and never comes to an end in practice.
#[inline(never)]
fn go_deep(calls: u64) -> u64 {
    let frame = std::hint::black_box([calls; 16]);
    match calls {
        0 => frame[0],
        _ => go_deep(calls - 1) + frame[1],
    }
}

#[test]
fn a_packed_fiber_that_runs_deep_before_its_first_yield_is_named_and_no_bare_fault() {
    ends_saying(
        "fiber 1 overflowed its packed slot of 4096 bytes so far",
        || {
            run_three(packed(4_096), |_| {
                std::hint::black_box(go_deep(std::hint::black_box(1 << 40)));
            });
        },
    );
}

#[test]
fn a_fault_of_a_neighbour_names_the_fiber_that_overflowed_its_packed_slot() {
    ends_saying("fiber 1 overflowed its packed slot of 4096 bytes", || {
        run_three(packed(4_096), |fiber| {
            // A round in which no canary is looked at.
            fiber.yield_now();
            use_stack::<6_000>();
            // SAFETY: none: this is what a neighbour does with what it finds there.
            unsafe { std::ptr::without_provenance_mut::<u8>(64).write_volatile(1) };
        });
    });
}

#[test]
fn who_ran_over_the_canaries_of_several_is_named_and_none_of_those() {
    ends_saying("fiber 2 overflowed its packed slot of 4096 bytes", || {
        let scheduler = made(packed(4_096).capacity(3)).unwrap();
        let sleeper = scheduler.spawn(Fiber::suspend).unwrap().id();
        scheduler.spawn(Fiber::suspend).unwrap();
        scheduler.run();
        scheduler
            .spawn(move |fiber| {
                fiber.yield_now();
                use_stack::<10_000>();
                fiber::awaken(sleeper);
                fiber.suspend();
            })
            .unwrap();
        // The sleeper ends, and its canary is looked at.
        scheduler.run();
    });
}

#[test]
fn a_panic_in_a_small_slot_ends_the_program_by_name() {
    let said = ending_of(|| {
        run_three(packed(256), |_| panic!("small trouble"));
    });
    let named = "fiber 1 panicked in a stack of 256 bytes";
    let places = [named, "small trouble", "the program ends"].map(|part| said.find(part));
    assert!(places.is_sorted() && places[0].is_some(), "{said}");
}

#[test]
fn a_destructor_must_not_yield_while_the_scheduler_is_dropped() {
    struct Yields;
    impl Drop for Yields {
        fn drop(&mut self) {
            fiber::yield_now();
        }
    }
    ends_saying(
        "fiber 0 called fiber::yield_now while it was unwound",
        || {
            let scheduler = made(Config::guarded(64 << 10).capacity(1)).unwrap();
            let body = |fiber: &mut Fiber| {
                let _yields = Yields;
                fiber.suspend();
            };
            scheduler.spawn(body).unwrap();
            scheduler.run();
        },
    );
}

#[test]
fn another_fault_is_still_a_fault() {
    if std::env::var_os(ROLE).is_some() {
        run_three(Config::guarded(32 << 10), |_| {
            // SAFETY: none: this is the fault that the test is about.
            unsafe { std::ptr::without_provenance_mut::<u8>(64).write_volatile(1) };
        });
    }
    let mut child = skipped::this_program();
    child.args(["--exact", "another_fault_is_still_a_fault"]);
    child.args(["--nocapture", "--test-threads=1"]);
    let child = child.env(ROLE, "1").output().unwrap();
    assert_eq!(child.status.signal(), Some(11));
    assert!(!String::from_utf8_lossy(&child.stderr).contains("overflowed"));
}
