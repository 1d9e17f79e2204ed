//! Times by class of work, when they are asked for.

use measure::clock;

use crate::report::{Class, Profile};

/// Adds the time since the last lap to a class; costs one test when off.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stopwatch {
    on: bool,
    last_ns: u64,
    profile: Profile,
}

impl Stopwatch {
    pub(crate) fn new(on: bool) -> Stopwatch {
        Stopwatch {
            on,
            last_ns: if on { clock::now_ns() } else { 0 },
            profile: Profile::default(),
        }
    }

    #[inline]
    pub(crate) fn lap(&mut self, class: Class) {
        if self.on {
            let now = clock::now_ns();
            self.profile.ns[class as usize] += now.saturating_sub(self.last_ns);
            self.last_ns = now;
        }
    }

    pub(crate) fn profile(&self) -> Profile {
        self.profile
    }
}
