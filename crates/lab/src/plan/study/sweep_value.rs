//! A value of a sweep as it is written: a number, or a word that stands for the CPUs of the
//! machine.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, Unexpected, Visitor};

use super::flow_counts::Count;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SweepValue {
    Number(i64),
    OfCpus(u32),
}

impl fmt::Display for SweepValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::OfCpus(1) => f.write_str("cpus"),
            Self::OfCpus(times) => write!(f, "{times} cpus"),
        }
    }
}

impl<'de> Deserialize<'de> for SweepValue {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(OneValue)
    }
}

struct OneValue;

impl Visitor<'_> for OneValue {
    type Value = SweepValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number, \"cpus\", or a multiple such as \"2 cpus\"")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<SweepValue, E> {
        Ok(SweepValue::Number(number))
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<SweepValue, E> {
        match Count::of_word(word) {
            Some(Count::OfCpus(times)) => Ok(SweepValue::OfCpus(times)),
            _ => Err(E::invalid_value(Unexpected::Str(word), &self)),
        }
    }
}
