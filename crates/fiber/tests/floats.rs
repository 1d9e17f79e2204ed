//! Floating-point control state: one for all, and one's own for those who ask.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![cfg(target_arch = "x86_64")]

use std::arch::asm;

use fiber::{Config, Fiber, Floats, Scheduler};

const DEFAULT: u32 = 0x1F80;
const TOWARDS_ZERO: u32 = DEFAULT | 0x6000;
const UPWARDS: u32 = DEFAULT | 0x4000;

fn mxcsr() -> u32 {
    let mut word = 0_u32;
    // SAFETY: stores into the local.
    unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut word) };
    word & !0x3F
}

fn set_mxcsr(word: u32) {
    // SAFETY: a valid state; each test runs on a kernel thread of its own.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const word) };
}

/// Sets a rounding mode, and counts how often it was found again after a yield.
fn keeps(word: u32, by_function: bool) -> impl FnOnce(&mut Fiber) -> usize {
    move |fiber| {
        set_mxcsr(word);
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
            mxcsr() == word
        });
        kept.count()
    }
}

#[test]
fn fibers_that_ask_keep_their_rounding_and_the_others_never_see_it() {
    for config in [Config::packed(8_192), Config::guarded(65_536)] {
        let scheduler = Scheduler::new(config.capacity(64)).unwrap();
        let plain = || {
            let body = |fiber: &mut Fiber| {
                (0..40)
                    .filter(|_| {
                        fiber.yield_now();
                        mxcsr() == DEFAULT
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
        assert_eq!(mxcsr(), DEFAULT);
    }
}
