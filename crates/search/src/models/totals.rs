use measure::clock;

use crate::plan::Model;
use crate::report::{Chosen, Class, Counts, Flows, Profile, Times};

#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Totals {
    pub(crate) counts: Counts,
    pub(crate) profile: Profile,
}

impl Totals {
    pub(crate) fn add(&mut self, more: Totals) {
        self.counts += more.counts;
        self.profile += more.profile;
    }

    pub(crate) fn counts(&self, errors: u64) -> Counts {
        Counts {
            errors,
            ..self.counts
        }
    }
}

#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) chosen: Chosen,
    pub(crate) totals: Totals,
    pub(crate) flows: Flows,
    pub(crate) create_ns: u64,
    pub(crate) tear_down_ns: u64,
}

impl Done {
    pub(crate) fn new(totals: Totals, flows: Flows) -> Done {
        Done {
            chosen: Chosen {
                model: Model::Sequential,
                workers: 1,
                why: String::new(),
            },
            totals,
            flows,
            create_ns: 0,
            tear_down_ns: 0,
        }
    }

    /// `done_ns`: when the last flow was done; `None` without flows, and no tear-down.
    pub(crate) fn taking(self, create_ns: u64, done_ns: Option<u64>) -> Done {
        let tear_down_ns = done_ns.map_or(0, |done_ns| clock::now_ns().saturating_sub(done_ns));
        Done {
            create_ns,
            tear_down_ns,
            ..self
        }
    }

    /// Making a pool's flows is the caller's work.
    pub(crate) fn profile(&self) -> Profile {
        let mut profile = self.totals.profile;
        if self.chosen.model.is_pool() {
            profile.ns[Class::Create as usize] += self.create_ns;
        }
        profile
    }

    pub(crate) fn times(&self, total_ns: u64) -> Times {
        let tear_down_ns = self.tear_down_ns.min(total_ns);
        // Concurrent creation adds up to more than there is.
        let create_ns = self.create_ns.min(total_ns - tear_down_ns);
        Times {
            create_ns,
            steady_ns: total_ns - create_ns - tear_down_ns,
            tear_down_ns,
            total_ns,
        }
    }

    pub(crate) fn by(mut self, model: Model, workers: u32) -> Done {
        self.chosen.model = model;
        self.chosen.workers = if model == Model::Sequential {
            1
        } else {
            workers
        };
        self
    }

    pub(crate) fn refused(mut self) -> Done {
        self.flows.held_at = Some(0);
        self.flows.refused = true;
        self
    }

    pub(crate) fn because(mut self, why: String) -> Done {
        self.chosen.why = why;
        self
    }
}
