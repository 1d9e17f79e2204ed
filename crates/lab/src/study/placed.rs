//! The work's parameters as a table that presets and sweeps may still change.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::{Spanned, Table, Value};
use workload::Work;

use super::StudyError;
use super::format::Parameters;
use super::source::Source;

/// A table of parameters that knows where in the file each was set.
#[derive(Clone)]
pub(super) struct Placed {
    table: Table,
    places: BTreeMap<String, usize>,
    /// Where the table itself begins.
    place: usize,
}

impl Placed {
    pub(super) fn new(written: &Spanned<Parameters>) -> Self {
        let mut placed = Self {
            table: Table::new(),
            places: BTreeMap::new(),
            place: written.span().start,
        };
        placed.lay_over(written.get_ref());
        placed
    }

    pub(super) fn lay_over(&mut self, parameters: &Parameters) {
        for (key, value) in parameters {
            self.set(key, value.clone());
        }
    }

    pub(super) fn set(&mut self, key: &Spanned<String>, value: Value) {
        self.table.insert(key.get_ref().clone(), value);
        self.places.insert(key.get_ref().clone(), key.span().start);
    }

    /// The work that the table describes, if its parameters can be run.
    pub(super) fn into_work(self, source: Source<'_>) -> Result<Work, StudyError> {
        let work = Work::deserialize(self.table.clone())
            .map_err(|error| source.error(self.place_of(error.message()), error.message()))?;
        work.check()
            .map_err(|error| source.error(self.place, error.to_string()))?;
        Ok(work)
    }

    /// Where the key was set that a message names in backticks.
    fn place_of(&self, message: &str) -> usize {
        let key = message.split('`').nth(1);
        key.and_then(|key| self.places.get(key))
            .copied()
            .unwrap_or(self.place)
    }
}
