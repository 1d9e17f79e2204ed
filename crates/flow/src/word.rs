//! Words of a fixed set, as people and files write them.

/// A word that is none of the accepted ones.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is no {what}: use {accepted}")]
pub struct WordError {
    text: String,
    what: &'static str,
    accepted: &'static str,
}

impl WordError {
    /// That `text` is no `what`, and which words are.
    #[must_use]
    pub fn new(text: &str, what: &'static str, accepted: &'static str) -> Self {
        Self {
            text: text.to_owned(),
            what,
            accepted,
        }
    }
}

/// Has a type read from words, each with its value, and written as the first word that fits.
#[macro_export]
#[doc(hidden)]
macro_rules! words {
    ($type:ty, $what:literal, $accepted:literal, [$($word:literal => $value:expr),+]) => {
        impl $type {
            pub(crate) const WORDS: &[(&'static str, Self)] = &[$(($word, $value)),+];
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let word = Self::WORDS.iter().find(|(_, value)| value == self);
                f.pad(word.map_or("", |(word, _)| word))
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::WordError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let known = Self::WORDS.iter().find(|(word, _)| *word == text);
                known
                    .map(|(_, value)| *value)
                    .ok_or_else(|| $crate::WordError::new(text, $what, $accepted))
            }
        }
    };
}
pub(crate) use words;

/// Has a type that serde writes into a `String` be its text there.
macro_rules! as_text {
    ($type:ty) => {
        impl From<$type> for String {
            fn from(value: $type) -> Self {
                value.to_string()
            }
        }

        impl TryFrom<String> for $type {
            type Error = <$type as std::str::FromStr>::Err;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }
    };
}
pub(crate) use as_text;

#[cfg(test)]
mod tests {
    use std::fmt::{Debug, Display};
    use std::str::FromStr;

    use super::WordError;
    use crate::{Channel, HandOver, HeapPages, MemoryPolicy, Pages, Policy, Schedule};

    fn read_back<T>(words: &[(&str, T)], other: &str, said: &str)
    where
        T: Copy + Debug + Display + PartialEq + FromStr<Err = WordError>,
    {
        for (word, value) in words.iter().filter(|(word, _)| *word != "4K") {
            assert_eq!(
                (word.parse(), value.to_string()),
                (Ok(*value), (*word).to_owned())
            );
        }
        let error = other.parse::<T>().unwrap_err().to_string();
        assert!(
            error.contains(&format!("'{other}' is no {said}")),
            "{error}"
        );
    }

    #[test]
    fn words_read_back_and_others_are_refused_with_those_there_are() {
        read_back(
            Policy::WORDS,
            "fifo",
            "policy of the scheduler: use other, batch, idle, short",
        );
        read_back(
            MemoryPolicy::WORDS,
            "spread",
            "memory policy: use local or interleave",
        );
        read_back(
            HeapPages::WORDS,
            "8m",
            "kind of pages for a heap: use 4k, 2m, 4m, 1g or thp",
        );
        read_back(
            HandOver::WORDS,
            "fifo",
            "way to hand over: use sched_yield, pipe, futex or ignored",
        );
        read_back(
            Pages::WORDS,
            "2m",
            "kind of pages: use 4k, huge, shared or dontfork",
        );
        read_back(Schedule::WORDS, "pool", "schedule: use static or queue");
        read_back(Channel::WORDS, "socket", "channel: use fifo, pipe or shm");
        assert_eq!("4K".parse(), Ok(Pages::Small));
    }
}
