//! The keys that a study file may have. Whatever else it has is refused.

use std::collections::BTreeMap;
use std::fmt;

use flow::{Model, Pages};
use serde::Deserialize;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserializer, Error, SeqAccess, Unexpected, Visitor};
use toml::Spanned;

use super::command::Command;
use super::flow_counts::FileFlows;
use super::spanned_params::Parameters;
use super::sweep_value::SweepValue;
use crate::data::axis::{Axis, each_axis};
use crate::data::number::read_bytes;
use crate::data::{Deciding, Decision, Metric, Published};

#[derive(Deserialize)]
pub(super) struct OnlySchema {
    pub(super) schema: Spanned<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileStudy {
    #[serde(rename = "schema")]
    _schema: u32,
    #[serde(rename = "order")]
    _order: Option<u32>,
    pub(super) name: Spanned<String>,
    pub(super) title: String,
    pub(super) stands_for: String,
    pub(super) headline: Spanned<String>,
    #[serde(default)]
    pub(super) deciding: Vec<Spanned<Deciding>>,
    /// `xeon-x5570,pages=2M`: as `--simulate`.
    pub(super) simulate: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) terms: BTreeMap<String, String>,
    pub(super) origin: Option<FileOrigin>,
    pub(super) decision: Option<Decision>,
    #[serde(rename = "command")]
    _command: Option<Command>,
    #[serde(default)]
    pub(super) published: Vec<Spanned<Published>>,
    #[serde(default)]
    pub(super) work: Parameters,
    #[serde(rename = "case")]
    pub(super) cases: Vec<Spanned<FileCase>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileOrigin {
    pub(super) author: String,
    pub(super) title: String,
    pub(super) year: u32,
    pub(super) finding: String,
    pub(super) setup: Option<String>,
    #[serde(default)]
    pub(super) topics: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileCase {
    pub(super) name: Spanned<String>,
    pub(super) title: String,
    pub(super) work: Option<Spanned<Parameters>>,
    #[serde(default)]
    pub(super) metric: Metric,
    #[serde(rename = "variant")]
    pub(super) variants: Vec<Spanned<FileVariant>>,
    pub(super) each: Option<FileEach>,
    pub(super) sweep: Option<FileSweep>,
    pub(super) reps: Option<u32>,
    pub(super) max_rounds: Option<usize>,
    pub(super) floor: Option<f64>,
    /// The label of the variant of those who do not ask: the question is which is best.
    pub(super) default: Option<Spanned<String>>,
    #[serde(rename = "ballast")]
    pub(super) parent_memory: Option<Bytes>,
    pub(super) ballast_pages: Option<Pages>,
    #[serde(default)]
    pub(super) quick: Overrides,
    #[serde(default)]
    pub(super) full: Overrides,
}

macro_rules! file_variant {
    ([$($axis:ident)*] $($rest:tt)*) => {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct FileVariant {
            $($rest)*
            $($axis: Option<Spanned<String>>,)*
        }

        impl FileVariant {
            pub(super) fn axes(&self) -> impl Iterator<Item = (&'static Axis, &Spanned<String>)> {
                let written = [$((stringify!($axis), &self.$axis)),*];
                let written = written.into_iter();
                written.filter_map(|(key, word)| Some((Axis::of(key)?, word.as_ref()?)))
            }
        }
    };
}
each_axis! { file_variant! {
    pub(super) model: Model,
    /// May be left out where the model has its own count (`4x2`), or the work (`turns`).
    pub(super) flows: Option<FileFlows>,
    /// Where it has other parent memory than its case: 0 for none.
    pub(super) ballast: Option<Bytes>,
    pub(super) ballast_pages: Option<Pages>,
    pub(super) label: Option<String>,
    /// Leaves the variant out of the quick preset.
    #[serde(default)]
    pub(super) full_only: bool,
    pub(super) most_flows: Option<u32>,
    /// Seconds between two samples of a sampler beside its slots.
    pub(super) sample_s: Option<Spanned<f64>>,
    /// It must prove the same.
    #[serde(default)]
    pub(super) work: Parameters,
} }

/// A case for each word of a parameter of its work; `{PARAMETER}` in its title is the word.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileEach {
    pub(super) parameter: Spanned<String>,
    pub(super) values: Words,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileSweep {
    pub(super) name: String,
    pub(super) parameter: Spanned<String>,
    pub(super) values: Vec<SweepValue>,
    pub(super) unit: String,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Overrides {
    pub(super) skip: bool,
    pub(super) work: Parameters,
    pub(super) each: Option<Words>,
    pub(super) values: Option<Vec<SweepValue>>,
    pub(super) reps: Option<u32>,
    pub(super) max_rounds: Option<usize>,
    #[serde(rename = "ballast")]
    pub(super) parent_memory: Option<Bytes>,
    pub(super) sample_s: Option<Spanned<f64>>,
}

/// `67_108_864` or `"64M"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bytes(pub(super) u64);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected bytes, such as 4096 or \"64M\"")]
        enum Written {
            Number(u64),
            Text(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(bytes) => Ok(Self(bytes)),
            Written::Text(text) => read_bytes(&text).map(Self).map_err(D::Error::custom),
        }
    }
}

const ALL: &str = "all";

/// `["a", "b"]` or `"all"`.
pub(super) enum Words {
    All,
    These(Vec<Spanned<String>>),
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(AnyWords)
    }
}

struct AnyWords;

impl<'de> Visitor<'de> for AnyWords {
    type Value = Words;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of words, or \"all\" for every operation")
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Words, E> {
        match word {
            ALL => Ok(Words::All),
            other => Err(E::invalid_value(Unexpected::Str(other), &self)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Words, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(Words::These)
    }
}
