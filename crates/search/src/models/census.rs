//! How many flows there are, what they found, and where they were held back.

use crate::models::{Done, Totals};
use crate::report::Flows;

#[derive(Default, Clone, Copy)]
pub(crate) struct Census {
    pub(crate) live: u64,
    pub(crate) flows: Flows,
    pub(crate) totals: Totals,
    last_ns: Option<u64>,
}

impl Census {
    pub(crate) fn enter(&mut self) {
        self.live += 1;
        self.flows.made += 1;
        self.flows.most = self.flows.most.max(self.live);
    }

    pub(crate) fn withdraw(&mut self) {
        self.live -= 1;
        self.flows.made -= 1;
    }

    /// `done_ns`: when it was done, unless it died.
    pub(crate) fn leave(&mut self, done_ns: Option<u64>) {
        self.live -= 1;
        self.last_ns = self.last_ns.max(done_ns);
    }

    pub(crate) fn refuse(&mut self) -> bool {
        self.flows.held_at = Some(self.live);
        !std::mem::replace(&mut self.flows.refused, true)
    }

    /// All were made in `create_ns`.
    pub(crate) fn done(mut self, create_ns: u64) -> Done {
        self.flows.most = self.flows.most.max(1);
        Done::new(self.totals, self.flows).taking(create_ns, self.last_ns)
    }
}
