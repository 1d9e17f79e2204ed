//! What the flows of a search did together.

use crate::plan::Model;
use crate::report::{Chosen, Counts, Flows, Profile};

/// Sums over flows.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Totals {
    pub(crate) counts: Counts,
    pub(crate) profile: Profile,
}

impl Totals {
    pub(crate) fn of((counts, profile): (Counts, Profile)) -> Totals {
        Totals { counts, profile }
    }

    pub(crate) fn add(&mut self, more: Totals) {
        self.counts += more.counts;
        self.profile += more.profile;
    }

    /// The counts, with the errors that were told.
    pub(crate) fn counts(&self, errors: u64) -> Counts {
        Counts {
            errors,
            ..self.counts
        }
    }
}

/// A search that was done by some model.
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

    pub(crate) fn taking(self, create_ns: u64, tear_down_ns: u64) -> Done {
        Done {
            create_ns,
            tear_down_ns,
            ..self
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

    pub(crate) fn because(mut self, why: String) -> Done {
        self.chosen.why = why;
        self
    }
}
