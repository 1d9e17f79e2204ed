//! Findings and settings in words: the same in the terminal and on the page.

mod circumstances;
mod launched;
mod other_ratios;

pub(crate) use circumstances::{circumstances, cut_short_together, ending, noise_of, not_counted};
pub(crate) use launched::{launched, run_again, run_study_again, work, work_apart, work_of};
pub(crate) use other_ratios::{is_contrary, other_ratios};

use lab::findings::Word;
use lab::{Answer, CaseResult, Cause, Finding};
use stats::{Estimate, Verdict};

/// What a text is about; colour may underline it and never carries it alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Tone {
    #[default]
    Plain,
    Strong,
    Quiet,
    Faster,
    Slower,
    Doubt,
}

impl Tone {
    /// The class that colours it on the page.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Doubt => "doubt",
            Self::Plain | Self::Strong | Self::Quiet => "same",
        }
    }
}

/// The tone of an answer.
pub(crate) fn tone(answer: &Answer) -> Tone {
    match answer.verdict {
        Some(Word::Faster) => Tone::Faster,
        Some(Word::Slower) => Tone::Slower,
        Some(Word::CannotTell | Word::NotCompared) => Tone::Doubt,
        Some(Word::Same | Word::Less | Word::More) | None => Tone::Plain,
    }
}

/// A comparison as a cell shows it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Comparison {
    /// `1.31x faster`.
    pub(crate) word: String,
    /// `[1.27x … 1.35x]`, in the direction of the word; where the word has none, the
    /// both ends in words, `0.4 % faster … 0.4 % slower`. Empty where there is none.
    pub(crate) interval: String,
    pub(crate) tone: Tone,
}

impl Comparison {
    /// Both in one line.
    pub(crate) fn with_interval(&self) -> String {
        format!("{} {}", self.word, self.interval)
            .trim_end()
            .to_owned()
    }
}

/// Whether a case compares nothing.
pub(crate) fn is_alone(case: &CaseResult) -> bool {
    case.variants.len() < 2
}

/// What stands where the first variant of a case would be compared: it is the reference, unless
/// there is nothing that it is one of.
pub(crate) fn of_first(case: &CaseResult) -> &'static str {
    match is_alone(case) {
        true => "alone",
        false => "reference",
    }
}

/// What the estimate and its verdict say, with the tone of the verdict.
pub(crate) fn comparison(estimate: Option<&Estimate>, verdict: &Verdict) -> Comparison {
    let said = lab::compared(estimate, verdict);
    Comparison {
        word: said.word,
        interval: said.interval,
        tone: match verdict {
            Verdict::Faster { .. } => Tone::Faster,
            Verdict::Slower { .. } => Tone::Slower,
            Verdict::Same { .. } => Tone::Plain,
            Verdict::CannotTell { .. } => Tone::Doubt,
        },
    }
}

/// The finding about a variant, by its label.
pub(crate) fn finding_of<'a>(case: &'a CaseResult, label: &str) -> Option<&'a Finding> {
    case.findings
        .iter()
        .find(|finding| finding.subject == label)
}

/// What is shared together, and cannot be distinguished by the models in between.
pub(crate) const BUNDLES: &str = "the address space, with which signal handlers are shared, or \
    the file table, with which the working folder is";

/// Which shared resource makes the difference in a case, in words.
pub(crate) fn cause(case: &CaseResult) -> (Tone, &'static str) {
    if !lab::is_compared(case) {
        return (Tone::Doubt, "not compared");
    }
    match case.shared.map(|shared| shared.cause) {
        Some(Cause::AddressSpace) => (Tone::Strong, "address space"),
        Some(Cause::FileTable) => (Tone::Strong, "file table"),
        Some(Cause::Both) => (Tone::Strong, "both"),
        Some(Cause::Neither) => (Tone::Plain, "neither"),
        Some(Cause::CannotTell) | None => (Tone::Doubt, "cannot tell"),
    }
}

pub(crate) use crate::number::many;

/// A parameter with its unit, which is left out where it is the same word: `grain (numbers)`,
/// `flows`.
pub(crate) fn with_unit(parameter: &str, unit: &str) -> String {
    let parameter = spoken(parameter);
    match parameter == unit {
        true => parameter,
        false => format!("{parameter} ({unit})"),
    }
}

/// The name of a parameter for people: `stack use` of `stack_use`.
pub(crate) fn spoken(parameter: &str) -> String {
    parameter.replace('_', " ")
}
