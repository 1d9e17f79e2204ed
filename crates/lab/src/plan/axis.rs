//! What the command line lays on every variant of a study: allocators, pages of heaps, memory policies.
//!
//! One value is laid on all variants alike: the question is then what the study answers under it.
//! Several make one variant each out of every one, in the order given, so that the first stays the
//! reference. A variant whose study names its own value keeps it.

use flow::{Allocator, HeapPages, MemoryPolicy, Variant};

use crate::data::{Case, LabelledVariant, Study, unique};

/// The study with those allocators; as it is where none is asked for.
#[must_use]
pub fn with_allocators(study: Study, allocators: &[Allocator]) -> Study {
    let axis = Axis {
        values: allocators,
        has_its_own: |variant| variant.allocator.is_some(),
        set: |variant, allocator| variant.allocator = Some(allocator.clone()),
        word: |allocator| allocator.label().to_owned(),
        title: "with the allocator",
    };
    axis.lay_on(study)
}

/// The study with heaps on those pages; as it is where none are asked for.
#[must_use]
pub fn with_heap_pages(study: Study, pages: &[HeapPages]) -> Study {
    let axis = Axis {
        values: pages,
        has_its_own: |variant| variant.heap_pages.is_some(),
        set: |variant, pages| variant.heap_pages = Some(*pages),
        word: HeapPages::to_string,
        title: "heaps on pages of",
    };
    axis.lay_on(study)
}

/// The study with pages on memory nodes by those policies; as it is where none are asked for.
#[must_use]
pub fn with_memory_policies(study: Study, policies: &[MemoryPolicy]) -> Study {
    let axis = Axis {
        values: policies,
        has_its_own: |variant| variant.memory_policy.is_some(),
        set: |variant, policy| variant.memory_policy = Some(*policy),
        word: MemoryPolicy::to_string,
        title: "with the memory policy",
    };
    axis.lay_on(study)
}

struct Axis<'a, T> {
    values: &'a [T],
    has_its_own: fn(&Variant) -> bool,
    set: fn(&mut Variant, &T),
    word: fn(&T) -> String,
    /// What stands before the word in a title.
    title: &'static str,
}

impl<T> Axis<'_, T> {
    fn lay_on(&self, mut study: Study) -> Study {
        if !self.values.is_empty() {
            study.cases.iter_mut().for_each(|case| self.lay(case));
        }
        study
    }

    fn lay(&self, case: &mut Case) {
        let variants = case.variants.iter();
        let mut laid: Vec<LabelledVariant> = variants.flat_map(|one| self.laid_on(one)).collect();
        let labels = unique(laid.iter().map(|one| one.label.clone()).collect());
        for (one, label) in laid.iter_mut().zip(labels) {
            one.label = label;
        }
        case.variants = laid;
        if let [one] = self.values {
            case.title = format!("{}, {} {}", case.title, self.title, (self.word)(one));
        }
    }

    fn laid_on(&self, one: &LabelledVariant) -> Vec<LabelledVariant> {
        if (self.has_its_own)(&one.variant) {
            return vec![one.clone()];
        }
        let with = |value: &T| {
            let mut laid = one.clone();
            (self.set)(&mut laid.variant, value);
            if self.values.len() > 1 {
                laid.label = format!("{} {}", one.label, (self.word)(value));
            }
            laid
        };
        self.values.iter().map(with).collect()
    }
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
    fn pages_are_laid_on_what_names_none_itself() {
        let pages: Vec<HeapPages> = ["4k", "thp"].map(|word| word.parse().unwrap()).into();
        let mut study = laid(&[]);
        study.cases[0].variants[0].variant.heap_pages = Some(pages[1]);
        let study = with_heap_pages(study, &pages);
        assert_eq!(labels(&study), ["process", "thread 4k", "thread thp"]);
    }

    #[test]
    fn memory_policies_are_laid_likewise() {
        let both = [MemoryPolicy::Local, MemoryPolicy::Interleave];
        let study = with_memory_policies(laid(&[]), &both);
        let expected = [
            "process local",
            "process interleave",
            "thread local",
            "thread interleave",
        ];
        assert_eq!(labels(&study), expected);
        let study = with_memory_policies(laid(&[]), &both[1..]);
        assert_eq!(study.cases[0].title, "c, with the memory policy interleave");
    }

    #[test]
    fn none_changes_nothing() {
        assert_eq!(labels(&laid(&[])), ["process", "thread"]);
    }
}
