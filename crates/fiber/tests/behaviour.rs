//! What a scheduler promises, one promise a test.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;
mod packed;

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use fiber::{Config, ConfigError, Fiber, FiberId, JoinError, JoinHandle, SpawnError};

use common::{Log, Said, roomy};
use packed::{made, packed};

#[test]
fn results_arrive_whatever_their_size() {
    let scheduler = roomy();
    let unit = scheduler.spawn(|_| ()).unwrap();
    let text = scheduler.spawn(|_| String::from("a string")).unwrap();
    let large = scheduler.spawn(|_| [7_u64; 200]).unwrap();
    #[repr(align(64))]
    struct Aligned(u8);
    let aligned = scheduler.spawn(|_| Aligned(9)).unwrap();
    unit.join().unwrap();
    assert_eq!(text.join().unwrap(), "a string");
    assert_eq!(large.join().unwrap(), [7; 200]);
    assert_eq!(aligned.join().unwrap().0, 9);
}

#[test]
fn flows_take_turns_in_the_order_in_which_they_were_made() {
    for config in [packed(1_024), Config::guarded(16 << 10)] {
        let scheduler = made(config).unwrap();
        let order = Rc::new(RefCell::new(Vec::new()));
        for who in 0..3 {
            let order = Rc::clone(&order);
            let body = move |fiber: &mut Fiber| {
                for _ in 0..3 {
                    order.borrow_mut().push(who);
                    fiber.yield_now();
                }
            };
            scheduler.spawn(body).unwrap();
        }
        assert_eq!(scheduler.run(), 0);
        assert_eq!(*order.borrow(), [0, 1, 2, 0, 1, 2, 0, 1, 2]);
    }
}

#[test]
fn a_panic_is_delivered_at_join_and_the_others_go_on() {
    let scheduler = roomy();
    let bad = scheduler.spawn(|fiber| {
        fiber.yield_now();
        std::panic::resume_unwind(Box::new("went wrong"))
    });
    let good = scheduler.spawn(|fiber| {
        (0..5).for_each(|_| fiber.yield_now());
        5
    });
    let bad: Result<(), JoinError> = bad.unwrap().join();
    assert_eq!(bad.unwrap_err().message(), Some("went wrong"));
    assert_eq!(good.unwrap().join().unwrap(), 5);
}

#[test]
fn unwinding_stays_within_a_fiber() {
    let scheduler = roomy();
    let log = Log::default();
    let inside = Rc::clone(&log);
    let fiber = scheduler.spawn(move |fiber| {
        let caught = catch_unwind(AssertUnwindSafe(|| {
            let _said = Said("unwound", Rc::clone(&inside));
            fiber.yield_now();
            std::panic::resume_unwind(Box::new(41_u8));
        }));
        fiber.yield_now();
        *caught.unwrap_err().downcast::<u8>().unwrap() + 1
    });
    assert_eq!(fiber.unwrap().join().unwrap(), 42);
    assert_eq!(*log.borrow(), ["unwound"]);
}

#[test]
fn fibers_create_fibers_and_join_them() {
    fn tree(depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let children = [(); 2].map(|()| fiber::spawn(move |_| tree(depth - 1)).unwrap());
        children
            .into_iter()
            .map(|child| child.join().unwrap())
            .sum()
    }
    let scheduler = made(Config::guarded(64 << 10).capacity(600)).unwrap();
    let root = scheduler.spawn(|_| tree(8)).unwrap();
    assert_eq!(root.join().unwrap(), 256);
    assert_eq!(scheduler.live(), 0);
}

#[test]
fn both_ways_to_yield_mix() {
    let scheduler = roomy();
    let flows = [(); 3].map(|()| {
        let body = |fiber: &mut Fiber| {
            let mut yields = 0;
            for _ in 0..50 {
                fiber.yield_now();
                fiber::yield_now();
                let mut lent = fiber.lend();
                fiber::yield_now();
                lent.yield_now();
                yields += 4;
            }
            yields
        };
        scheduler.spawn(body).unwrap()
    });
    for flow in flows {
        assert_eq!(flow.join().unwrap(), 200);
    }
}

#[test]
fn an_awakening_before_the_suspension_is_not_lost() {
    let scheduler = roomy();
    let sleeper = scheduler.spawn(|fiber| {
        fiber.yield_now();
        fiber.suspend();
        fiber.suspend();
        "awake"
    });
    let sleeper = sleeper.unwrap();
    let id = sleeper.id();
    scheduler.spawn(move |_| fiber::awaken(id)).unwrap();
    assert_eq!(scheduler.run(), 1);
    assert!(scheduler.awaken(id));
    assert_eq!(sleeper.join().unwrap(), "awake");
    assert!(!scheduler.awaken(id));
}

#[test]
fn all_that_are_awakened_at_once_go_on_in_that_order() {
    let (scheduler, other) = (roomy(), roomy());
    let order = Rc::new(RefCell::new(Vec::new()));
    let sleepers: Vec<_> = (0..40)
        .map(|who| {
            let order = Rc::clone(&order);
            let body = move |fiber: &mut Fiber| {
                fiber.suspend();
                order.borrow_mut().push(who);
                fiber.suspend();
            };
            scheduler.spawn(body).unwrap()
        })
        .collect();
    assert_eq!(scheduler.run(), 40);
    let mut ids: Vec<FiberId> = sleepers.iter().map(JoinHandle::id).rev().collect();
    // Twice the same is a permit for its next suspension; who ended and who is another's are not
    // counted.
    ids.push(ids[0]);
    let ended = scheduler.spawn(|_| ()).unwrap();
    ids.push(ended.id());
    ended.join().unwrap();
    ids.push(other.spawn(|_| ()).unwrap().id());
    assert_eq!(scheduler.awaken_all(&ids), 41);
    assert_eq!(scheduler.run(), 39);
    assert_eq!(*order.borrow(), (0..40).rev().collect::<Vec<_>>());
    assert_eq!(scheduler.awaken_all(&[]), 0);
    // A fiber can do it too.
    let inside = scheduler.spawn(move |_| fiber::awaken_all(&ids)).unwrap();
    assert_eq!(scheduler.run(), 0);
    assert_eq!(inside.join().unwrap(), 39);
}

#[test]
fn a_join_does_not_swallow_an_awakening() {
    for before in [true, false] {
        let scheduler = roomy();
        let waiter = scheduler.spawn(move |fiber| {
            let id = fiber.id();
            if before {
                assert!(fiber::awaken(id));
            }
            let slow = fiber::spawn(move |fiber| {
                fiber.yield_now();
                if !before {
                    assert!(fiber::awaken(id));
                }
                fiber.yield_now();
                7
            });
            let slow = slow.unwrap().join().unwrap();
            fiber.suspend();
            slow
        });
        assert_eq!(waiter.unwrap().join().unwrap(), 7);
    }
}

#[test]
fn a_fiber_that_joins_goes_on_at_the_end_alone() {
    let scheduler = roomy();
    let log = Log::default();
    let (inside, outside) = (Rc::clone(&log), Rc::clone(&log));
    let slow = scheduler.spawn(move |fiber| {
        fiber.suspend();
        inside.borrow_mut().push("ended");
    });
    let slow = slow.unwrap();
    let slow_id = slow.id();
    let waiter = scheduler.spawn(move |_| {
        slow.join().unwrap();
        outside.borrow_mut().push("joined");
    });
    let waiter = waiter.unwrap();
    assert_eq!(scheduler.run(), 2);
    assert!(scheduler.awaken(waiter.id()));
    assert_eq!(scheduler.run(), 2);
    assert!(log.borrow().is_empty());
    assert!(scheduler.awaken(slow_id));
    waiter.join().unwrap();
    assert_eq!(*log.borrow(), ["ended", "joined"]);
}

#[test]
fn a_fiber_made_between_two_runs_comes_after_one_made_in_the_last_round() {
    let scheduler = roomy();
    let order = Rc::new(RefCell::new(Vec::new()));
    let says = |what| {
        let order = Rc::clone(&order);
        move |_: &mut Fiber| order.borrow_mut().push(what)
    };
    let in_round = says("in the round");
    let maker = scheduler.spawn(move |_| drop(fiber::spawn(in_round)));
    maker.unwrap().join().unwrap();
    scheduler.spawn(says("afterwards")).unwrap();
    scheduler.run();
    assert_eq!(*order.borrow(), ["in the round", "afterwards"]);
}

#[test]
fn a_slot_is_used_again_and_old_ids_do_not_reach_the_new_fiber() {
    let scheduler = made(packed(1_024).capacity(1)).unwrap();
    let first = scheduler.spawn(|_| 1).unwrap();
    let id = first.id();
    let refused = scheduler.spawn(|_| 2);
    assert!(matches!(refused, Err(SpawnError::Full { capacity: 1 })));
    assert_eq!(first.join().unwrap(), 1);
    let second = scheduler.spawn(|_| 2).unwrap();
    assert_ne!(second.id(), id);
    assert!(!scheduler.awaken(id));
    assert_eq!(scheduler.awaken_all(&[id, id]), 0);
    assert_eq!(second.join().unwrap(), 2);
}

#[test]
fn a_result_that_nobody_wants_is_dropped_when_the_fiber_ends() {
    let scheduler = roomy();
    let log = Log::default();
    let said = Said("result", Rc::clone(&log));
    drop(scheduler.spawn(move |fiber| {
        fiber.yield_now();
        said
    }));
    assert!(log.borrow().is_empty());
    scheduler.run();
    assert_eq!(*log.borrow(), ["result"]);
}

#[test]
fn a_dropped_scheduler_drops_what_its_fibers_hold_in_slot_order() {
    let scheduler = roomy();
    let log = Log::default();
    let said = |what| Said(what, Rc::clone(&log));
    let (on_stack, captured, result) = (said("stack"), said("closure"), said("result"));
    let suspended = scheduler.spawn(move |fiber| {
        let _on_stack = on_stack;
        fiber.suspend();
    });
    let done = scheduler.spawn(move |_| result).unwrap();
    let (yielding, joining) = (said("yielding"), said("joining"));
    let yields = scheduler.spawn(move |fiber| {
        let _held = yielding;
        (0..u64::MAX).for_each(|_| fiber.yield_now());
    });
    let joins = scheduler.spawn(move |_| {
        let _held = joining;
        yields.unwrap().join()
    });
    // Its end ends a round in which all of them ran.
    scheduler.spawn(|_| ()).unwrap().join().unwrap();
    assert!(done.is_finished());
    let fresh = scheduler.spawn(move |_| drop(captured));
    assert!(log.borrow().is_empty());
    drop(scheduler);
    let slots = ["stack", "result", "yielding", "joining", "closure"];
    assert_eq!(*log.borrow(), slots);
    assert!(matches!(done.join().map(drop), Err(JoinError::Dropped)));
    assert!(matches!(suspended.unwrap().join(), Err(JoinError::Dropped)));
    drop(joins);
    assert!(fresh.unwrap().is_finished());
}

#[test]
fn small_slots_that_never_end_keep_what_they_hold() {
    let scheduler = made(packed(1_024).capacity(2)).unwrap();
    let log = Log::default();
    let held = Said("held", Rc::clone(&log));
    scheduler
        .spawn(move |fiber| {
            let _held = held;
            fiber.suspend();
        })
        .unwrap();
    assert_eq!(scheduler.run(), 1);
    drop(scheduler);
    assert!(log.borrow().is_empty());
}

#[test]
fn deep_recursion_in_a_guarded_stack() {
    fn depth(n: u64) -> u64 {
        let here = std::hint::black_box([n; 16]);
        if n == 0 {
            0
        } else {
            depth(n - 1) + here[3] / n
        }
    }
    let scheduler = made(Config::guarded(8 << 20).capacity(2)).unwrap();
    let flows = [(); 2].map(|()| scheduler.spawn(|_| depth(8_000)).unwrap());
    for flow in flows {
        assert_eq!(flow.join().unwrap(), 8_000);
    }
}

#[test]
fn a_million_packed_fibers() {
    let scheduler = made(packed(512).capacity(1_000_000)).unwrap();
    let sum = Rc::new(Cell::new(0_u64));
    for who in 0..1_000_000_u64 {
        let sum = Rc::clone(&sum);
        scheduler
            .spawn(move |fiber| {
                fiber.yield_now();
                sum.set(sum.get() + who);
                fiber.yield_now();
            })
            .unwrap();
    }
    assert_eq!(scheduler.run(), 0);
    assert_eq!(sum.get(), 999_999 * 500_000);
}

/// Of guards that take mappings there are 32,750 at the usual limit.
#[test]
fn more_guarded_fibers_than_mappings_would_allow() {
    const FIBERS: u64 = 40_000;
    let scheduler = made(Config::guarded(4 << 10).capacity(FIBERS as usize)).unwrap();
    let sum = Rc::new(Cell::new(0_u64));
    for who in 0..FIBERS {
        let sum = Rc::clone(&sum);
        let made = scheduler.spawn(move |fiber| {
            fiber.yield_now();
            sum.set(sum.get() + who);
        });
        match made {
            // Before Linux 6.13 that is the end, and it is said.
            Err(SpawnError::Guard { by_mapping, .. }) => return assert!(by_mapping),
            made => drop(made.unwrap()),
        }
    }
    assert_eq!(scheduler.run(), 0);
    assert_eq!(sum.get(), FIBERS * (FIBERS - 1) / 2);
}

#[test]
fn many_kernel_threads_have_a_scheduler_each() {
    let flows: Vec<_> = (0..8_u64)
        .map(|thread| {
            std::thread::spawn(move || {
                let scheduler = made(packed(1_024).capacity(100)).unwrap();
                let handles: Vec<_> = (0..100)
                    .map(|who| {
                        let body = move |fiber: &mut Fiber| {
                            (0..100).for_each(|_| fiber.yield_now());
                            thread * 100 + who
                        };
                        scheduler.spawn(body).unwrap()
                    })
                    .collect();
                handles.into_iter().map(|h| h.join().unwrap()).sum::<u64>()
            })
        })
        .collect();
    let sum: u64 = flows.into_iter().map(|flow| flow.join().unwrap()).sum();
    assert_eq!(sum, (0..800).sum());
}

#[test]
fn a_scheduler_within_a_fiber_of_another() {
    let outer = roomy();
    let flow = outer.spawn(|fiber| {
        let inner = made(packed(1_024).capacity(4)).unwrap();
        let flows = [1, 2].map(|n| {
            let body = move |fiber: &mut Fiber| {
                fiber.yield_now();
                n
            };
            inner.spawn(body).unwrap()
        });
        fiber.yield_now();
        let sum: i32 = flows.into_iter().map(|flow| flow.join().unwrap()).sum();
        fiber.yield_now();
        fiber::yield_now();
        sum
    });
    outer
        .spawn(|fiber| (0..9).for_each(|_| fiber.yield_now()))
        .unwrap();
    assert_eq!(flow.unwrap().join().unwrap(), 3);
}

#[test]
#[should_panic(expected = "fiber::yield_now was called outside any fiber")]
fn yield_outside_any_fiber() {
    fiber::yield_now();
}

#[test]
#[should_panic(expected = "fiber::suspend was called outside any fiber")]
fn suspend_after_the_scheduler_ran() {
    let scheduler = roomy();
    scheduler.spawn(|fiber| fiber.yield_now()).unwrap();
    scheduler.run();
    fiber::suspend();
}

#[test]
fn spawn_outside_any_fiber() {
    assert!(matches!(fiber::spawn(|_| ()), Err(SpawnError::Outside)));
}

#[test]
fn sizes_that_will_not_do() {
    let said = |config: Config| made(config).unwrap_err().to_string();
    // The least is what a processor's calls keep.
    let small = said(packed(64));
    assert!(
        small.starts_with("a stack of 64 bytes will not do: at least "),
        "{small}"
    );
    assert!(small.ends_with(", and a multiple of 64"), "{small}");
    assert!(said(packed(1_000)).contains("a multiple of 64"));
    assert!(said(Config::guarded(5_000)).contains("at least 4096, and a multiple of 4096"));
    for bytes in [0, 1, 4_097, usize::MAX] {
        assert!(made(Config::guarded(bytes)).is_err(), "{bytes}");
    }
    for capacity in [0, usize::MAX, 1 << 50] {
        let no =
            [packed(256), Config::guarded(64 << 10)].map(|config| said(config.capacity(capacity)));
        assert!(no.iter().all(|no| no.contains("from 1 to")), "{no:?}");
    }
    let absurd = Config::guarded(usize::MAX / PAGE * PAGE).capacity(2);
    assert!(matches!(made(absurd), Err(ConfigError::TooLarge { .. })));
    let many = Config::guarded(512 << 20).capacity(1 << 35);
    assert!(matches!(made(many), Err(ConfigError::Capacity { .. })));
    let huge = Config::guarded(64 << 20).capacity(4 << 20);
    assert!(matches!(made(huge), Err(ConfigError::Memory { .. })));
}

const PAGE: usize = 4_096;

#[test]
fn a_closure_that_does_not_fit_is_refused() {
    let scheduler = made(packed(256).capacity(1)).unwrap();
    let big = [1_u8; 300];
    let refused = scheduler.spawn(move |_| big.len()).unwrap_err();
    let said = refused.to_string();
    assert!(said.contains("do not fit a stack of 312 bytes"), "{said}");
}

#[test]
fn an_id_awakens_no_fiber_of_another_scheduler() {
    let [first, second] = [(), ()].map(|()| made(Config::guarded(64 << 10)).unwrap());
    let (one, other) = [&first, &second]
        .map(|scheduler| scheduler.spawn(|fiber| fiber.suspend()).unwrap())
        .into();
    assert_ne!(one.id(), other.id());
    assert_eq!((first.run(), second.run()), (1, 1));
    assert!(!second.awaken(one.id()));
    assert_eq!((first.run(), second.run()), (1, 1));
    let id = one.id();
    let inside = second.spawn(move |_| fiber::awaken(id)).unwrap();
    assert!(!inside.join().unwrap());
    assert!(first.awaken(one.id()) && second.awaken(other.id()));
    one.join().unwrap();
    other.join().unwrap();
}

#[test]
fn joining_a_fiber_of_an_outer_scheduler_says_that_it_waits_and_not_that_it_is_stuck() {
    for stops in [Fiber::yield_now, Fiber::suspend] {
        let outer = made(Config::guarded(64 << 10)).unwrap();
        let stopped = outer.spawn(stops).unwrap();
        let asks = outer.spawn(move |_| {
            let inner = made(Config::guarded(64 << 10)).unwrap();
            inner.spawn(move |_| stopped.join()).unwrap().join()
        });
        let said = asks.unwrap().join().unwrap().unwrap();
        assert!(matches!(said, Err(JoinError::Waiting)), "{said:?}");
    }
}

#[test]
fn a_result_on_the_largest_stacks_lands_in_its_own_slot() {
    let scheduler = made(Config::guarded(512 << 20).capacity(300)).unwrap();
    let handles: Vec<_> = (0..300)
        .map(|who| {
            let body = move |fiber: &mut Fiber| {
                fiber.suspend();
                (who, fiber.id().number())
            };
            scheduler.spawn(body).unwrap()
        })
        .collect();
    assert_eq!(scheduler.run(), 300);
    for (who, handle) in handles.into_iter().enumerate() {
        assert!(scheduler.awaken(handle.id()));
        assert_eq!(handle.join().unwrap(), (who, who as u32));
    }
}

#[test]
fn a_stack_larger_than_can_be_addressed_is_refused_with_the_most_that_works() {
    for bytes in [usize::MAX - 4_095, 1 << 40, (1 << 29) + 4_096] {
        let said = made(Config::guarded(bytes)).unwrap_err().to_string();
        assert!(said.contains("at most 536870912"), "{said}");
    }
}
