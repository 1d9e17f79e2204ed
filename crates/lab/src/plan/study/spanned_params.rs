use std::collections::BTreeMap;

use serde::Deserialize;
use toml::{Spanned, Table, Value};
use workload::Work;

use super::StudyError;
use super::source::{Source, of_key};

const KIND: &str = "kind";
const STORE: &str = "store";
const PAGE_SIZE: &str = "page_size";

pub(super) type Parameters = BTreeMap<Spanned<String>, Value>;

#[derive(Clone)]
pub(super) struct Placed {
    table: Table,
    places: BTreeMap<String, usize>,
    place: usize,
}

impl Placed {
    pub(super) fn new(of_study: &Parameters, place: usize) -> Self {
        let mut placed = Self {
            table: Table::new(),
            places: BTreeMap::new(),
            place,
        };
        placed.lay_over(of_study);
        placed
    }

    pub(super) fn of_case(mut self, written: &Spanned<Parameters>) -> Self {
        self.place = written.span().start;
        self.lay_over(written.get_ref());
        self
    }

    pub(super) fn lay_over(&mut self, parameters: &Parameters) {
        for (key, value) in parameters {
            let below = self.table.get(key.get_ref()).unwrap_or(value);
            let mut merged = below.clone();
            merge(&mut merged, value);
            self.set(key, merged);
        }
    }

    pub(super) fn set(&mut self, key: &Spanned<String>, value: Value) {
        self.set_at(key, value, key.span().start);
    }

    pub(super) fn set_at(&mut self, key: &Spanned<String>, value: Value, place: usize) {
        let mut path = key.get_ref().split('.');
        let first = path.next().unwrap_or_default().to_owned();
        let place_of_value = self.table.entry(first).or_insert(Value::Integer(0));
        *within(place_of_value, path) = value;
        self.places.insert(key.get_ref().clone(), place);
    }

    pub(super) fn into_work(self, source: Source<'_>) -> Result<Work, StudyError> {
        if self.table.contains_key(STORE)
            && let Some(place) = self.places.get(PAGE_SIZE)
        {
            let message = "page_size is for pages that are made: those of a store have their own; \
                           leave one of both out";
            return Err(source.error(*place, message));
        }
        let work = read(&self.table).map_err(|message| {
            let (place, message) = self.blamed(message);
            source.error(place, message)
        })?;
        work.check()
            .map_err(|error| source.error(self.place, error.to_string()))?;
        Ok(work)
    }

    /// The reader names unknown and missing keys, but of a wrong value only what it expected.
    fn blamed(&self, message: String) -> (usize, String) {
        let named = message.contains(" field `");
        if !named && let Some(key) = self.wrong_value(&message) {
            let place = self.places.get(key).copied();
            return (place.unwrap_or(self.place), of_key(key, &message));
        }
        let key = message.split('`').nth(1);
        let place = key.and_then(|key| self.places.get(key));
        (place.copied().unwrap_or(self.place), message)
    }

    /// Keys are removed one by one: the message changes when the faulty one goes.
    fn wrong_value(&self, message: &str) -> Option<&str> {
        let mut left = self.table.clone();
        // The kind goes last: without it nothing else is read.
        let others = self.table.keys().map(String::as_str);
        let mut keys = others.filter(|key| *key != KIND).chain([KIND]);
        keys.find(|key| {
            left.remove(*key);
            read(&left).err().as_deref() != Some(message)
        })
    }
}

fn within<'t>(mut value: &'t mut Value, path: std::str::Split<'_, char>) -> &'t mut Value {
    for key in path {
        if !value.is_table() {
            *value = Value::Table(Table::new());
        }
        let Value::Table(table) = value else {
            return value;
        };
        value = table.entry(key).or_insert(Value::Integer(0));
    }
    value
}

fn merge(below: &mut Value, above: &Value) {
    match (below, above) {
        (Value::Table(below), Value::Table(above)) => {
            for (key, value) in above {
                match below.get_mut(key) {
                    Some(known) => merge(known, value),
                    None => drop(below.insert(key.clone(), value.clone())),
                }
            }
        }
        (below, above) => *below = above.clone(),
    }
}

fn read(table: &Table) -> Result<Work, String> {
    Work::deserialize(table.clone()).map_err(|error| error.message().to_owned())
}
