//! Fibers that a timer interrupts.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod ended;
mod rounding;

use std::cell::Cell;
use std::hint::black_box;
use std::rc::Rc;
use std::time::Duration;

use ended::ends_saying;
use fiber::{Config, Fiber, Floats, JoinHandle, PreemptError, Scheduler, preemptible};
use rounding::State;

const QUANTUM: Duration = Duration::from_micros(200);

fn scope<R>(body: impl FnOnce(&Scheduler) -> R) -> R {
    fiber::scope(Config::guarded(64 << 10), body).unwrap()
}

/// Computes with integers, floats and vectors until `flag` is set.
fn until(flag: &Cell<bool>) -> (u64, f64) {
    let (mut whole, mut parts) = (1_u64, [1.0_f64, 2.0, 3.0, 4.0]);
    while !black_box(flag).get() {
        whole = whole
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        parts = black_box(parts).map(|part| (part + 1.0).sqrt());
    }
    (whole, parts.iter().sum())
}

/// A fiber that is interrupted while it is in `section`.
fn computes<R: 'static>(
    scheduler: &Scheduler,
    section: impl FnOnce() -> R + 'static,
) -> JoinHandle<R> {
    // SAFETY: every section here computes, and holds nothing.
    let body = |_: &mut Fiber| unsafe { preemptible(QUANTUM, section) }.unwrap();
    scheduler.spawn(body).unwrap()
}

fn steps(of: u64) -> u64 {
    (0..of).fold(1, |sum: u64, step| {
        black_box(sum).wrapping_mul(31).wrapping_add(step)
    })
}

#[test]
fn a_fiber_that_never_yields_lets_the_next_one_run() {
    let ended = scope(|scheduler| {
        let flag = Rc::new(Cell::new(false));
        let seen = Rc::clone(&flag);
        let waits = computes(scheduler, move || until(&seen));
        scheduler.spawn(move |_| flag.set(true)).unwrap();
        waits.join().unwrap().1
    });
    assert!(ended >= 4.0, "{ended}");
}

#[test]
fn what_is_computed_is_the_same_with_interruptions() {
    const STEPS: u64 = 3_000_000;
    let expected = steps(STEPS);
    let results = scope(|scheduler| {
        let handles = [(); 5].map(|()| computes(scheduler, || steps(STEPS)));
        handles.map(|handle| handle.join().unwrap())
    });
    assert_eq!(results, [expected; 5]);
}

/// Two fibers that can go on only while the other is stopped: each is interrupted many times.
#[test]
fn fibers_interrupt_each_other_again_and_again() {
    const EACH: u32 = 20;
    let turns = scope(|scheduler| {
        let last = Rc::new(Cell::new(1_u32));
        let handles = [0, 1].map(|own| {
            let last = Rc::clone(&last);
            let alternate = move || {
                for _ in 0..EACH {
                    while black_box(&last).get() == own {}
                    last.set(own);
                }
                EACH
            };
            computes(scheduler, alternate)
        });
        handles.map(|handle| handle.join().unwrap())
    });
    assert_eq!(turns, [EACH; 2]);
}

#[test]
fn after_a_section_nothing_is_interrupted() {
    scope(|scheduler| {
        let other = Rc::new(Cell::new(false));
        let seen = Rc::clone(&other);
        let first = scheduler
            .spawn(move |_| {
                // SAFETY: it does nothing.
                unsafe { preemptible(QUANTUM, || ()) }.unwrap();
                std::thread::sleep(QUANTUM * 10);
                steps(1_000_000);
                seen.get()
            })
            .unwrap();
        scheduler.spawn(move |_| other.set(true)).unwrap();
        assert!(!first.join().unwrap(), "the other one ran meanwhile");
    });
}

#[test]
fn the_floating_point_state_in_common_and_of_its_own_outlive_an_interruption() {
    for (floats, own) in [
        (Floats::Common, State::TOWARDS_ZERO),
        (Floats::Own, State::UPWARDS),
    ] {
        State::DEFAULT.set();
        let (after, other) = scope(|scheduler| {
            let flag = Rc::new(Cell::new(false));
            let seen = Rc::clone(&flag);
            let waits = scheduler
                .spawn_with(floats, move |_| {
                    own.set();
                    // SAFETY: it computes, and holds nothing.
                    unsafe { preemptible(QUANTUM, || until(&seen)) }.unwrap();
                    State::now()
                })
                .unwrap();
            let sets = scheduler
                .spawn(move |_| {
                    flag.set(true);
                    State::now()
                })
                .unwrap();
            (waits.join().unwrap(), sets.join().unwrap())
        });
        let in_common = matches!(floats, Floats::Common);
        assert_eq!(after, own, "{floats:?}");
        assert_eq!(
            other,
            if in_common {
                State::TOWARDS_ZERO
            } else {
                State::DEFAULT
            },
            "{floats:?}"
        );
    }
}

#[test]
fn small_and_unguarded_stacks_are_refused_and_threads_just_run() {
    // SAFETY: it does nothing, in all three.
    assert_eq!(unsafe { preemptible(QUANTUM, || 5) }.unwrap(), 5);
    let refused = |config| {
        fiber::scope(config, |scheduler| {
            // SAFETY: as above.
            let section = |_: &mut Fiber| unsafe { preemptible(QUANTUM, || 5) };
            scheduler.spawn(section).unwrap().join().unwrap()
        })
        .unwrap()
    };
    assert!(matches!(
        refused(Config::guarded(16 << 10)),
        Err(PreemptError::Stack { .. })
    ));
    // SAFETY: 64 KiB hold a closure and a refusal.
    let packed = unsafe { Config::packed(64 << 10) };
    assert!(matches!(refused(packed), Err(PreemptError::Stack { .. })));
}

#[test]
fn a_scheduler_dropped_with_an_interrupted_fiber_ends_the_program_by_name() {
    let named = "fiber 0 was interrupted by a timer when its scheduler was dropped";
    ends_saying(named, || {
        scope(|scheduler| {
            let never = Cell::new(false);
            // That it does not end is what is tried.
            computes(scheduler, move || until(&never));
            scheduler.spawn(|_| ()).unwrap().join().unwrap();
        });
    });
}
