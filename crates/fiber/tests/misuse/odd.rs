//! Schedulers within schedulers, joins that cannot end, and schedulers that are dropped early.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use fiber::{Fiber, Floats, JoinError, JoinHandle, SpawnError, scope};

use super::{AtEnd, Deed, roomy, runs, with};

/// Where fibers find handles of each other.
type Place = Rc<RefCell<Option<JoinHandle<bool>>>>;

/// Anything that is kept alive.
type Held = Rc<dyn std::any::Any>;

pub(super) const WORKS: &[(&str, Deed)] = &[
    ("schedulers eight deep", |_| assert_eq!(nested(8), 8)),
    (
        "an outer fiber that yields while an inner one is suspended",
        |scheduler| {
            let outer = |fiber: &mut Fiber| {
                with(|inner| {
                    let id = inner.spawn(Fiber::suspend).unwrap().id();
                    inner.run();
                    fiber.yield_now();
                    inner.awaken(id);
                    inner.run()
                })
            };
            let both = [(); 2].map(|()| scheduler.spawn(outer).unwrap());
            assert_eq!(both.map(|handle| handle.join().unwrap()), [0, 0]);
        },
    ),
    (
        "an outer fiber that is dropped with an inner scheduler",
        |scheduler| {
            let outer = |fiber: &mut Fiber| {
                with(|inner| {
                    runs(inner, Fiber::suspend);
                    fiber.suspend();
                })
            };
            assert_eq!(runs(scheduler, outer), 1);
        },
    ),
    ("an inner fiber that awakens an outer one", |scheduler| {
        let id = scheduler.spawn(Fiber::suspend).unwrap().id();
        let inner = move || with(|inner| inner.spawn(move |_| fiber::awaken(id)).unwrap().join());
        let awakened = scheduler.spawn(move |_| inner().unwrap()).unwrap();
        assert!(!awakened.join().unwrap());
    }),
    ("a handle that outlives an inner scheduler", |scheduler| {
        let outer = scheduler.spawn(|_| with(|inner| inner.spawn(|_| 1).unwrap()).join());
        let joined = outer.unwrap().join().unwrap();
        assert!(matches!(joined, Err(JoinError::Dropped)));
    }),
    ("a fiber that joins itself", |scheduler| {
        let place = Place::default();
        let own = joins(scheduler, &place);
        *place.borrow_mut() = Some(own);
        assert_eq!(scheduler.run(), 1);
    }),
    ("two fibers that join each other", |scheduler| {
        let (first, second) = (Place::default(), Place::default());
        let (one, two) = (joins(scheduler, &first), joins(scheduler, &second));
        (*first.borrow_mut(), *second.borrow_mut()) = (Some(two), Some(one));
        assert_eq!(scheduler.run(), 2);
    }),
    ("a handle within the result that it is of", |scheduler| {
        let place = Rc::<RefCell<Option<JoinHandle<Held>>>>::default();
        let inside = Rc::clone(&place);
        let handle = scheduler.spawn(move |_| inside as Held).unwrap();
        *place.borrow_mut() = Some(handle);
        assert_eq!(scheduler.run(), 0);
    }),
    ("a join of who sleeps for ever", |scheduler| {
        let sleeper = scheduler.spawn(Fiber::suspend).unwrap();
        assert!(matches!(sleeper.join(), Err(JoinError::Stuck)));
    }),
    ("a handle that is forgotten", |scheduler| {
        for _ in 0..16 {
            std::mem::forget(scheduler.spawn(|_| vec![1_u8; 100]).unwrap());
        }
        assert_eq!(scheduler.run(), 0);
        let refused = scheduler.spawn(|_| ());
        assert!(matches!(refused, Err(SpawnError::Full { capacity: 16 })));
    }),
    ("a fiber awakened by itself, and twice", |scheduler| {
        let body = |fiber: &mut Fiber| {
            let id = fiber.id();
            assert!(fiber::awaken(id) && fiber::awaken(id));
            fiber.suspend();
            fiber.suspend();
        };
        assert_eq!(runs(scheduler, body), 1);
    }),
    ("a fiber that catches its unwinding", |scheduler| {
        let body = |fiber: &mut Fiber| catch_unwind(AssertUnwindSafe(|| fiber.suspend())).is_err();
        assert_eq!(runs(scheduler, body), 1);
    }),
    (
        "a destructor that joins while the scheduler goes",
        |scheduler| {
            let other = scheduler.spawn(Fiber::suspend).unwrap();
            let body = |fiber: &mut Fiber| {
                let mut other = Some(other);
                let _joins = AtEnd(|| {
                    let joined = other.take().unwrap().join();
                    assert!(matches!(joined, Err(JoinError::Dropped)));
                });
                fiber.suspend();
            };
            runs(scheduler, body);
        },
    ),
    (
        "a destructor with a scheduler of its own while the scheduler goes",
        |scheduler| {
            let body = |fiber: &mut Fiber| {
                let _nests = AtEnd(|| assert_eq!(nested(3), 3));
                fiber.suspend();
            };
            runs(scheduler, body);
        },
    ),
    (
        "a result that nobody wants, whose destructor yields",
        |scheduler| {
            let yields = || AtEnd(|| assert!(catch_unwind(fiber::yield_now).is_err()));
            drop(scheduler.spawn(move |_| yields()).unwrap());
            assert_eq!((scheduler.run(), scheduler.live()), (0, 0));
        },
    ),
    (
        "a result that nobody wants, whose destructor runs another scheduler",
        |scheduler| {
            let nests = |_: &mut Fiber| AtEnd(|| assert_eq!(nested(2), 2));
            drop(scheduler.spawn(nests).unwrap());
            assert_eq!(scheduler.run(), 0);
        },
    ),
    (
        "a handle that a destructor drops while the scheduler goes",
        |scheduler| {
            let other = scheduler.spawn(|_| vec![1]).unwrap();
            let body = |fiber: &mut Fiber| holding(other, || fiber.suspend());
            runs(scheduler, body);
        },
    ),
    ("a fiber of its own rounding that is dropped", |scheduler| {
        scheduler.spawn_with(Floats::Own, Fiber::suspend).unwrap();
        scheduler.run();
    }),
    ("more fibers than there is room for", |_| {
        let held = Rc::new(());
        scope(roomy().capacity(1), |scheduler| {
            scheduler.spawn(Fiber::suspend).unwrap();
            let inside = Rc::clone(&held);
            let refused = scheduler.spawn(move |_| inside);
            assert!(matches!(refused, Err(SpawnError::Full { capacity: 1 })));
            assert_eq!(Rc::strong_count(&held), 1);
        })
        .unwrap();
    }),
    (
        "fibers that make fibers until there is no room",
        |scheduler| {
            let makes = |_: &mut Fiber| while fiber::spawn(Fiber::suspend).map(drop).is_ok() {};
            scheduler.spawn(makes).unwrap().join().unwrap();
            assert_eq!(scheduler.run(), 15);
        },
    ),
];

pub(super) const SAYS: &[(&str, &str, Deed)] = &[
    (
        "a fiber that catches its unwinding and suspends again",
        "fiber 0 called fiber::suspend",
        |scheduler| {
            let body = |fiber: &mut Fiber| loop {
                let _ = catch_unwind(AssertUnwindSafe(|| fiber.suspend()));
            };
            let _: JoinHandle<()> = scheduler.spawn(body).unwrap();
            scheduler.run();
        },
    ),
    (
        "a destructor that yields by its handle while the scheduler goes",
        "fiber 0 called Fiber::yield_now",
        |scheduler| {
            let body = |fiber: &mut Fiber| {
                fiber::suspend();
                fiber.yield_now();
            };
            let caught = move |fiber: &mut Fiber| {
                let _ = catch_unwind(AssertUnwindSafe(|| body(fiber)));
                fiber.yield_now();
            };
            runs(scheduler, caught);
        },
    ),
];

/// Keeps a value while it does something.
fn holding<V, R>(value: V, act: impl FnOnce() -> R) -> R {
    let _held = value;
    act()
}

/// A fiber that joins the fiber whose handle is at `place` by then.
fn joins(scheduler: &fiber::Scheduler, place: &Place) -> JoinHandle<bool> {
    let place = Rc::clone(place);
    let body = move |_: &mut Fiber| {
        let handle = place.take();
        handle.is_some_and(|handle| handle.join().is_err())
    };
    scheduler.spawn(body).unwrap()
}

/// How many schedulers lie within each other.
fn nested(depth: u64) -> u64 {
    match depth {
        0 => 0,
        _ => with(|scheduler| {
            let deeper = scheduler.spawn(move |_| 1 + nested(depth - 1));
            deeper.unwrap().join().unwrap()
        }),
    }
}
