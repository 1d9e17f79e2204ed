//! Values of options that are one of some words.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use lab::{Preset, Value};

/// Reads a word as what it stands for; each has its help.
pub(super) fn one_of<T: Clone + Send + Sync + 'static, const N: usize>(
    words: [(&'static str, &'static str, T); N],
) -> impl TypedValueParser<Value = T> {
    let known = words
        .clone()
        .map(|(word, help, _)| PossibleValue::new(word).help(help));
    PossibleValuesParser::new(known).try_map(move |given| {
        let mut words = words.iter();
        let found = words.find(|(word, ..)| *word == given);
        found
            .map(|(.., stands_for)| stands_for.clone())
            .ok_or("no such word")
    })
}

/// How much work a study does.
pub(super) fn preset() -> impl TypedValueParser<Value = Preset> {
    one_of([
        ("quick", "An answer in seconds", Preset::Quick),
        ("full", "The size of the original", Preset::Full),
    ])
}

/// What stands for a slot.
pub(super) fn value() -> impl TypedValueParser<Value = Value> {
    one_of([
        ("typical", "The median of its repetitions", Value::Typical),
        ("undisturbed", "The fastest of them", Value::Undisturbed),
    ])
}
