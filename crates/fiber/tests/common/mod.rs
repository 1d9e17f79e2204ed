//! What tests of schedulers share.

use std::cell::RefCell;
use std::rc::Rc;

use fiber::{Config, Scheduler};

/// Stacks for ordinary code.
pub(crate) fn roomy() -> Scheduler {
    // SAFETY: it is a local of a test.
    unsafe { Scheduler::new(Config::guarded(128 << 10).capacity(64)) }.unwrap()
}

/// What was said, in its order.
pub(crate) type Log = Rc<RefCell<Vec<&'static str>>>;

/// Says in a log that it was dropped.
pub(crate) struct Said(pub(crate) &'static str, pub(crate) Log);

impl Drop for Said {
    fn drop(&mut self) {
        self.1.borrow_mut().push(self.0);
    }
}
