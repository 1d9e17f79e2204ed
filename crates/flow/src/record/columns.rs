//! The records of many flows, written column by column.
//!
//! # Theory
//!
//! A record of a thousand flows is mostly names of fields, and values that all flows share.
//! So from [`ROWS`] flows on they are written as columns: what is the same for all of them
//! once (`same`), the rest as one array for each field (`each`). Fields of fields have their
//! names joined by a dot. Nothing is left out or rounded: what is read is what was written.
//!
//! Up to [`ROWS`] flows, and in journals of before, they are an array of objects.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::FlowRecord;

/// This many flows are written one by one.
pub(super) const ROWS: usize = 64;

/// Fields of fields.
const DOT: char = '.';

type Object = Map<String, Value>;

#[derive(Serialize, Deserialize)]
struct Columns {
    count: usize,
    same: Object,
    each: BTreeMap<String, Vec<Value>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Rows(Vec<FlowRecord>),
    Columns(Columns),
}

pub(super) fn serialize<S: Serializer>(flows: &[FlowRecord], to: S) -> Result<S::Ok, S::Error> {
    if flows.len() <= ROWS {
        return flows.serialize(to);
    }
    let rows: Result<Vec<Object>, _> = flows.iter().map(flat).collect();
    columns(&rows.map_err(S::Error::custom)?).serialize(to)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<FlowRecord>, D::Error> {
    match Written::deserialize(from)? {
        Written::Rows(flows) => Ok(flows),
        Written::Columns(columns) => columns.rows().map_err(D::Error::custom),
    }
}

/// A record as one object without objects in it.
fn flat(flow: &FlowRecord) -> Result<Object, serde_json::Error> {
    let mut row = Object::new();
    if let Value::Object(fields) = serde_json::to_value(flow)? {
        flatten("", fields, &mut row);
    }
    Ok(row)
}

fn flatten(above: &str, fields: Object, row: &mut Object) {
    for (name, value) in fields {
        let name = format!("{above}{name}");
        match value {
            Value::Object(fields) => flatten(&format!("{name}{DOT}"), fields, row),
            value => {
                row.insert(name, value);
            }
        }
    }
}

/// A field that only some flows have is null for the others.
fn columns(rows: &[Object]) -> Columns {
    let mut names: Vec<&String> = rows.iter().flat_map(Object::keys).collect();
    names.sort_unstable();
    names.dedup();
    let (mut same, mut each) = (Object::new(), BTreeMap::new());
    for name in names {
        let column: Vec<Value> = rows
            .iter()
            .map(|row| row.get(name).cloned().unwrap_or_default())
            .collect();
        if column.windows(2).all(|pair| pair[0] == pair[1]) {
            same.extend(column.into_iter().next().map(|value| (name.clone(), value)));
        } else {
            each.insert(name.clone(), column);
        }
    }
    Columns {
        count: rows.len(),
        same,
        each,
    }
}

impl Columns {
    fn rows(mut self) -> Result<Vec<FlowRecord>, serde_json::Error> {
        if let Some((name, column)) = self.each.iter().find(|(_, c)| c.len() != self.count) {
            let (values, count) = (column.len(), self.count);
            let message = format!("column {name} has {values} values for {count} flows");
            return Err(serde::de::Error::custom(message));
        }
        (0..self.count)
            .map(|place| {
                let mut fields = Object::new();
                for (name, value) in &self.same {
                    put(&mut fields, name, value.clone());
                }
                for (name, column) in &mut self.each {
                    put(&mut fields, name, column[place].take());
                }
                serde_json::from_value(Value::Object(fields))
            })
            .collect()
    }
}

/// Puts a value where the dots in its name say.
fn put(fields: &mut Object, name: &str, value: Value) {
    if value.is_null() {
        return;
    }
    match name.split_once(DOT) {
        None => {
            fields.insert(name.to_owned(), value);
        }
        Some((above, name)) => {
            let inner = fields.entry(above).or_insert_with(|| Object::new().into());
            if let Value::Object(inner) = inner {
                put(inner, name, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{FlowState, ParentRecord, Rep};

    fn rep(flows: i32) -> Rep {
        let flow = |n: i32| FlowRecord {
            pid: n,
            tid: n + 1,
            state: match n % 7 {
                3 => FlowState::Died {
                    how: format!("signal {n}"),
                },
                _ => FlowState::Done,
            },
            start_ns: u64::MAX - n.unsigned_abs() as u64,
            end_ns: 5,
            create: measure::usage::Usage {
                cpu_ns: n.unsigned_abs().into(),
                ..Default::default()
            },
            steady: Default::default(),
            units: 1,
            sent: 0,
            proof: crate::Proof {
                count: 1,
                checksum: n.unsigned_abs().into(),
            },
            carried: u64::from(n % 2 == 0),
        };
        Rep {
            create_ns: 1,
            steady_ns: 2,
            teardown_ns: 3,
            skew_ns: 4,
            parent: ParentRecord::default(),
            flows: (0..flows).map(flow).collect(),
            turns: None,
            latencies: None,
            kernel_counters: None,
            counted: None,
            self_managed: None,
        }
    }

    #[test]
    fn what_is_read_is_what_was_written_however_many_flows() {
        for flows in [0, 1, 64, 65, 1_000] {
            let rep = rep(flows);
            let text = serde_json::to_string(&rep).unwrap();
            assert_eq!(serde_json::from_str::<Rep>(&text).unwrap(), rep, "{flows}");
        }
    }

    #[test]
    fn few_flows_are_rows_and_many_take_a_fraction_of_them() {
        let few = serde_json::to_value(rep(64)).unwrap();
        assert!(few["flows"].is_array());
        let many = rep(1_000);
        let rows: usize = many
            .flows
            .iter()
            .map(|f| serde_json::to_string(f).unwrap().len())
            .sum();
        let columns = serde_json::to_string(&many).unwrap().len();
        assert!(5 * columns < rows, "{columns} of {rows}");
        let many = serde_json::to_value(many).unwrap();
        assert_eq!(many["flows"]["same"]["end_ns"], 5);
        assert_eq!(many["flows"]["each"]["create.cpu_ns"][7], 7);
    }

    #[test]
    fn a_column_of_another_length_is_an_error_that_names_it() {
        let mut text = serde_json::to_value(rep(65)).unwrap();
        text["flows"]["each"]["pid"].as_array_mut().unwrap().pop();
        let error = serde_json::from_value::<Rep>(text).unwrap_err().to_string();
        assert!(error.contains("column pid has 64 values for 65"), "{error}");
    }
}
