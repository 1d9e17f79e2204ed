//! Mistakes that end the program, each in a child process: what it says, and that it ends.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod packed;

use std::os::unix::process::ExitStatusExt;

use fiber::{Config, Fiber};

use packed::{made, packed};

const ROLE: &str = "FIBER_TEST_ENDS";

/// Runs `deed` in a child process and returns what it said before it aborted.
fn ending_of(test: &str, deed: fn()) -> String {
    if std::env::var_os(ROLE).is_some() {
        deed();
        std::process::exit(0);
    }
    skipped::said_before_aborting(test, ROLE)
}
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
    let said = ending_of("a_canary_names_the_fiber_at_its_next_yield", || {
        run_three(packed(512), |fiber| {
            use_stack::<600>();
            fiber.yield_now();
        });
    });
    assert!(
        said.contains("fiber 1 overflowed its packed slot of 512 bytes"),
        "{said}"
    );
}

#[test]
fn a_canary_that_goes_in_a_later_round_names_the_fiber_before_it_ends() {
    let test = "a_canary_that_goes_in_a_later_round_names_the_fiber_before_it_ends";
    let said = ending_of(test, || {
        run_three(packed(512), |fiber| {
            fiber.yield_now();
            use_stack::<600>();
            (0..64).for_each(|_| fiber.yield_now());
            std::process::exit(0);
        });
    });
    assert!(
        said.contains("fiber 1 overflowed its packed slot of 512 bytes"),
        "{said}"
    );
}

#[test]
fn a_canary_is_looked_at_when_a_fiber_ends() {
    let said = ending_of("a_canary_is_looked_at_when_a_fiber_ends", || {
        run_three(packed(512), |_| use_stack::<600>());
    });
    assert!(
        said.contains("fiber 1 overflowed its packed slot"),
        "{said}"
    );
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
    let test = "a_packed_fiber_that_runs_deep_before_its_first_yield_is_named_and_no_bare_fault";
    let said = ending_of(test, || {
        run_three(packed(4_096), |_| {
            std::hint::black_box(go_deep(std::hint::black_box(1 << 40)));
        });
    });
    assert!(
        said.contains("fiber 1 overflowed its packed slot of 4096 bytes so far"),
        "{said}"
    );
}

#[test]
fn a_fault_of_a_neighbour_names_the_fiber_that_overflowed_its_packed_slot() {
    let test = "a_fault_of_a_neighbour_names_the_fiber_that_overflowed_its_packed_slot";
    let said = ending_of(test, || {
        run_three(packed(4_096), |fiber| {
            // A round in which no canary is looked at.
            fiber.yield_now();
            use_stack::<6_000>();
            // SAFETY: none: this is what a neighbour does with what it finds there.
            unsafe { std::ptr::without_provenance_mut::<u8>(64).write_volatile(1) };
        });
    });
    assert!(
        said.contains("fiber 1 overflowed its packed slot of 4096 bytes"),
        "{said}"
    );
}

#[test]
fn who_ran_over_the_canaries_of_several_is_named_and_none_of_those() {
    let test = "who_ran_over_the_canaries_of_several_is_named_and_none_of_those";
    let said = ending_of(test, || {
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
    assert!(
        said.contains("fiber 2 overflowed its packed slot of 4096 bytes"),
        "{said}"
    );
}

#[test]
fn a_guard_names_the_fiber_at_once() {
    let said = ending_of("a_guard_names_the_fiber_at_once", || {
        run_three(Config::guarded(32 << 10), |_| use_stack::<{ 1 << 20 }>());
    });
    assert!(
        said.contains("fiber 1 overflowed its guarded stack of 32768 bytes"),
        "{said}"
    );
}

/// A list whose destructor goes as deep as it is long.
struct Long(#[expect(dead_code, reason = "is dropped")] Option<Box<Long>>);

fn list(length: usize) -> Long {
    (0..length).fold(Long(None), |list, _| Long(Some(Box::new(list))))
}

#[test]
fn a_deep_result_that_nobody_joins_ends_by_name_and_not_in_the_stacks_of_others() {
    let test = "a_deep_result_that_nobody_joins_ends_by_name_and_not_in_the_stacks_of_others";
    let said = ending_of(test, || {
        run_three(Config::guarded(64 << 10), |fiber| {
            fiber.yield_now();
            list(100_000)
        });
    });
    assert!(
        said.contains("what fiber 1 returned overflowed the stack"),
        "{said}"
    );
}

#[test]
fn a_result_as_deep_as_its_fiber_had_room_for_is_dropped() {
    let scheduler = made(Config::guarded(8 << 20).capacity(1)).unwrap();
    drop(scheduler.spawn(|_| list(10_000)).unwrap());
    assert_eq!((scheduler.run(), scheduler.live()), (0, 0));
}

#[test]
fn an_overflow_below_a_scheduler_within_a_fiber_names_that_fiber() {
    let test = "an_overflow_below_a_scheduler_within_a_fiber_names_that_fiber";
    let said = ending_of(test, || {
        run_three(Config::guarded(64 << 10), |_| {
            let inner = made(Config::guarded(64 << 10).capacity(1)).unwrap();
            let long = list(100_000);
            inner.spawn(move |_| drop(long)).unwrap();
            // Its closure is dropped on the stack of the outer fiber.
            drop(inner);
        });
    });
    assert!(
        said.contains("fiber 1 overflowed its guarded stack of 65536 bytes"),
        "{said}"
    );
}

#[test]
fn a_panic_in_a_small_slot_ends_the_program_by_name() {
    let said = ending_of("a_panic_in_a_small_slot_ends_the_program_by_name", || {
        run_three(packed(256), |_| panic!("small trouble"));
    });
    let of = |part: &str| {
        said.find(part)
            .unwrap_or_else(|| panic!("no {part} in {said}"))
    };
    let (named, end) = (
        of("fiber 1 panicked in a stack of 256 bytes"),
        of("the program ends"),
    );
    assert!(
        named < of("small trouble") && of("small trouble") < end,
        "{said}"
    );
}

#[test]
fn a_panic_in_a_small_guarded_stack_too() {
    let said = ending_of("a_panic_in_a_small_guarded_stack_too", || {
        run_three(Config::guarded(4 << 10), |_| panic!("small trouble"));
    });
    assert!(
        said.contains("fiber 1 panicked in a stack of 4096 bytes"),
        "{said}"
    );
}

#[test]
fn a_suspended_fiber_whose_guarded_stack_is_too_small_to_unwind_is_named() {
    let test = "a_suspended_fiber_whose_guarded_stack_is_too_small_to_unwind_is_named";
    let said = ending_of(test, || {
        run_three(Config::guarded(8 << 10), Fiber::suspend);
    });
    let named = "fiber 1 has not ended and its scheduler is dropped, but its stack of 8192 bytes";
    assert!(said.contains(named), "{said}");
}

#[test]
fn a_destructor_must_not_yield_while_the_scheduler_is_dropped() {
    struct Yields;
    impl Drop for Yields {
        fn drop(&mut self) {
            fiber::yield_now();
        }
    }
    let said = ending_of(
        "a_destructor_must_not_yield_while_the_scheduler_is_dropped",
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
    assert!(
        said.contains("fiber 0 called fiber::yield_now while it was unwound"),
        "{said}"
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
    let child = skipped::this_program()
        .args([
            "--exact",
            "another_fault_is_still_a_fault",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(ROLE, "1")
        .output()
        .unwrap();
    assert_eq!(child.status.signal(), Some(11));
    assert!(!String::from_utf8_lossy(&child.stderr).contains("overflowed"));
}
