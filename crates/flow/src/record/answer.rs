//! Reading what a slot process answered. The outcome is written first: serde's derived code for a
//! tagged enum would hold all in memory until it has the tag, in twice the time.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::{Answer, Failure, Rep, SlotRecord};

const TAG: &str = "outcome";

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Done,
    Failed,
}

#[derive(Deserialize)]
struct Failed {
    reason: Failure,
    kept: Option<Rep>,
    begun: Option<u32>,
}

impl Answer {
    fn of<'de, D: Deserializer<'de>>(kind: Kind, fields: D) -> Result<Self, D::Error> {
        match kind {
            Kind::Done => SlotRecord::deserialize(fields).map(Self::Done),
            Kind::Failed => Failed::deserialize(fields).map(|failed| Self::Failed {
                reason: failed.reason,
                kept: failed.kept,
                begun: failed.begun,
            }),
        }
    }
}

impl<'de> Deserialize<'de> for Answer {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(Written)
    }
}

struct Written;

impl<'de> Visitor<'de> for Written {
    type Value = Answer;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "an answer with its {TAG}")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Answer, A::Error> {
        let mut before = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            if name != TAG {
                before.insert(name, fields.next_value()?);
                continue;
            }
            let kind = fields.next_value()?;
            if before.is_empty() {
                return Answer::of(kind, MapAccessDeserializer::new(fields));
            }
            while let Some((name, value)) = fields.next_entry()? {
                before.insert(name, value);
            }
            return Answer::of(kind, Value::Object(before)).map_err(A::Error::custom);
        }
        Err(A::Error::missing_field(TAG))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_wherever_its_outcome_stands() {
        let failed = Answer::Failed {
            reason: Failure::Error {
                what: "it was full".to_owned(),
            },
            kept: None,
            begun: Some(3),
        };
        let text = serde_json::to_string(&failed).unwrap();
        assert!(text.starts_with(r#"{"outcome":"failed","#), "{text}");
        assert_eq!(serde_json::from_str::<Answer>(&text).unwrap(), failed);
        let mut fields: Map<String, Value> = serde_json::from_str(&text).unwrap();
        let outcome = fields.remove(TAG).unwrap();
        let rest = serde_json::to_string(&fields).unwrap();
        let last = format!(r#"{},"outcome":{outcome}}}"#, &rest[..rest.len() - 1]);
        assert_eq!(serde_json::from_str::<Answer>(&last).unwrap(), failed);
        let none = serde_json::from_str::<Answer>(&rest).unwrap_err();
        assert!(
            none.to_string().contains("missing field `outcome`"),
            "{none}"
        );
    }
}
