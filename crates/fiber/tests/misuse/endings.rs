//! Deep drops, huge values, overflows and panics.

use fiber::{Config, Fiber, JoinError, Scheduler, SpawnError, scope};

use super::{AtEnd, Deed, deep, list, runs, with};

const DEEP: usize = 100_000;
const OVERFLOWED: &str = "fiber 1 overflowed its guarded stack of 65536 bytes";
const RESULT: &str = "what fiber 1 returned overflowed the stack";

pub(super) const WORKS: &[(&str, Deed)] = &[
    ("a closure larger than the stack", |scheduler| {
        let large = [1_u8; 128 << 10];
        let made = scheduler.spawn(move |_| large[9]);
        assert!(matches!(made, Err(SpawnError::TooLarge { .. })));
    }),
    ("a result larger than the stack", |scheduler| {
        let made = scheduler.spawn(|_| [1_u8; 128 << 10]);
        assert!(matches!(made, Err(SpawnError::TooLarge { .. })));
    }),
    ("a result aligned to more than the stack", |scheduler| {
        #[repr(align(65536))]
        struct Aligned(#[expect(dead_code, reason = "has a size")] u8);
        let made = scheduler.spawn(|_| Aligned(1));
        assert!(matches!(made, Err(SpawnError::TooLarge { .. })));
    }),
    ("a result as deep as its fiber had room for", |_| {
        scope(Config::guarded(8 << 20), |scheduler| {
            drop(scheduler.spawn(|_| list(10_000)).unwrap());
            assert_eq!((scheduler.run(), scheduler.live()), (0, 0));
        })
        .unwrap();
    }),
    ("a payload that panics when it is dropped", |scheduler| {
        beside(scheduler, |_| {
            std::panic::panic_any(AtEnd(|| panic!("a payload")))
        })
    }),
    (
        "a destructor that yields while a panic unwinds, beside another panic",
        |scheduler| {
            let panics = |fiber: &mut Fiber| {
                let _yields = AtEnd(fiber::yield_now);
                fiber.yield_now();
                panic!("on purpose");
            };
            let both = [(); 2].map(|()| scheduler.spawn(panics).unwrap());
            for handle in both {
                let ended: Result<(), JoinError> = handle.join();
                assert_eq!(ended.unwrap_err().message(), Some("on purpose"));
            }
        },
    ),
];

pub(super) const SAYS: &[(&str, &str, Deed)] = &[
    ("a deep recursion", OVERFLOWED, |scheduler| {
        beside(scheduler, |_| deep(0))
    }),
    ("a deep recursion after a yield", OVERFLOWED, |scheduler| {
        beside(scheduler, |fiber| {
            fiber.yield_now();
            deep(0)
        })
    }),
    (
        "a deep recursion on the smallest stack",
        "fiber 0 overflowed its guarded stack of 4096",
        |_| {
            scope(Config::guarded(4 << 10), |scheduler| {
                runs(scheduler, |_| deep(0));
            })
            .unwrap();
        },
    ),
    (
        "a deep recursion two schedulers down",
        "fiber 0 overflowed its guarded stack",
        |scheduler| {
            beside(scheduler, |_| {
                with(|inner| inner.spawn(|_| deep(0)).unwrap().join().unwrap())
            })
        },
    ),
    (
        "a deep recursion in what a thread-local is made with",
        "fiber 1 overflowed",
        |scheduler| {
            thread_local!(static DEEP: u64 = deep(0));
            beside(scheduler, |_| DEEP.with(|deep| *deep));
        },
    ),
    ("a local larger than the stack", OVERFLOWED, |scheduler| {
        beside(scheduler, |_| std::hint::black_box([1_u8; 1 << 20])[7])
    }),
    ("a deep result that nobody joins", RESULT, |scheduler| {
        beside(scheduler, |_| list(DEEP))
    }),
    (
        "a result whose destructor recurses and that nobody joins",
        RESULT,
        |scheduler| beside(scheduler, |_| AtEnd(|| assert_eq!(deep(0), 0))),
    ),
    (
        "a deep panic payload that nobody joins",
        RESULT,
        |scheduler| {
            beside(scheduler, |_| {
                std::panic::resume_unwind(Box::new(list(DEEP)))
            })
        },
    ),
    (
        "a deep result that its fiber drops",
        OVERFLOWED,
        |scheduler| beside(scheduler, |_| drop(list(DEEP))),
    ),
    (
        "a deep result that another fiber drops",
        OVERFLOWED,
        |scheduler| {
            beside(scheduler, |_| {
                let deep = fiber::spawn(|_| list(DEEP)).unwrap();
                drop(deep.join().unwrap());
            })
        },
    ),
    (
        "a handle to a deep result that another fiber drops",
        OVERFLOWED,
        |scheduler| {
            beside(scheduler, |fiber| {
                let deep = fiber::spawn(|_| list(DEEP)).unwrap();
                fiber.yield_now();
                fiber.yield_now();
                assert!(deep.is_finished());
                drop(deep);
            })
        },
    ),
    (
        "a deep local that is unwound with its scheduler",
        OVERFLOWED,
        |scheduler| {
            beside(scheduler, |fiber| {
                let _deep = list(DEEP);
                fiber.suspend();
            })
        },
    ),
    (
        "a deep local that is unwound by a panic",
        OVERFLOWED,
        |scheduler| {
            beside(scheduler, |_| {
                let _deep = list(DEEP);
                std::panic::resume_unwind(Box::new(1_u8));
            })
        },
    ),
    (
        "a deep closure that a scheduler within a fiber drops",
        OVERFLOWED,
        |scheduler| {
            beside(scheduler, |_| {
                with(|inner| {
                    let deep = list(DEEP);
                    inner.spawn(move |_| drop(deep)).map(drop).unwrap();
                });
            })
        },
    ),
    (
        "a deep result that a scheduler within a destructor drops",
        "overflowed",
        |scheduler| {
            beside(scheduler, |_| {
                AtEnd(|| with(|inner| drop(inner.spawn(|_| list(DEEP)).unwrap().join())))
            })
        },
    ),
    (
        "a panic on the smallest stack",
        "fiber 0 panicked in a stack of 4096 bytes",
        |_| {
            scope(Config::guarded(4 << 10), |scheduler| {
                runs(scheduler, |_| panic!("small"));
            })
            .unwrap();
        },
    ),
    (
        "a panic in a destructor while a panic unwinds",
        "fiber 1 cannot go on unwinding",
        |scheduler| {
            beside(scheduler, |_| {
                let _again = AtEnd(|| panic!("again"));
                panic!("once");
            })
        },
    ),
    (
        "a panic in a destructor while the scheduler goes",
        "fiber 1 panicked while it was unwound",
        |scheduler| {
            beside(scheduler, |fiber| {
                let _panics = AtEnd(|| panic!("a destructor"));
                fiber.suspend();
            })
        },
    ),
    (
        "a panic through a function that must not unwind",
        "fiber 1 cannot go on unwinding",
        |scheduler| {
            extern "C" fn closed() {
                panic!("inside");
            }
            beside(scheduler, |_| closed());
        },
    ),
];

pub(super) const EITHER: &[(&str, &str, Deed)] = &[
    (
        "a result of 2,800 boxes that nobody joins",
        RESULT,
        |scheduler| beside(scheduler, |_| list(2_800)),
    ),
    ("a result of half of the stack", OVERFLOWED, |scheduler| {
        beside(scheduler, |_| [1_u8; 32 << 10])
    }),
    ("a result of nearly the stack", OVERFLOWED, |scheduler| {
        beside(scheduler, |_| [1_u8; 63 << 10])
    }),
    ("a closure of half of the stack", OVERFLOWED, |scheduler| {
        let large = [3_u8; 30 << 10];
        beside(scheduler, move |_| large[1]);
    }),
    (
        "a result aligned to a page",
        "fiber 0 overflowed its guarded stack of 65536 bytes",
        |scheduler| {
            #[repr(align(4096))]
            struct Aligned(u8);
            let aligned = scheduler.spawn(|_| Aligned(5)).unwrap().join().unwrap();
            assert_eq!((aligned.0, (&raw const aligned).addr() % 4_096), (5, 0));
        },
    ),
];

/// Runs a fiber that nobody joins between two others, whose locals must stay as they are.
fn beside<T: 'static>(scheduler: &Scheduler, body: impl FnOnce(&mut Fiber) -> T + 'static) {
    let watch = || {
        let looks = |fiber: &mut Fiber| {
            let words = std::hint::black_box([0x5AFE_u64; 1_024]);
            (0..8).for_each(|_| fiber.yield_now());
            words.iter().all(|word| *word == 0x5AFE)
        };
        scheduler.spawn(looks).unwrap()
    };
    let below = watch();
    drop(scheduler.spawn(body).unwrap());
    let above = watch();
    assert!(
        below.join().unwrap() && above.join().unwrap(),
        "locals of others changed"
    );
}
