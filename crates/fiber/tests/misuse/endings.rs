//! Deep drops, huge values, overflows and panics.

use fiber::{Config, Fiber, JoinError, SpawnError, scope};

use super::{AtEnd, Case, Either, Says, Works, deep, list, roomy, with};

const DEEP: usize = 100_000;
const OVERFLOWED: &str = "overflowed its guarded stack of 65536 bytes";
const RESULT: &str = "what fiber 1 returned overflowed the stack";

pub(super) const CASES: &[Case] = &[
    (
        "a deep recursion",
        Says("fiber 1 overflowed its guarded stack"),
        || beside(|_| deep(0)),
    ),
    (
        "a deep recursion after a yield",
        Says("fiber 1 overflowed its guarded stack"),
        || {
            beside(|fiber| {
                fiber.yield_now();
                deep(0)
            });
        },
    ),
    (
        "a deep recursion on the smallest stack",
        Says("fiber 0 overflowed its guarded stack of 4096"),
        || {
            scope(Config::guarded(4 << 10), |scheduler| {
                scheduler.spawn(|_| deep(0)).unwrap();
                scheduler.run();
            })
            .unwrap();
        },
    ),
    (
        "a deep recursion two schedulers down",
        Says("fiber 0 overflowed its guarded stack"),
        || {
            beside(|_| with(|inner| inner.spawn(|_| deep(0)).unwrap().join().unwrap()));
        },
    ),
    (
        "a deep recursion in what a thread-local is made with",
        Says("fiber 1 overflowed"),
        || {
            thread_local!(static DEEP: u64 = deep(0));
            beside(|_| DEEP.with(|deep| *deep));
        },
    ),
    (
        "a local larger than the stack",
        Says("fiber 1 overflowed its guarded stack"),
        || {
            beside(|_| std::hint::black_box([1_u8; 1 << 20])[7]);
        },
    ),
    ("a deep result that nobody joins", Says(RESULT), || {
        beside(|_| list(DEEP))
    }),
    (
        "a result of 2,800 boxes that nobody joins",
        Either(RESULT),
        || beside(|_| list(2_800)),
    ),
    (
        "a result whose destructor recurses and that nobody joins",
        Says(RESULT),
        || {
            beside(|_| AtEnd(|| assert_eq!(deep(0), 0)));
        },
    ),
    (
        "a deep panic payload that nobody joins",
        Says(RESULT),
        || {
            beside(|_| std::panic::resume_unwind(Box::new(list(DEEP))));
        },
    ),
    (
        "a deep result that its fiber drops",
        Says(OVERFLOWED),
        || beside(|_| drop(list(DEEP))),
    ),
    (
        "a deep result that another fiber drops",
        Says(OVERFLOWED),
        || {
            beside(|_| {
                let deep = fiber::spawn(|_| list(DEEP)).unwrap();
                drop(deep.join().unwrap());
            });
        },
    ),
    (
        "a handle to a deep result that another fiber drops",
        Says(OVERFLOWED),
        || {
            beside(|fiber| {
                let deep = fiber::spawn(|_| list(DEEP)).unwrap();
                fiber.yield_now();
                fiber.yield_now();
                assert!(deep.is_finished());
                drop(deep);
            });
        },
    ),
    (
        "a deep local that is unwound with its scheduler",
        Says(OVERFLOWED),
        || {
            beside(|fiber| {
                let _deep = list(DEEP);
                fiber.suspend();
            });
        },
    ),
    (
        "a deep local that is unwound by a panic",
        Says(OVERFLOWED),
        || {
            beside(|_| {
                let _deep = list(DEEP);
                std::panic::resume_unwind(Box::new(1_u8));
            });
        },
    ),
    (
        "a deep closure that a scheduler within a fiber drops",
        Says(OVERFLOWED),
        || {
            beside(|_| {
                with(|inner| {
                    let deep = list(DEEP);
                    inner.spawn(move |_| drop(deep)).map(drop).unwrap();
                });
            });
        },
    ),
    (
        "a deep result that a scheduler within a destructor drops",
        Says("overflowed"),
        || {
            beside(|_| AtEnd(|| with(|inner| drop(inner.spawn(|_| list(DEEP)).unwrap().join()))));
        },
    ),
    ("a closure larger than the stack", Works, || {
        with(|scheduler| {
            let large = [1_u8; 128 << 10];
            let made = scheduler.spawn(move |_| large[9]);
            assert!(matches!(made, Err(SpawnError::TooLarge { .. })));
        });
    }),
    ("a result larger than the stack", Works, || {
        with(|scheduler| {
            let made = scheduler.spawn(|_| [1_u8; 128 << 10]);
            assert!(matches!(made, Err(SpawnError::TooLarge { .. })));
        });
    }),
    ("a result aligned to more than the stack", Works, || {
        #[repr(align(65536))]
        struct Aligned(#[expect(dead_code, reason = "has a size")] u8);
        with(|scheduler| {
            let made = scheduler.spawn(|_| Aligned(1));
            assert!(matches!(made, Err(SpawnError::TooLarge { .. })));
        });
    }),
    ("a result of half of the stack", Either(OVERFLOWED), || {
        beside(|_| [1_u8; 32 << 10])
    }),
    ("a result of nearly the stack", Either(OVERFLOWED), || {
        beside(|_| [1_u8; 63 << 10])
    }),
    ("a closure of half of the stack", Either(OVERFLOWED), || {
        let large = [3_u8; 30 << 10];
        beside(move |_| large[1]);
    }),
    ("a result aligned to a page", Either(OVERFLOWED), || {
        #[repr(align(4096))]
        struct Aligned(u8);
        with(|scheduler| {
            let aligned = scheduler.spawn(|_| Aligned(5)).unwrap().join().unwrap();
            assert_eq!((aligned.0, (&raw const aligned).addr() % 4_096), (5, 0));
        });
    }),
    (
        "a panic on the smallest stack",
        Says("fiber 0 panicked in a stack of 4096 bytes"),
        || {
            scope(Config::guarded(4 << 10), |scheduler| {
                scheduler.spawn(|_| panic!("small")).unwrap();
                scheduler.run();
            })
            .unwrap();
        },
    ),
    (
        "a panic in a destructor while a panic unwinds",
        Says("fiber 1 cannot go on unwinding"),
        || {
            beside(|_| {
                let _again = AtEnd(|| panic!("again"));
                panic!("once");
            });
        },
    ),
    (
        "a panic in a destructor while the scheduler goes",
        Says("fiber 1 panicked while it was unwound"),
        || {
            beside(|fiber| {
                let _panics = AtEnd(|| panic!("a destructor"));
                fiber.suspend();
            });
        },
    ),
    (
        "a panic through a function that must not unwind",
        Says("fiber 1 cannot go on unwinding"),
        || {
            extern "C" fn closed() {
                panic!("inside");
            }
            beside(|_| closed());
        },
    ),
    ("a payload that panics when it is dropped", Works, || {
        beside(|_| std::panic::panic_any(AtEnd(|| panic!("a payload"))));
    }),
    ("a result that panics when it is dropped", Works, || {
        beside(|_| AtEnd(|| panic!("a result")));
    }),
    (
        "a destructor that yields while a panic unwinds, beside another panic",
        Works,
        || {
            with(|scheduler| {
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
            });
        },
    ),
    ("a panic of the body of a scope", Works, || {
        let ended = std::panic::catch_unwind(|| {
            with(|scheduler| {
                scheduler.spawn(Fiber::suspend).unwrap();
                scheduler.run();
                panic!("the body");
            })
        });
        assert!(ended.is_err());
    }),
    ("stacks that cannot be", Works, || {
        for bytes in [0, 1, 4_097, usize::MAX, usize::MAX & !4_095, 1 << 40] {
            assert!(scope(Config::guarded(bytes), |_| ()).is_err(), "{bytes}");
        }
        for capacity in [0, usize::MAX, 1 << 50] {
            assert!(
                scope(roomy().capacity(capacity), |_| ()).is_err(),
                "{capacity}"
            );
        }
    }),
];

/// Runs a fiber that nobody joins between two others, whose locals must stay as they are.
fn beside<T: 'static>(body: impl FnOnce(&mut Fiber) -> T + 'static) {
    with(|scheduler| {
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
    });
}
