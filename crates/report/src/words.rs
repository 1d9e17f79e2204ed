//! Findings and settings in words: the same in the terminal and on the page.

mod circumstances;
mod launched;
mod other_ratios;

pub(crate) use circumstances::{circumstances, cut_short_together, ending, noise_of, not_counted};
pub(crate) use launched::{launched, run_again, run_study_again, work, work_apart, work_of};
pub(crate) use other_ratios::{is_contrary, other_ratios};

use lab::findings::Word;
use lab::{Answer, CaseResult, Cause, Finding, VariantSummary};
use stats::{Estimate, Verdict};

use crate::document::table::{Cell, text};

/// Colour may underline it and never carries it alone.
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
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Doubt => "doubt",
            Self::Plain | Self::Strong | Self::Quiet => "same",
        }
    }
}

pub(crate) fn tone(answer: &Answer) -> Tone {
    tone_of(answer.verdict)
}

pub(crate) fn tone_of(verdict: Option<Word>) -> Tone {
    match verdict {
        Some(Word::Faster) => Tone::Faster,
        Some(Word::Slower) => Tone::Slower,
        Some(Word::CannotTell | Word::NotCompared) => Tone::Doubt,
        Some(Word::Same | Word::Less | Word::More) | None => Tone::Plain,
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Comparison {
    pub(crate) word: String,
    /// `[1.27x … 1.35x]`, in the word's direction, or `0.4 % faster … 0.4 % slower`, or empty.
    pub(crate) interval: String,
    pub(crate) tone: Tone,
}

impl Comparison {
    pub(crate) fn with_interval(&self) -> String {
        format!("{} {}", self.word, self.interval)
            .trim_end()
            .to_owned()
    }

    pub(crate) fn cell(&self) -> Cell {
        text(&self.word).tone(self.tone)
    }
}

pub(crate) fn is_alone(case: &CaseResult) -> bool {
    case.variants.len() < 2
}

pub(crate) fn of_first(case: &CaseResult) -> &'static str {
    match is_alone(case) {
        true => "alone",
        false => "reference",
    }
}

pub(crate) fn comparison(estimate: Option<&Estimate>, verdict: &Verdict) -> Comparison {
    let said = lab::compared(estimate, verdict);
    Comparison {
        word: said.word,
        interval: said.interval,
        tone: tone_of(Some(Word::of_time(*verdict))),
    }
}

pub(crate) fn found(finding: &Finding) -> Comparison {
    comparison(finding.estimate.as_ref(), &finding.verdict)
}

pub(crate) fn finding_of<'a>(case: &'a CaseResult, label: &str) -> Option<&'a Finding> {
    case.findings
        .iter()
        .find(|finding| finding.subject == label)
}

pub(crate) fn variant_of<'a>(case: &'a CaseResult, label: &str) -> Option<&'a VariantSummary> {
    case.variants.iter().find(|variant| variant.label == label)
}

pub(crate) fn place_of(case: &CaseResult, label: &str) -> Option<usize> {
    let mut variants = case.variants.iter();
    variants.position(|variant| variant.label == label)
}

/// What is shared together, and cannot be distinguished by the models in between.
pub(crate) const BUNDLES: &str = "the address space, with which signal handlers are shared, or \
    the file table, with which the working folder is";

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

/// `a, b and 3 more`.
pub(crate) fn first_of(names: &[impl AsRef<str>], most: usize, between: &str) -> String {
    let named: Vec<&str> = names.iter().take(most).map(AsRef::as_ref).collect();
    let named = named.join(between);
    match names.len().saturating_sub(most) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// `grain (numbers)`; the unit is left out where it is the same word: `flows`.
pub(crate) fn with_unit(parameter: &str, unit: &str) -> String {
    let parameter = spoken(parameter);
    match parameter == unit {
        true => parameter,
        false => format!("{parameter} ({unit})"),
    }
}

pub(crate) fn spoken(parameter: &str) -> String {
    parameter.replace('_', " ")
}
