//! Thread-locals, other threads, and the end of the kernel thread.

use std::cell::{Cell, RefCell};
use std::panic::catch_unwind;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use fiber::{Config, Fiber, FiberId, JoinError, JoinHandle, Scheduler, SpawnError, scope};

use super::{AtEnd, Deed, roomy, runs, with};

/// Is alive until it is dropped.
struct Alive(Cell<u64>);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.set(0);
    }
}

const ALIVE: u64 = 0xA11E;

thread_local! {
    static FIRST: Alive = const { Alive(Cell::new(ALIVE)) };
    static SECOND: Alive = made();
    static KEPT: RefCell<Option<JoinHandle<u64>>> = const { RefCell::new(None) };
    static SHARED: RefCell<u64> = const { RefCell::new(0) };
}

/// What no compiler computes ahead, so that the thread-local is made when it is first used.
fn made() -> Alive {
    Alive(Cell::new(std::hint::black_box(ALIVE)))
}

pub(super) const WORKS: &[(&str, Deed)] = &[
    (
        "thread-locals that fibers made first, at the end of their scope",
        |_| {
            with_on_a_thread(|scheduler| {
                (0..8).for_each(|_| drop(scheduler.spawn(looks_when_unwound).unwrap()));
                assert_eq!(scheduler.run(), 8);
            });
        },
    ),
    (
        "a fiber stopped in a thread-local when the thread panics",
        |_| {
            let ended = thread::spawn(|| {
                with(|scheduler| {
                    runs(scheduler, looks_when_unwound);
                    std::panic::resume_unwind(Box::new(1_u8));
                })
            });
            assert!(ended.join().is_err());
        },
    ),
    (
        "a thread-local lent to a thread by a fiber that is dropped",
        |_| {
            static SEEN: AtomicBool = AtomicBool::new(false);
            with_on_a_thread(|scheduler| {
                let lends = |fiber: &mut Fiber| {
                    thread_local!(static LENT: Vec<u64> = vec![ALIVE; 64]);
                    LENT.with(|lent| {
                        thread::scope(|threads| {
                            threads.spawn(|| {
                                thread::sleep(std::time::Duration::from_millis(20));
                                SEEN.store(
                                    lent.iter().all(|word| *word == ALIVE),
                                    Ordering::Relaxed,
                                );
                            });
                            fiber.suspend();
                        })
                    });
                };
                runs(scheduler, lends);
            });
            assert!(SEEN.load(Ordering::Relaxed));
        },
    ),
    ("a local lent to a thread over yields", |scheduler| {
        let lends = |fiber: &mut Fiber| {
            let (words, done) = ([ALIVE; 64], AtomicBool::new(false));
            thread::scope(|threads| {
                let reader = threads.spawn(|| {
                    while !done.load(Ordering::Acquire) {
                        assert!(
                            std::hint::black_box(&words)
                                .iter()
                                .all(|word| *word == ALIVE)
                        );
                    }
                });
                (0..100).for_each(|_| fiber.yield_now());
                done.store(true, Ordering::Release);
                reader.join().unwrap();
            });
        };
        let lender = scheduler.spawn(lends).unwrap();
        let uses_stack = |fiber: &mut Fiber| {
            (0..100).for_each(|_| {
                std::hint::black_box([1_u8; 16 << 10]);
                fiber.yield_now();
            })
        };
        scheduler.spawn(uses_stack).unwrap();
        lender.join().unwrap();
    }),
    ("a handle in a thread-local after its scope", |_| {
        with_on_a_thread(|scheduler| KEPT.set(Some(scheduler.spawn(|_| 7).unwrap())))
    }),
    (
        "a handle from a thread-local joined after its scope",
        |_| {
            with(|scheduler| KEPT.set(Some(scheduler.spawn(|_| 7).unwrap())));
            let kept = KEPT.take().unwrap();
            assert!(kept.is_finished());
            assert!(matches!(kept.join(), Err(JoinError::Dropped)));
        },
    ),
    ("a scheduler in the destructor of a thread-local", |_| {
        thread_local!(static LAST: AtEnd<fn()> = AtEnd(|| with(|scheduler| {
            scheduler.spawn(Fiber::suspend).unwrap();
            assert_eq!(scheduler.spawn(|_| 4).unwrap().join().unwrap(), 4);
        })));
        on_a_thread(|| LAST.with(|_| ()));
    }),
    (
        "functions of fibers in the destructor of a thread-local",
        |_| {
            thread_local!(static LAST: AtEnd<fn()> = AtEnd(|| {
                assert!(matches!(fiber::spawn(|_| ()), Err(SpawnError::Outside)));
                assert!(catch_unwind(fiber::yield_now).is_err());
            }));
            on_a_thread(|| LAST.with(|_| with(|scheduler| assert_eq!(scheduler.run(), 0))));
        },
    ),
    ("a borrow of a thread-local over a yield", |scheduler| {
        scheduler
            .spawn(|fiber| SHARED.with_borrow_mut(|_| fiber.yield_now()))
            .unwrap();
        let other = scheduler.spawn(|_| SHARED.with(|shared| shared.try_borrow().is_err()));
        assert!(other.unwrap().join().unwrap());
    }),
    (
        "a borrow of a thread-local that panics in another fiber",
        |scheduler| {
            scheduler
                .spawn(|fiber| SHARED.with_borrow_mut(|_| fiber.yield_now()))
                .unwrap();
            let other = scheduler.spawn(|_| SHARED.with_borrow_mut(|shared| *shared += 1));
            assert!(matches!(other.unwrap().join(), Err(JoinError::Panicked(_))));
            assert_eq!(scheduler.run(), 0);
        },
    ),
    ("a program that ends in a fiber", ends_in_a_fiber),
    ("a program that ends in a scope", |scheduler| {
        runs(scheduler, looks_when_unwound);
        std::process::exit(0);
    }),
    ("a program that ends in a fiber of another thread", |_| {
        with_on_a_thread(ends_in_a_fiber)
    }),
    ("an awakening from another thread", |scheduler| {
        let id = scheduler.spawn(Fiber::suspend).unwrap().id();
        scheduler.run();
        let awakens = move || {
            (
                catch_unwind(|| fiber::awaken(id)).is_err(),
                with(|own| own.awaken(id)),
            )
        };
        assert_eq!(thread::spawn(awakens).join().unwrap(), (true, false));
        assert_eq!(scheduler.run(), 1);
    }),
    ("fibers on a thread with a small stack", |_| {
        let work = || with(|scheduler| scheduler.spawn(|_| 3).unwrap().join().unwrap());
        let thread = thread::Builder::new()
            .stack_size(64 << 10)
            .spawn(work)
            .unwrap();
        assert_eq!(thread.join().unwrap(), 3);
    }),
    ("the functions of fibers outside any", |_| {
        assert!(catch_unwind(fiber::yield_now).is_err());
        assert!(catch_unwind(fiber::suspend).is_err());
        assert!(catch_unwind(fiber::current).is_err());
        assert!(catch_unwind(|| fiber::awaken_all(&[])).is_err());
        with(|_| assert!(catch_unwind(fiber::yield_now).is_err()));
    }),
    (
        "a lock held over a yield by a fiber that is dropped",
        |_| {
            static LOCK: std::sync::Mutex<u64> = std::sync::Mutex::new(1);
            with(|scheduler| {
                let holds = |fiber: &mut Fiber| {
                    let _held = LOCK.lock().unwrap();
                    fiber.suspend();
                };
                runs(scheduler, holds);
                assert!(LOCK.try_lock().is_err());
            });
            assert!(LOCK.try_lock().is_ok() || LOCK.is_poisoned());
        },
    ),
    (
        "a thread for each fiber, all joined by their drop",
        |scheduler| {
            let joined = Rc::new(Cell::new(0));
            for _ in 0..8 {
                let joined = Rc::clone(&joined);
                let holds = move |fiber: &mut Fiber| {
                    let mut thread = Some(thread::spawn(|| ()));
                    let _joins = AtEnd(|| {
                        thread.take().unwrap().join().unwrap();
                        joined.set(joined.get() + 1);
                    });
                    fiber.suspend();
                };
                scheduler.spawn(holds).unwrap();
            }
            assert_eq!(scheduler.run(), 8);
        },
    ),
    ("an id kept beyond its scheduler", |_| {
        let id: FiberId = with(|scheduler| scheduler.spawn(Fiber::suspend).unwrap().id());
        with(|other| {
            runs(other, Fiber::suspend);
            assert!(!other.awaken(id));
            assert_eq!(other.awaken_all(&[id, id]), 0);
        });
    }),
    ("many threads that make and drop schedulers", |_| {
        let all: Vec<_> = (0..8)
            .map(|_| {
                thread::spawn(|| {
                    (0..50).for_each(|_| {
                        scope(roomy(), |scheduler| {
                            runs(scheduler, looks_when_unwound);
                        })
                        .unwrap();
                    })
                })
            })
            .collect();
        all.into_iter().for_each(|thread| thread.join().unwrap());
    }),
];

pub(super) const SAYS: &[(&str, &str, Deed)] = &[
    (
        "an overflow in the destructor of a thread-local",
        "fiber 0 overflowed",
        |_| {
            thread_local!(static LAST: AtEnd<fn()> = AtEnd(|| with(|scheduler| {
                runs(scheduler, |_| super::deep(0));
            })));
            on_a_thread(|| {
                with(|scheduler| scheduler.run());
                LAST.with(|_| ());
            });
        },
    ),
    (
        "the smallest stack kept in a thread-local's borrow",
        "fiber 0 has not ended and its scheduler is dropped, but its stack of 8192 bytes",
        |_| {
            scope(Config::guarded(8 << 10), |scheduler| {
                scheduler
                    .spawn(|fiber| FIRST.with(|_| fiber.suspend()))
                    .unwrap();
                scheduler.run();
            })
            .unwrap();
        },
    ),
];

fn on_a_thread(body: impl FnOnce() + Send + 'static) {
    thread::spawn(body).join().unwrap();
}

fn with_on_a_thread(body: Deed) {
    on_a_thread(move || with(body));
}

fn ends_in_a_fiber(scheduler: &Scheduler) {
    scheduler.spawn(looks_when_unwound).unwrap();
    scheduler.spawn(|_| std::process::exit(0)).unwrap();
    scheduler.run();
    unreachable!("it has ended");
}

/// Stops while it has borrowed two thread-locals, and looks at both when it is unwound.
fn looks_when_unwound(fiber: &mut Fiber) {
    FIRST.with(|first| {
        SECOND.with(|second| {
            let _looks = AtEnd(|| assert_eq!((first.0.get(), second.0.get()), (ALIVE, ALIVE)));
            fiber.suspend();
        })
    });
}
