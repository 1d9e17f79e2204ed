//! Floating-point control state: one for all, and one's own for those who ask.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![cfg(target_arch = "x86_64")]

mod packed;

use std::arch::asm;
use std::cell::Cell;
use std::rc::Rc;

use fiber::{Config, Fiber, Floats};

use packed::{made, packed};

/// The control words of SSE and of the x87.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct State {
    mxcsr: u32,
    x87: u16,
}

const DEFAULT: State = State {
    mxcsr: 0x1F80,
    x87: 0x037F,
};
const TOWARDS_ZERO: State = State {
    mxcsr: DEFAULT.mxcsr | 0x6000,
    x87: DEFAULT.x87 | 0x0C00,
};
const UPWARDS: State = State {
    mxcsr: DEFAULT.mxcsr | 0x4000,
    x87: DEFAULT.x87 | 0x0800,
};

fn state() -> State {
    let (mut mxcsr, mut x87) = (0_u32, 0_u16);
    // SAFETY: stores into the local.
    unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut mxcsr) };
    // SAFETY: the same.
    unsafe { asm!("fnstcw [{}]", in(reg) &raw mut x87) };
    State {
        mxcsr: mxcsr & !0x3F,
        x87,
    }
}

fn set(state: State) {
    // SAFETY: a valid state; each test runs on a kernel thread of its own.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const state.mxcsr) };
    // SAFETY: the same.
    unsafe { asm!("fldcw [{}]", in(reg) &raw const state.x87) };
}

/// Sets both rounding modes, and counts how often it was found again after a yield.
fn keeps(own: State, by_function: bool) -> impl FnOnce(&mut Fiber) -> usize {
    move |fiber| {
        set(own);
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
            state() == own
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
                        state() == DEFAULT
                    })
                    .count()
            };
            scheduler.spawn(body).unwrap()
        };
        let before = plain();
        let zero = scheduler
            .spawn_with(Floats::Own, keeps(TOWARDS_ZERO, true))
            .unwrap();
        let between = plain();
        let up = scheduler
            .spawn_with(Floats::Own, keeps(UPWARDS, false))
            .unwrap();
        for asked in [zero, up] {
            assert_eq!(asked.join().unwrap(), 10);
        }
        for other in [before, between] {
            assert_eq!(other.join().unwrap(), 40);
        }
        assert_eq!(state(), DEFAULT);
    }
}

#[test]
fn a_dropped_scheduler_leaves_the_floating_point_state_of_who_drops_it() {
    struct Looks(Rc<Cell<Option<State>>>);
    impl Drop for Looks {
        fn drop(&mut self) {
            self.0.set(Some(state()));
        }
    }
    for by_function in [true, false] {
        let seen = Rc::new(Cell::new(None));
        let looks = Looks(Rc::clone(&seen));
        let scheduler = made(Config::guarded(64 << 10).capacity(2)).unwrap();
        let body = move |fiber: &mut Fiber| {
            let _looks = looks;
            set(UPWARDS);
            match by_function {
                true => fiber::suspend(),
                false => fiber.yield_now(),
            }
        };
        scheduler.spawn_with(Floats::Own, body).unwrap();
        // Its end ends the run, also of one that yields.
        scheduler.spawn(|_| ()).unwrap().join().unwrap();
        set(TOWARDS_ZERO);
        drop(scheduler);
        assert_eq!(state(), TOWARDS_ZERO);
        assert_eq!(
            seen.get(),
            Some(UPWARDS),
            "the state of what is unwound is its own"
        );
        set(DEFAULT);
    }
}
