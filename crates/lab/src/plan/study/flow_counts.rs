//! How many flows a written variant has: a number, a word for the machine's CPUs, or a list.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileFlows(pub(super) Vec<Count>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    Number(u32),
    OfCpus(u32),
}

const ACCEPTED: &str =
    "a number of flows, \"cpus\", a multiple such as \"2 cpus\", or a list of these";

const MOST: u32 = 64;

/// `cpus`, `2 cpus`: how many times the CPUs.
pub(super) fn times_of(word: &str) -> Option<u32> {
    let times = word.strip_suffix("cpus")?.trim_end();
    let times = match times {
        "" => 1,
        times => times.parse().ok()?,
    };
    (1..=MOST).contains(&times).then_some(times)
}

/// Different for each multiple.
pub(super) fn unknown(times: u32) -> u32 {
    u32::MAX - times
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(OneCount)
    }
}

impl<'de> Deserialize<'de> for FileFlows {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(AllCounts)
    }
}

struct OneCount;

impl Visitor<'_> for OneCount {
    type Value = Count;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(ACCEPTED)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Count, E> {
        let number = u32::try_from(number);
        number
            .map(Count::Number)
            .map_err(|_| E::custom("too large: the maximum is 4,294,967,295 flows"))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Count, E> {
        let number = u64::try_from(number).map_err(|_| E::custom("flows must be at least 1"))?;
        self.visit_u64(number)
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Count, E> {
        let invalid = || E::invalid_value(serde::de::Unexpected::Str(word), &self);
        times_of(word).map(Count::OfCpus).ok_or_else(invalid)
    }
}

fn one(count: Count) -> FileFlows {
    FileFlows(vec![count])
}

struct AllCounts;

impl<'de> Visitor<'de> for AllCounts {
    type Value = FileFlows;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(ACCEPTED)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<FileFlows, E> {
        OneCount.visit_u64(number).map(one)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<FileFlows, E> {
        OneCount.visit_i64(number).map(one)
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<FileFlows, E> {
        OneCount.visit_str(word).map(one)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<FileFlows, A::Error> {
        let mut counts = Vec::new();
        while let Some(count) = list.next_element()? {
            counts.push(count);
        }
        match counts.is_empty() {
            true => Err(A::Error::custom(
                "a list of flows needs at least one number",
            )),
            false => Ok(FileFlows(counts)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<FileFlows, String> {
        serde_json::from_str(json).map_err(|error| error.to_string())
    }

    #[test]
    fn numbers_words_and_lists_are_read() {
        assert_eq!(read("5"), Ok(one(Count::Number(5))));
        assert_eq!(read("\"cpus\""), Ok(one(Count::OfCpus(1))));
        let each = vec![Count::Number(1), Count::OfCpus(2)];
        assert_eq!(read("[1, \"2 cpus\"]"), Ok(FileFlows(each)));
    }

    #[test]
    fn what_is_no_number_is_refused_with_what_may_be_written() {
        for text in ["\"many\"", "\"0 cpus\"", "\"cpus 2\"", "true", "[[1]]"] {
            let error = read(text).unwrap_err();
            assert!(error.contains("\"2 cpus\""), "{text}: {error}");
        }
        assert!(read("[]").unwrap_err().contains("at least one"));
        assert!(read("-1").unwrap_err().contains("at least 1"));
    }
}
