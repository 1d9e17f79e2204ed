//! What results hold of a study, of a variant, of a pair of variants and of a round, found by their names.

use flow::{Model, Rep};

use super::quantity::Amount;
use super::{CaseResult, Finding, RawSlot, Results, VariantSummary};
use crate::data::LabelledVariant;

impl Results {
    pub(crate) fn cases_of<'a>(&'a self, study: &str) -> impl Iterator<Item = &'a CaseResult> {
        let own = self
            .studies
            .iter()
            .filter(move |own| own.study.name == study);
        own.flat_map(|own| &own.cases)
    }

    pub(crate) fn case_named(&self, study: &str, case: &str) -> Option<&CaseResult> {
        self.cases_of(study).find(|own| own.case.name == case)
    }
}

impl CaseResult {
    pub(crate) fn place(&self, label: &str) -> Option<usize> {
        self.case.variants.iter().position(|own| own.label == label)
    }

    pub(crate) fn labelled(&self, label: &str) -> Option<&LabelledVariant> {
        self.case.variants.iter().find(|own| own.label == label)
    }

    pub(crate) fn label_of(&self, model: Model) -> Option<&str> {
        let mut variants = self.case.variants.iter();
        let own = variants.find(|own| own.variant.model == model)?;
        Some(&own.label)
    }

    pub(crate) fn summary(&self, label: &str) -> Option<&VariantSummary> {
        self.variants.iter().find(|own| own.label == label)
    }

    pub(crate) fn amount(&self, quantity: &str, label: &str) -> Option<&Amount> {
        self.quantity(quantity, label)?.value.value()
    }

    pub(crate) fn finding(&self, subject: &str, reference: &str) -> Option<&Finding> {
        let sides = (subject, reference);
        let mut findings = self.findings.iter();
        findings.find(|own| (own.subject.as_str(), own.reference.as_str()) == sides)
    }

    pub(crate) fn between(&self, one: &str, other: &str) -> Option<&Finding> {
        self.finding(one, other)
            .or_else(|| self.finding(other, one))
    }

    pub(crate) fn is_of_sweep(&self, name: &str) -> bool {
        let point = self.case.sweep.as_ref();
        point.is_some_and(|point| point.sweep == name)
    }

    pub(crate) fn slots_of(&self, variant: usize) -> impl Iterator<Item = &RawSlot> + Clone {
        super::paired::of(&self.slots, variant)
    }

    pub(crate) fn reps_of(&self, variant: usize) -> impl Iterator<Item = &Rep> {
        let done = self
            .slots_of(variant)
            .filter_map(|slot| slot.outcome.answer.done());
        done.flat_map(|record| &record.reps)
    }
}
