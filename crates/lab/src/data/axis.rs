//! Axes: what a variant may differ in, beside model and number of flows. A new axis is a field of
//! [`Variant`] and a row of [`AXES`]; the compiler names what is missing. Parent memory is laid on
//! models that fork alone (`plan::parent_memory`).

use std::collections::BTreeMap;
use std::str::FromStr;

use flow::parent_memory::HeldParentMemory;
use flow::{Allocator, HeapPages, MemoryPolicy, Pages, ParentMemory, Policy, Quota, Variant};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Hands the names of the axes that a word says to another macro.
macro_rules! each_axis {
    ($with:ident! { $($rest:tt)* }) => {
        $with! {
            [placement schedule channel allocator heap_pages memory_policy policy quota]
            $($rest)*
        }
    };
}
pub(crate) use each_axis;

macro_rules! fields {
    ([$($axis:ident)*]) => {
        const WRITTEN: &[&str] = &[$(stringify!($axis)),*];
        /// A field of a variant that is no axis does not compile here.
        const _: fn(Variant) =
            |Variant { model: _, flows: _, parent_memory: _, faster: _, $($axis: _),* }| ();
    };
}
const AXIS_COUNT: usize = WRITTEN.len() + 1;
each_axis! { fields! {} }

/// What is known about an axis.
#[derive(Debug)]
pub struct Axis {
    /// Its key in study files, and its field.
    pub key: &'static str,
    /// Sets what a word says, of an axis that has a key; the reason where there is no such word.
    pub set: fn(&mut Variant, &str) -> Result<(), String>,
    /// What a variant has, as a word; none where nothing is asked for.
    pub word: fn(&Variant) -> Option<String>,
    /// The second argument is all variants of the case.
    pub(crate) label: fn(&Variant, &[Variant]) -> Option<String>,
    /// Columns of `summary.csv` and `slots.csv`.
    pub columns: &'static [Column],
    /// What reports say of a launch, from the word.
    pub said: fn(&str) -> String,
    pub(crate) check: fn(&Variant) -> Result<(), String>,
    /// The flag that lays it on every variant.
    pub laid: Option<Laid>,
}

/// A column of results: its name, and a number, a text or nothing.
pub type Column = (&'static str, fn(&Variant) -> Value);

/// A flag of every run.
#[derive(Debug)]
pub struct Laid {
    /// Its name, without the two hyphens.
    pub flag: &'static str,
    /// Its help.
    pub help: fn() -> String,
    /// Whether only the long help has it.
    pub is_hidden: bool,
    /// The key of the settings.
    pub setting: &'static str,
    pub(crate) title: &'static str,
    pub(crate) idle: fn() -> Option<String>,
}

/// Every axis, in the order of columns, labels and reports.
pub static AXES: [Axis; AXIS_COUNT] = [
    Axis {
        key: "placement",
        set: |variant, word| read(word, &mut variant.placement),
        word: |variant| Some(variant.placement.to_string()),
        label: |variant, _| Some(variant.placement.to_string()),
        columns: &[("placement", |variant| variant.placement.to_string().into())],
        ..USUAL
    },
    Axis {
        key: "schedule",
        set: |variant, word| read(word, &mut variant.schedule),
        word: |variant| Some(variant.schedule.to_string()),
        label: |variant, _| Some(variant.schedule.to_string()),
        columns: &[("schedule", |variant| variant.schedule.to_string().into())],
        ..USUAL
    },
    Axis {
        key: "channel",
        set: |variant, word| read(word, &mut variant.channel),
        word: |variant| Some(variant.channel.to_string()),
        label: |variant, _| Some(variant.channel.to_string()),
        columns: &[("channel", |variant| variant.channel.to_string().into())],
        ..USUAL
    },
    Axis {
        key: "parent_memory",
        word: |variant| Some(variant.parent_memory?.to_string()),
        label: |variant, all| {
            let held = variant.parent_memory?;
            let bytes = |one: &Variant| one.parent_memory.map(|held| held.bytes);
            let is_same = all.windows(2).all(|two| bytes(&two[0]) == bytes(&two[1]));
            Some(match is_same {
                true => held.pages.to_string(),
                false => held.to_string(),
            })
        },
        columns: &[
            ("ballast_bytes", |variant| {
                variant.parent_memory.map(|held| held.bytes).into()
            }),
            ("ballast_pages", |variant| {
                shown(variant.parent_memory.map(|held| held.pages))
            }),
        ],
        said: |word| format!("{word} of parent memory"),
        check: |variant| variant.parent_memory.map_or(Ok(()), held),
        ..USUAL
    },
    Axis {
        key: "allocator",
        set: |variant, word| read_some(word, &mut variant.allocator),
        word: |variant| Some(variant.allocator.as_ref()?.to_string()),
        label: |variant, _| Some(variant.allocator.as_ref()?.label().to_owned()),
        columns: &[("allocator", |variant| {
            shown(variant.allocator.as_ref().map(Allocator::name))
        })],
        said: |word| format!("with the allocator {word}"),
        check: |variant| {
            let named = variant.allocator.as_ref();
            named.map_or(Ok(None), flow::library::of).map(drop)
        },
        laid: Some(Laid {
            flag: "allocator",
            help: || {
                format!(
                    "Run everything under this memory allocator: {}; several values: every variant \
                     runs with each",
                    Allocator::choices()
                )
            },
            is_hidden: false,
            setting: "allocators",
            title: "with the allocator",
            idle: || None,
        }),
    },
    Axis {
        key: "heap_pages",
        set: |variant, word| read_some(word, &mut variant.heap_pages),
        word: |variant| Some(variant.heap_pages?.to_string()),
        label: |variant, _| Some(variant.heap_pages?.to_string()),
        columns: &[("heap_pages", |variant| shown(variant.heap_pages))],
        said: |word| format!("its heap on pages of {word}"),
        check: |variant| {
            let check = |pages: HeapPages| pages.check(variant.allocator.as_ref());
            variant.heap_pages.map_or(Ok(()), check)
        },
        laid: Some(Laid {
            flag: "heap-pages",
            help: || {
                "Put the heap of everything on these pages: 4k, thp (huge ones where the kernel \
                 can), 2m, 4m or 1g (reserved ones); several values: every variant runs with each"
                    .to_owned()
            },
            is_hidden: false,
            setting: "heap_pages",
            title: "heaps on pages of",
            idle: || None,
        }),
    },
    Axis {
        key: "memory_policy",
        set: |variant, word| read_some(word, &mut variant.memory_policy),
        word: |variant| Some(variant.memory_policy?.to_string()),
        label: |variant, _| Some(variant.memory_policy?.to_string()),
        columns: &[("memory_policy", |variant| shown(variant.memory_policy))],
        said: |word| format!("with the memory policy {word}"),
        check: |variant| variant.memory_policy.map_or(Ok(()), MemoryPolicy::check),
        laid: Some(Laid {
            flag: "memory-policy",
            help: || {
                "Put new pages on memory nodes by this policy: local (the node of the CPU that \
                 touches a page first) or interleave (all in turn); both values: every variant runs \
                 with each"
                    .to_owned()
            },
            is_hidden: true,
            setting: "memory_policies",
            title: "with the memory policy",
            idle: || {
                (MemoryPolicy::nodes().ok()? == 1).then(|| {
                    "the memory policy has no effect here: this process may have pages on one \
                     memory node alone"
                        .to_owned()
                })
            },
        }),
    },
    Axis {
        key: "policy",
        set: |variant, word| read_some(word, &mut variant.policy),
        word: |variant| Some(variant.policy?.to_string()),
        label: |variant, _| Some(variant.policy?.to_string()),
        columns: &[("policy", |variant| shown(variant.policy))],
        said: |word| format!("with the scheduler's policy {word}"),
        check: |variant| variant.policy.map_or(Ok(()), Policy::check),
        ..USUAL
    },
    Axis {
        key: "quota",
        set: |variant, word| read_some(word, &mut variant.quota),
        word: |variant| Some(variant.quota?.to_string()),
        label: |variant, _| Some(format!("quota {}", variant.quota?)),
        columns: &[("quota", |variant| shown(variant.quota))],
        said: Quota::said,
        check: |variant| variant.quota.map_or(Ok(()), Quota::check),
        laid: Some(Laid {
            flag: "quota",
            help: || {
                "Give everything this CPU time by a control group: CPUs such as 0.5 (of each 100 ms), \
                 weight=50 (where others want the CPUs too), or none; several values: every variant \
                 runs with each"
                    .to_owned()
            },
            is_hidden: false,
            setting: "quotas",
            title: "with a",
            idle: || None,
        }),
    },
];

const USUAL: Axis = Axis {
    key: "",
    set: |_, _| Ok(()),
    word: |_| None,
    label: |_, _| None,
    columns: &[],
    said: str::to_owned,
    check: |_| Ok(()),
    laid: None,
};

fn read<T: FromStr<Err: ToString>>(word: &str, into: &mut T) -> Result<(), String> {
    *into = word.parse().map_err(|error: T::Err| error.to_string())?;
    Ok(())
}

fn read_some<T: FromStr<Err: ToString>>(word: &str, into: &mut Option<T>) -> Result<(), String> {
    *into = Some(word.parse().map_err(|error: T::Err| error.to_string())?);
    Ok(())
}

fn shown<T: ToString>(word: Option<T>) -> Value {
    word.map(|word| word.to_string()).into()
}

/// Bytes of parent memory tried: all can take seconds, and a slot that gets less says so.
const TRIED: u64 = 64 << 20;

fn held(asked: ParentMemory) -> Result<(), String> {
    let tried = ParentMemory {
        bytes: asked.bytes.min(TRIED),
        ..asked
    };
    match asked.pages {
        Pages::Huge => HeldParentMemory::take(tried)
            .map(drop)
            .map_err(|error| error.to_string()),
        Pages::Small | Pages::Shared | Pages::DontFork => Ok(()),
    }
}

impl Axis {
    /// The axis of a key of study files.
    #[must_use]
    pub fn of(key: &str) -> Option<&'static Self> {
        Self::written().find(|axis| axis.key == key)
    }

    /// Those that have a key in study files.
    pub fn written() -> impl Iterator<Item = &'static Self> {
        AXES.iter().filter(|axis| WRITTEN.contains(&axis.key))
    }

    /// Those that a flag of every run lays on all variants.
    pub fn laid() -> impl Iterator<Item = (&'static Self, &'static Laid)> {
        AXES.iter()
            .filter_map(|axis| Some((axis, axis.laid.as_ref()?)))
    }

    /// That a word means something on it; the error says what does.
    pub fn read(&self, word: &str) -> Result<(), String> {
        (self.set)(&mut Variant::new(flow::Model::Thread, 1), word)
    }
}

/// Words of axes that the command line lays on every variant, by the keys of the settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct LaidWords(BTreeMap<&'static str, Vec<String>>);

impl LaidWords {
    /// The words on an axis; none where nothing is laid on it.
    #[must_use]
    pub fn on(&self, laid: &Laid) -> &[String] {
        self.0.get(laid.setting).map_or(&[], Vec::as_slice)
    }

    /// Lays words on an axis.
    pub fn lay(&mut self, laid: &'static Laid, words: Vec<String>) {
        if !words.is_empty() {
            self.0.insert(laid.setting, words);
        }
    }

    /// Whether nothing is laid on any axis.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Beside other settings: what no axis is called is one of those.
impl<'de> Deserialize<'de> for LaidWords {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let all = BTreeMap::<String, Value>::deserialize(from)?;
        let mut words = Self::default();
        for (_, laid) in Axis::laid() {
            if let Some(own) = all.get(laid.setting) {
                let own = Vec::deserialize(own).map_err(serde::de::Error::custom)?;
                words.lay(laid, own);
            }
        }
        Ok(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_has_a_key_of_its_own_and_the_columns_of_its_values() {
        let mut keys: Vec<&str> = AXES.iter().map(|axis| axis.key).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), AXIS_COUNT);
        assert!(AXES.iter().all(|axis| !axis.columns.is_empty()));
        assert_eq!(Axis::written().count(), WRITTEN.len());
    }

    /// Three settings of their own, before the words of axes had one place.
    #[test]
    fn settings_keep_their_keys() {
        let text = r#"{"seed": 1, "heap_pages": ["4k", "thp"], "memory_policies": ["local"]}"#;
        let words: LaidWords = serde_json::from_str(text).unwrap();
        let written = serde_json::to_value(&words).unwrap();
        let expected =
            serde_json::json!({ "heap_pages": ["4k", "thp"], "memory_policies": ["local"] });
        assert_eq!(written, expected);
    }

    #[test]
    fn a_word_of_no_axis_is_refused_with_those_there_are() {
        let axis = Axis::of("memory_policy").unwrap();
        assert_eq!(axis.read("interleave"), Ok(()));
        assert!(axis.read("spread").unwrap_err().contains("interleave"));
    }
}
