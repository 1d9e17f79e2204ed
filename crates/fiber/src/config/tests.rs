//! Programs that are built to abort on panics, as far as one that is built to unwind can be one: in
//! child processes.

use crate::{Config, Fiber, scope};

const ROLE: &str = "FIBER_TEST_ABORTS";

pub(super) fn is_as_if_built_to_abort() -> bool {
    std::env::var_os(ROLE).is_some()
}

#[test]
fn a_suspended_fiber_of_a_dropped_scheduler_is_named_where_panics_abort() {
    if is_as_if_built_to_abort() {
        let roomy = Config::guarded(64 << 10).capacity(1);
        scope(roomy, |scheduler| {
            let suspends = |fiber: &mut Fiber| fiber.suspend();
            scheduler.spawn(suspends).unwrap();
            scheduler.run();
        })
        .unwrap();
        return;
    }
    let test =
        "config::tests::a_suspended_fiber_of_a_dropped_scheduler_is_named_where_panics_abort";
    let said = skipped::said_before_aborting(test, ROLE);
    let named =
        "fiber 0 has not ended and its scheduler is dropped, but this program is built with";
    assert!(said.contains(named), "{said}");
}

#[test]
fn a_panic_is_of_a_named_fiber_where_panics_abort() {
    if is_as_if_built_to_abort() {
        let roomy = Config::guarded(64 << 10).capacity(1);
        let body = |_: &mut Fiber| panic!("trouble");
        scope(roomy, |scheduler| scheduler.spawn(body).unwrap().join())
            .unwrap()
            .unwrap();
        return;
    }
    let test = "config::tests::a_panic_is_of_a_named_fiber_where_panics_abort";
    let said = skipped::said_before_aborting(test, ROLE);
    assert!(
        said.contains("fiber 0 panicked in a program built with panic"),
        "{said}"
    );
}
