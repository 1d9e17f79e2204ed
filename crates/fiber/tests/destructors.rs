//! What destructors may do, of values that fibers leave behind.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;
mod packed;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use fiber::{Config, Fiber, JoinError, scope};

use common::{Log, Said, roomy};
use packed::{made, packed};

/// A body that stops while it holds something.
fn holding<T>(held: T) -> impl FnOnce(&mut Fiber) {
    move |fiber| {
        let _held = held;
        fiber.suspend();
    }
}

/// Throws when it is dropped; what it holds is dropped all the same.
struct Panics(#[expect(dead_code, reason = "is dropped")] Said);

impl Drop for Panics {
    fn drop(&mut self) {
        panic!("on purpose: a value is dropped");
    }
}

#[test]
fn a_destructor_that_panics_while_the_scheduler_is_dropped_leaves_the_others_to_be_dropped() {
    let log = Log::default();
    let said = |what| Said(what, Rc::clone(&log));
    let scheduler = made(packed(1_024).capacity(8)).unwrap();
    let never_ends = holding(said("never dropped"));
    let sleeper = scheduler.spawn(never_ends).unwrap();
    scheduler.run();
    let (panics, later) = (Panics(said("panics")), said("later"));
    scheduler.spawn(move |_| drop(panics)).unwrap();
    scheduler.spawn(move |_| drop(later)).unwrap();
    drop(scheduler);
    assert_eq!(*log.borrow(), ["panics", "later"]);
    assert!(matches!(sleeper.join(), Err(JoinError::Dropped)));
}

/// Does what fibers do, when it is dropped, and notes what came of it.
struct Acts(fiber::FiberId, Rc<RefCell<Vec<String>>>);

impl Drop for Acts {
    fn drop(&mut self) {
        let awakened = fiber::awaken(self.0);
        let spawned = fiber::spawn(|_| ()).map(drop).map_err(|e| e.to_string());
        self.1.borrow_mut().push(format!("{awakened} {spawned:?}"));
    }
}

#[test]
fn a_destructor_can_awaken_and_spawn_also_while_the_scheduler_is_dropped() {
    let notes = Rc::new(RefCell::new(Vec::new()));
    let scheduler = roomy();
    let sleeper = scheduler.spawn(|fiber| fiber.suspend()).unwrap();
    let acts = || Acts(sleeper.id(), Rc::clone(&notes));
    let (unwound, result, fresh) = (acts(), acts(), acts());
    scheduler.spawn(holding(unwound)).unwrap();
    let kept = scheduler.spawn(move |_| result).unwrap();
    scheduler.run();
    scheduler.spawn(move |_| drop(fresh)).unwrap();
    drop(scheduler);
    drop(kept);
    let refused = r#"false Err("the scheduler is being dropped and takes no new fibers")"#;
    assert_eq!(*notes.borrow(), [refused; 3]);
}

#[test]
fn the_destructor_of_a_detached_result_can_awaken_and_spawn() {
    let notes = Rc::new(RefCell::new(Vec::new()));
    let scheduler = roomy();
    let sleeper = scheduler.spawn(|fiber| fiber.suspend()).unwrap();
    let acts = Acts(sleeper.id(), Rc::clone(&notes));
    drop(scheduler.spawn(move |_| acts).unwrap());
    sleeper.join().unwrap();
    assert_eq!(*notes.borrow(), ["true Ok(())"]);
    assert_eq!((scheduler.run(), scheduler.live()), (0, 0));
}

#[test]
fn an_unwound_fiber_knows_who_it_is() {
    struct Tells(Rc<Cell<Option<fiber::FiberId>>>);
    impl Drop for Tells {
        fn drop(&mut self) {
            self.0.set(Some(fiber::current()));
        }
    }
    let told = Rc::new(Cell::new(None));
    let tells = Tells(Rc::clone(&told));
    let scheduler = roomy();
    let id = scheduler.spawn(holding(tells)).unwrap().id();
    scheduler.run();
    drop(scheduler);
    assert_eq!(told.get(), Some(id));
}

#[test]
fn a_detached_result_whose_destructor_panics_lets_the_others_go_on() {
    for config in [Config::guarded(64 << 10), packed(16 << 10)] {
        let scheduler = made(config).unwrap();
        let panics = Panics(Said("result", Log::default()));
        drop(scheduler.spawn(move |_| panics).unwrap());
        let other = scheduler.spawn(|fiber| {
            fiber.yield_now();
            3
        });
        assert_eq!(other.unwrap().join().unwrap(), 3);
        assert_eq!((scheduler.run(), scheduler.live()), (0, 0));
    }
}

#[test]
fn a_scope_whose_body_panics_ends_its_fibers() {
    let log = Log::default();
    let said = Said("unwound", Rc::clone(&log));
    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        scope(Config::guarded(64 << 10), |scheduler| {
            scheduler.spawn(holding(said)).unwrap();
            scheduler.run();
            std::panic::resume_unwind(Box::new(7_u8));
        })
    }));
    assert_eq!(ended.unwrap_err().downcast_ref::<u8>(), Some(&7));
    assert_eq!(*log.borrow(), ["unwound"]);
}
