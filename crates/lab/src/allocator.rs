//! Allocators asked for on the command line, laid on every variant of a study.
//!
//! One allocator is laid on all variants alike: the question is then what the study answers under
//! it. Several make one variant each out of every one, in the order given, so that the first
//! stays the reference. A variant whose study names its allocator keeps it.

use flow::{Allocator, Variant};

use crate::study::unique;
use crate::{Case, LabelledVariant, Study};

/// The study with those allocators; as it is where none is asked for.
#[must_use]
pub fn with_allocators(mut study: Study, allocators: &[Allocator]) -> Study {
    if !allocators.is_empty() {
        study
            .cases
            .iter_mut()
            .for_each(|case| lay(case, allocators));
    }
    study
}

fn lay(case: &mut Case, allocators: &[Allocator]) {
    let variants = case.variants.iter();
    let mut laid: Vec<LabelledVariant> =
        variants.flat_map(|one| laid_on(one, allocators)).collect();
    let labels = unique(laid.iter().map(|one| one.label.clone()).collect());
    for (one, label) in laid.iter_mut().zip(labels) {
        one.label = label;
    }
    case.variants = laid;
    if let [one] = allocators {
        case.title = format!("{}, with the allocator {}", case.title, one.label());
    }
}

fn laid_on(one: &LabelledVariant, allocators: &[Allocator]) -> Vec<LabelledVariant> {
    if one.variant.allocator.is_some() {
        return vec![one.clone()];
    }
    let label = |allocator: &Allocator| match allocators.len() {
        1 => one.label.clone(),
        _ => format!("{} {}", one.label, allocator.label()),
    };
    let with = |allocator: &Allocator| LabelledVariant {
        label: label(allocator),
        variant: Variant {
            allocator: Some(allocator.clone()),
            ..one.variant.clone()
        },
        ..one.clone()
    };
    allocators.iter().map(with).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    fn laid(allocators: &[&str]) -> Study {
        let study = testing::study(vec![testing::case("c", 1, &["process", "thread"])]);
        let allocators: Vec<_> = allocators
            .iter()
            .map(|name| name.parse().unwrap())
            .collect();
        with_allocators(study, &allocators)
    }

    fn labels(study: &Study) -> Vec<&str> {
        let variants = study.cases[0].variants.iter();
        variants.map(|variant| variant.label.as_str()).collect()
    }

    #[test]
    fn one_allocator_is_laid_on_all_variants_alike() {
        let study = laid(&["core-aware"]);
        assert_eq!(labels(&study), ["process", "thread"]);
        assert_eq!(study.cases[0].title, "c, with the allocator core-aware");
        let variants = study.cases[0].variants.iter();
        let names = variants.map(|v| v.variant.allocator.as_ref().map(Allocator::name));
        assert!(names.into_iter().all(|name| name == Some("core-aware")));
    }

    #[test]
    fn several_make_variants_of_each() {
        let study = laid(&["libc", "core-aware"]);
        let expected = [
            "process libc",
            "process core-aware",
            "thread libc",
            "thread core-aware",
        ];
        assert_eq!(labels(&study), expected);
    }

    #[test]
    fn none_changes_nothing() {
        assert_eq!(labels(&laid(&[])), ["process", "thread"]);
    }
}
