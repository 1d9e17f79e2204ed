//! The records of more than [`ROWS`] flows, written column by column: what is the same for all once
//! (`same`), the rest as one array for each field (`each`), nested names joined by a dot.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer, forward_to_deserialize_any};
use serde_json::{Map, Value};

use super::FlowRecord;

pub(super) const ROWS: usize = 64;

const DOT: char = '.';

type Object = Map<String, Value>;

#[derive(Serialize, Deserialize)]
struct Columns {
    count: usize,
    same: Object,
    each: BTreeMap<String, Vec<Value>>,
}

pub(super) fn serialize<S: Serializer>(flows: &[FlowRecord], to: S) -> Result<S::Ok, S::Error> {
    if flows.len() <= ROWS {
        return flows.serialize(to);
    }
    let rows: Result<Vec<Object>, _> = flows.iter().map(flat).collect();
    columns(&rows.map_err(S::Error::custom)?).serialize(to)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<FlowRecord>, D::Error> {
    from.deserialize_any(Written)
}

struct Written;

impl<'de> Visitor<'de> for Written {
    type Value = Vec<FlowRecord>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("records of flows, or columns of them")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, rows: A) -> Result<Self::Value, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(rows))
    }

    fn visit_map<A: MapAccess<'de>>(self, columns: A) -> Result<Self::Value, A::Error> {
        let columns = Columns::deserialize(MapAccessDeserializer::new(columns))?;
        columns.rows().map_err(A::Error::custom)
    }
}

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

/// A field of only some flows is null for the others.
fn columns(rows: &[Object]) -> Columns {
    let mut names: Vec<&String> = rows.iter().flat_map(Object::keys).collect();
    names.sort_unstable();
    names.dedup();
    let (mut same, mut each) = (Object::new(), BTreeMap::new());
    for name in names {
        let values = rows.iter().map(|row| row.get(name).cloned());
        let column: Vec<Value> = values.map(Option::unwrap_or_default).collect();
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
    fn rows(&self) -> Result<Vec<FlowRecord>, serde_json::Error> {
        if let Some((name, column)) = self.each.iter().find(|(_, c)| c.len() != self.count) {
            let (values, count) = (column.len(), self.count);
            let message = format!("column {name} has {values} values for {count} flows");
            return Err(serde::de::Error::custom(message));
        }
        let same = self
            .same
            .iter()
            .map(|(name, value)| (name, std::slice::from_ref(value)));
        let each = self
            .each
            .iter()
            .map(|(name, values)| (name, values.as_slice()));
        let columns = same.chain(each);
        let columns = columns.map(|(name, values)| Column { name, values });
        let mut columns: Vec<Column<'_>> = columns.collect();
        columns.sort_unstable_by_key(|column| column.name);
        let rows = (0..self.count).map(|place| {
            FlowRecord::deserialize(Row {
                columns: &columns,
                place,
                above: 0,
            })
        });
        rows.collect()
    }
}

struct Column<'a> {
    name: &'a str,
    /// Of each flow, or of all of them.
    values: &'a [Value],
}

impl<'a> Column<'a> {
    fn at(&self, place: usize) -> &'a Value {
        &self.values[place.min(self.values.len() - 1)]
    }
}

/// Read from the columns as if it were nested objects.
struct Row<'a> {
    /// Its fields in order: those of an object are neighbours.
    columns: &'a [Column<'a>],
    place: usize,
    /// Bytes of the names that are the object's own.
    above: usize,
}

enum Held<'a> {
    Value(&'a Value),
    Object(Row<'a>),
}

impl<'a> Row<'a> {
    /// Skips nulls: fields of other flows.
    fn next(&mut self) -> Option<(&'a str, Held<'a>)> {
        loop {
            let (first, rest) = self.columns.split_first()?;
            let name = first.name.get(self.above..)?;
            let Some((name, _)) = name.split_once(DOT) else {
                self.columns = rest;
                let value = first.at(self.place);
                if !value.is_null() {
                    return Some((name, Held::Value(value)));
                }
                continue;
            };
            let below = self.above + name.len() + 1;
            let prefix = &first.name[..below];
            let is_of = |column: &Column<'_>| column.name.starts_with(prefix);
            let (columns, rest) = self.columns.split_at(self.columns.partition_point(is_of));
            self.columns = rest;
            let is_there = |column: &Column<'_>| !column.at(self.place).is_null();
            if columns.iter().any(is_there) {
                let object = Row {
                    columns,
                    place: self.place,
                    above: below,
                };
                return Some((name, Held::Object(object)));
            }
        }
    }
}

impl<'de> Deserializer<'de> for Row<'de> {
    type Error = serde_json::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_map(Fields {
            row: self,
            held: None,
        })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

struct Fields<'a> {
    row: Row<'a>,
    held: Option<Held<'a>>,
}

impl<'de> MapAccess<'de> for Fields<'de> {
    type Error = serde_json::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Self::Error> {
        let Some((name, held)) = self.row.next() else {
            return Ok(None);
        };
        self.held = Some(held);
        seed.deserialize(BorrowedStrDeserializer::new(name))
            .map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, Self::Error> {
        match self.held.take() {
            Some(Held::Value(value)) => seed.deserialize(value),
            Some(Held::Object(row)) => seed.deserialize(row),
            None => Err(serde::de::Error::custom(
                "a value was asked for before its name",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{FlowState, Rep};

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
            units: 1,
            proof: crate::Proof {
                count: 1,
                checksum: n.unsigned_abs().into(),
            },
            carried: u64::from(n % 2 == 0),
            ..FlowRecord::default()
        };
        Rep {
            create_ns: 1,
            steady_ns: 2,
            teardown_ns: 3,
            skew_ns: 4,
            flows: (0..flows).map(flow).collect(),
            ..Rep::default()
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
        let written = |flow| serde_json::to_string(flow).unwrap().len();
        let rows: usize = many.flows.iter().map(written).sum();
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
