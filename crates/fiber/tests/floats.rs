//! Floating-point control state: one for all, and one's own for those who ask.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod packed;
mod rounding;

use std::cell::Cell;
use std::rc::Rc;

use fiber::{Config, Fiber, Floats};

use packed::{made, packed};
use rounding::State;

/// Sets the rounding mode, and counts how often it was found again after a yield.
fn keeps(own: State, by_function: bool) -> impl FnOnce(&mut Fiber) -> usize {
    move |fiber| {
        own.set();
        let kept = (0..10).filter(|turn| {
            match turn % 3 {
                0 if by_function => fiber::yield_now(),
                1 => {
                    let id = fiber.id();
                    fiber::spawn(move |_| fiber::awaken(id)).unwrap();
                    fiber.suspend();
                }
                _ => fiber.yield_now(),
            }
            State::now() == own
        });
        kept.count()
    }
}

#[test]
fn fibers_that_ask_keep_their_rounding_and_the_others_never_see_it() {
    for config in [packed(8_192), Config::guarded(65_536)] {
        let scheduler = made(config.capacity(64)).unwrap();
        let plain = || {
            let body = |fiber: &mut Fiber| {
                (0..40)
                    .filter(|_| {
                        fiber.yield_now();
                        State::now() == State::DEFAULT
                    })
                    .count()
            };
            scheduler.spawn(body).unwrap()
        };
        let before = plain();
        let zero = scheduler
            .spawn_with(Floats::Own, keeps(State::TOWARDS_ZERO, true))
            .unwrap();
        let between = plain();
        let up = scheduler
            .spawn_with(Floats::Own, keeps(State::UPWARDS, false))
            .unwrap();
        for asked in [zero, up] {
            assert_eq!(asked.join().unwrap(), 10);
        }
        for other in [before, between] {
            assert_eq!(other.join().unwrap(), 40);
        }
        assert_eq!(State::now(), State::DEFAULT);
    }
}

#[test]
fn a_dropped_scheduler_leaves_the_floating_point_state_of_who_drops_it() {
    struct Looks(Rc<Cell<Option<State>>>);
    impl Drop for Looks {
        fn drop(&mut self) {
            self.0.set(Some(State::now()));
        }
    }
    for by_function in [true, false] {
        let seen = Rc::new(Cell::new(None));
        let looks = Looks(Rc::clone(&seen));
        let scheduler = made(Config::guarded(64 << 10).capacity(2)).unwrap();
        let body = move |fiber: &mut Fiber| {
            let _looks = looks;
            State::UPWARDS.set();
            match by_function {
                true => fiber::suspend(),
                false => fiber.yield_now(),
            }
        };
        scheduler.spawn_with(Floats::Own, body).unwrap();
        // Its end ends the run, also of one that yields.
        scheduler.spawn(|_| ()).unwrap().join().unwrap();
        State::TOWARDS_ZERO.set();
        drop(scheduler);
        assert_eq!(State::now(), State::TOWARDS_ZERO);
        assert_eq!(
            seen.get(),
            Some(State::UPWARDS),
            "the state of what is unwound is its own"
        );
        State::DEFAULT.set();
    }
}
