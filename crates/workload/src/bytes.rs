//! Sizes in studies: a number of bytes, or text such as `"256M"`.

use std::fmt;
use std::str::FromStr;

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize};

/// A number of bytes: `268435456`, `"256M"` or `"256 MiB"`, in powers of 1,024.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Bytes(pub u64);

/// Text that is no size.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no size: use bytes, or a number with K, M or G, such as 256M")]
pub struct SizeError(String);

const UNITS: [(&str, u32); 4] = [("", 0), ("K", 10), ("M", 20), ("G", 30)];

impl FromStr for Bytes {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Self, SizeError> {
        let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
        let unit = text[digits.len()..].trim_start().to_ascii_uppercase();
        let letter = unit.strip_suffix("IB").or(unit.strip_suffix('B'));
        let letter = letter.unwrap_or(&unit);
        let known = |(name, _): &&(&str, u32)| *name == letter;
        let shift = UNITS.iter().find(known).map(|(_, shift)| *shift);
        let number: Option<u64> = digits.replace('_', "").parse().ok();
        let parts = number.zip(shift);
        let bytes = parts.and_then(|(number, shift)| number.checked_mul(1 << shift));
        bytes.map(Self).ok_or_else(|| SizeError(text.to_owned()))
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = |(_, shift): &&(&str, u32)| self.0.is_multiple_of(1 << shift) && self.0 > 0;
        match UNITS.iter().rev().find(whole) {
            Some((letter, shift)) if *shift > 0 => write!(f, "{} {letter}iB", self.0 >> shift),
            _ => write!(f, "{} bytes", self.0),
        }
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Either)
    }
}

struct Either;

impl Visitor<'_> for Either {
    type Value = Bytes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of bytes, or text such as \"256M\"")
    }

    fn visit_u64<E: de::Error>(self, bytes: u64) -> Result<Bytes, E> {
        Ok(Bytes(bytes))
    }

    fn visit_i64<E: de::Error>(self, bytes: i64) -> Result<Bytes, E> {
        let whole = u64::try_from(bytes);
        whole
            .map(Bytes)
            .map_err(|_| E::custom(SizeError(bytes.to_string())))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Bytes, E> {
        text.parse().map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sizes_are_read_in_every_way_they_are_written() {
        for text in ["268435456", "256M", "256 MiB", "256mb", "262_144K"] {
            assert_eq!(text.parse(), Ok(Bytes(256 << 20)), "{text}");
        }
        assert_eq!(Bytes(256 << 20).to_string(), "256 MiB");
        assert_eq!(Bytes(1_000).to_string(), "1000 bytes");
    }

    #[test]
    fn what_is_no_size_is_refused_by_name() {
        for text in ["", "M", "12T", "-5", "1.5G", "99999999999G"] {
            let error = text.parse::<Bytes>().unwrap_err().to_string();
            assert!(error.contains(&format!("'{text}'")), "{error}");
        }
        let error = serde_json::from_str::<Bytes>("-1").unwrap_err().to_string();
        assert!(error.contains("'-1' is no size"), "{error}");
    }

    proptest! {
        #[test]
        fn a_size_reads_back_from_its_text_and_its_number(bytes: u64) {
            let bytes = Bytes(bytes);
            let shown = bytes.to_string().replace(" bytes", "");
            prop_assert_eq!(shown.parse(), Ok(bytes));
            let json = serde_json::to_string(&bytes).unwrap();
            prop_assert_eq!(serde_json::from_str::<Bytes>(&json).unwrap(), bytes);
        }
    }
}
