//! What a generator promises, one promise a test.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;
mod ended;
mod packed;

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use fiber::{Config, Generator, Giver, SpawnError, Step};

use common::{Log, Said, roomy};
use ended::ends_saying;
use packed::{made, packed};

/// A log, and a value that says in it when it is dropped.
fn counter() -> (Log, Said) {
    let drops = Log::default();
    (Rc::clone(&drops), Said("dropped", drops))
}

#[test]
fn values_pass_both_ways_whatever_their_size() {
    let scheduler = roomy();
    let mut echo = scheduler
        .generator(|giver: &mut Giver<[u64; 40], String>, mut input| {
            while input[0] != 0 {
                input = giver.give(format!("{}", input.iter().sum::<u64>()));
            }
            input[39]
        })
        .unwrap();
    assert_eq!(echo.resume([1; 40]), Step::Gave("40".into()));
    assert_eq!(echo.resume([2; 40]), Step::Gave("80".into()));
    let mut last = [0; 40];
    last[39] = 7;
    assert!(!echo.is_over());
    assert_eq!(echo.resume(last), Step::Ended(7));
    assert!(echo.is_over());
    assert_eq!(scheduler.live(), 0);
}

#[test]
fn values_that_need_a_drop_are_dropped_once() {
    let scheduler = roomy();
    let (drops, first) = counter();
    let mut passes = scheduler
        .generator(|giver, mut value: Said| {
            for _ in 0..3 {
                value = giver.give(value);
            }
            value
        })
        .unwrap();
    let mut value = first;
    for _ in 0..3 {
        value = passes.resume(value).gave().unwrap();
    }
    let Step::Ended(value) = passes.resume(value) else {
        panic!("it gave a fourth value");
    };
    assert_eq!(drops.borrow().len(), 0);
    drop((value, passes));
    assert_eq!(drops.borrow().len(), 1);
}

#[test]
fn one_that_takes_nothing_is_an_iterator_and_its_slot_is_used_again() {
    let scheduler = made(Config::guarded(16 << 10).capacity(1)).unwrap();
    for round in 0..100_u64 {
        let evens =
            scheduler.generator(move |giver, ()| (0..5).for_each(|n| giver.give(round + n)));
        assert_eq!(evens.unwrap().sum::<u64>(), 5 * round + 10);
    }
    let mut empty = scheduler.generator(|_: &mut Giver<(), u8>, ()| ()).unwrap();
    assert_eq!((empty.next(), empty.next()), (None, None));
}

#[test]
fn dropped_before_its_end_it_is_unwound() {
    let scheduler = roomy();
    let (drops, held) = counter();
    let mut ones = scheduler
        .generator(move |giver, ()| {
            let _held = held;
            loop {
                giver.give(1);
            }
        })
        .unwrap();
    let _: Step<i32, ()> = ones.resume(());
    assert_eq!(drops.borrow().len(), 0);
    drop(ones);
    assert_eq!(drops.borrow().len(), 1);
}

#[test]
fn never_resumed_it_drops_what_it_captures() {
    let scheduler = roomy();
    let (drops, held) = counter();
    let unused = scheduler.generator(move |giver: &mut Giver<(), ()>, ()| {
        let _held = &held;
        giver.give(());
    });
    drop(unused);
    assert_eq!(drops.borrow().len(), 1);
}

#[test]
fn a_scheduler_that_is_dropped_first_unwinds_it() {
    let (drops, held) = counter();
    let scheduler = roomy();
    let mut ones = scheduler
        .generator(move |giver, ()| {
            let _held = &held;
            giver.give(1);
        })
        .unwrap();
    assert_eq!(ones.next(), Some(1));
    drop(scheduler);
    assert_eq!(drops.borrow().len(), 1);
    assert!(ones.is_over());
    assert_eq!(ones.next(), None);
    let refused = catch_unwind(AssertUnwindSafe(|| ones.resume(())));
    let said = refused.unwrap_err();
    assert!(said.downcast_ref::<&str>().unwrap().contains("was dropped"));
}

#[test]
fn a_panic_reaches_who_resumes_and_the_slot_is_free_again() {
    let scheduler = made(Config::guarded(16 << 10).capacity(1)).unwrap();
    for _ in 0..3 {
        let mut bad: Generator<(), u8> = scheduler
            .generator(|giver, ()| {
                giver.give(1);
                std::panic::resume_unwind(Box::new("went wrong"));
            })
            .unwrap();
        assert_eq!(bad.next(), Some(1));
        let thrown = catch_unwind(AssertUnwindSafe(|| bad.next())).unwrap_err();
        assert_eq!(thrown.downcast_ref(), Some(&"went wrong"));
        assert!(bad.is_over());
        let again = catch_unwind(AssertUnwindSafe(|| bad.resume(()))).unwrap_err();
        let said = again.downcast_ref::<&str>().unwrap();
        assert!(said.contains("has ended"), "{said}");
    }
}

#[test]
fn it_yields_suspends_and_joins_as_the_fiber_that_resumes_it() {
    let scheduler = roomy();
    let order = Rc::new(RefCell::new(Vec::new()));
    for who in 0..2 {
        let order = Rc::clone(&order);
        let body = move |fiber: &mut fiber::Fiber| {
            let me = fiber::current();
            let steps = fiber::generator(move |giver, ()| {
                for step in 0..2 {
                    assert_eq!(fiber::current(), me);
                    fiber::yield_now();
                    let child = fiber::spawn(move |_| step * 10).unwrap();
                    giver.give(child.join().unwrap() + who);
                }
            })
            .unwrap();
            for value in steps {
                order.borrow_mut().push(value);
                fiber.yield_now();
            }
        };
        scheduler.spawn(body).unwrap();
    }
    assert_eq!(scheduler.run(), 0);
    assert_eq!(*order.borrow(), [0, 1, 10, 11]);
}

#[test]
fn fibers_resume_one_in_turn() {
    let scheduler = roomy();
    let numbers = scheduler.generator(|giver, ()| (0..6_u32).for_each(|n| giver.give(n)));
    let numbers = Rc::new(RefCell::new(numbers.unwrap()));
    let takers = [0, 1].map(|_| {
        let numbers = Rc::clone(&numbers);
        let body = move |fiber: &mut fiber::Fiber| {
            let mut own = Vec::new();
            for _ in 0..3 {
                own.extend(numbers.borrow_mut().next());
                fiber.yield_now();
            }
            own
        };
        scheduler.spawn(body).unwrap()
    });
    let taken = takers.map(|taker| taker.join().unwrap());
    assert_eq!(taken, [[0, 2, 4], [1, 3, 5]]);
}

#[test]
fn with_its_fiber_it_is_unwound_from_where_that_yielded_in_it() {
    let scheduler = roomy();
    let (drops, held) = counter();
    let (outer, outer_held) = counter();
    let body = move |_: &mut fiber::Fiber| {
        let _outer_held = outer_held;
        let mut stuck = fiber::generator(move |giver: &mut Giver<(), ()>, ()| {
            let _held = held;
            fiber::suspend();
            giver.give(());
        })
        .unwrap();
        stuck.resume(());
    };
    scheduler.spawn(body).unwrap();
    assert_eq!(scheduler.run(), 1);
    assert_eq!((drops.borrow().len(), outer.borrow().len()), (0, 0));
    drop(scheduler);
    assert_eq!((drops.borrow().len(), outer.borrow().len()), (1, 1));
}

#[test]
fn generators_feed_generators() {
    let scheduler = roomy();
    let mut numbers = scheduler.generator(|giver, ()| (1..=10_u64).for_each(|n| giver.give(n)));
    for _ in 0..3 {
        let source = numbers.unwrap();
        numbers = scheduler.generator(move |giver, ()| {
            for number in source {
                giver.give(number * 2);
            }
        });
    }
    assert_eq!(numbers.unwrap().sum::<u64>(), 55 * 8);
}

#[test]
fn in_a_fiber_of_another_scheduler_it_is_outside_any() {
    let (own, other) = (roomy(), roomy());
    let mut ids = own
        .generator(|giver, ()| {
            let inside = catch_unwind(fiber::current);
            giver.give(inside.is_ok());
        })
        .unwrap();
    let asks = other.spawn(move |fiber| {
        let me = fiber.id();
        let inside = ids.next();
        drop(ids);
        (inside, fiber::current() == me)
    });
    assert_eq!(asks.unwrap().join().unwrap(), (Some(false), true));
}

#[test]
fn schedulers_whose_generators_resume_each_other_come_back_to_both() {
    let (one, two) = (roomy(), roomy());
    let mut inner = one.generator(|giver, ()| giver.give(3)).unwrap();
    let mut middle = two
        .generator(move |giver, ()| giver.give(inner.next().unwrap() + 4))
        .unwrap();
    let mut outer = one
        .generator(move |giver, ()| giver.give(middle.next().unwrap() + 5))
        .unwrap();
    assert_eq!(outer.next(), Some(12));
    drop(outer);
    let joined = one.spawn(|fiber| fiber.yield_now()).unwrap().join();
    joined.unwrap();
}

#[test]
fn where_it_could_not_be_unwound_there_is_none() {
    let scheduler = made(packed(8 << 10)).unwrap();
    let refused = scheduler.generator(|giver, ()| giver.give(1));
    let Err(refused) = refused else {
        panic!("a generator on a stack too small to unwind");
    };
    assert!(matches!(refused, SpawnError::NoGenerator));
    assert!(refused.to_string().contains("Config::guarded(16384)"));
    assert!(matches!(
        fiber::generator(|giver, ()| giver.give(1)),
        Err(SpawnError::Outside)
    ));
}

#[test]
fn one_that_catches_its_unwinding_ends_all_the_same() {
    let scheduler = roomy();
    let mut stubborn = scheduler
        .generator(|giver: &mut Giver<(), u8>, ()| {
            let _ = catch_unwind(AssertUnwindSafe(|| giver.give(1)));
            String::from("a result that nobody takes")
        })
        .unwrap();
    assert_eq!(stubborn.resume(()), Step::Gave(1));
    drop(stubborn);
    let after = scheduler.generator(|giver, ()| giver.give(2)).unwrap();
    assert_eq!(after.last(), Some(2));
}

#[test]
fn to_give_while_it_is_unwound_ends_the_program() {
    ends_saying("gave a value while it was unwound", || {
        let scheduler = roomy();
        let mut stubborn = scheduler
            .generator(|giver: &mut Giver<(), u8>, ()| {
                loop {
                    let _ = catch_unwind(AssertUnwindSafe(|| giver.give(1)));
                }
            })
            .unwrap();
        let _: Step<u8, ()> = stubborn.resume(());
        drop(stubborn);
    });
}

#[test]
fn an_overflow_of_its_stack_is_named_where_no_scheduler_runs() {
    #[expect(unconditional_recursion, reason = "an overflow")]
    fn deep(of: [u8; 512]) -> u8 {
        std::hint::black_box(deep(std::hint::black_box(of)))
    }
    ends_saying("overflowed its guarded stack", || {
        let scheduler = roomy();
        let mut one = scheduler.generator(|giver, ()| giver.give(deep([0; 512])));
        one.as_mut().unwrap().resume(());
    });
}
