use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, Unexpected, Visitor};

use super::flow_counts::{times_of, unknown};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SweepValue {
    Number(i64),
    /// 500 is 0.5.
    Thousandths(i64),
    OfCpus(u32),
}

impl SweepValue {
    pub(super) fn number(self) -> f64 {
        match self {
            Self::Number(number) => number as f64,
            Self::Thousandths(thousandths) => thousandths as f64 / 1e3,
            Self::OfCpus(times) => unknown(times).into(),
        }
    }
}

impl fmt::Display for SweepValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Thousandths(_) => self.number().fmt(f),
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
        f.write_str(
            "a number of at most three decimals, \"cpus\", or a multiple such as \"2 cpus\"",
        )
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<SweepValue, E> {
        Ok(SweepValue::Number(number))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<SweepValue, E> {
        let thousandths = (number * 1e3).round();
        match (thousandths / 1e3 - number).abs() < 1e-9 && thousandths.abs() < 1e15 {
            true => Ok(SweepValue::Thousandths(thousandths as i64)),
            false => Err(E::invalid_value(Unexpected::Float(number), &self)),
        }
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<SweepValue, E> {
        let invalid = || E::invalid_value(Unexpected::Str(word), &self);
        times_of(word).map(SweepValue::OfCpus).ok_or_else(invalid)
    }
}
