//! Changes of a program from outside, each a variant.

use flow::placement::Cpus;
use flow::{Allocator, Placement};
use lab::LabelledVariant;
use program::{CpuChoice, Knobs, Program};
use workload::Work;

/// The program as it is, and once with each change that this machine allows.
pub(super) fn variants(
    as_it_is: LabelledVariant,
    program: &Program,
    cpus: &Cpus,
) -> Vec<LabelledVariant> {
    let changed = |label: String, knobs: Knobs| LabelledVariant {
        label,
        work: Some(Work::Program(Box::new(Program {
            knobs,
            ..program.clone()
        }))),
        ..as_it_is.clone()
    };
    let mut all = vec![LabelledVariant {
        label: "as it is".to_owned(),
        ..as_it_is.clone()
    }];
    all.extend(
        knobs(cpus)
            .into_iter()
            .map(|(label, knobs)| changed(label, knobs)),
    );
    // Flags that place it already ask just that.
    if as_it_is.variant.placement != Placement::Free {
        let mut free = changed("on any CPU".to_owned(), Knobs::default());
        free.variant.placement = Placement::Free;
        all.push(free);
    }
    all
}

fn knobs(cpus: &Cpus) -> Vec<(String, Knobs)> {
    let variable = |name: &str, value: &str| Knobs {
        env: [(name.to_owned(), value.to_owned())].into(),
        ..Knobs::default()
    };
    let none = Knobs::default;
    let flags = [
        ("one malloc arena", variable("MALLOC_ARENA_MAX", "1")),
        (
            "malloc asks for huge pages",
            variable("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1"),
        ),
        (
            "no huge pages",
            Knobs {
                no_huge_pages: true,
                ..none()
            },
        ),
        (
            "fixed addresses",
            Knobs {
                no_randomisation: true,
                ..none()
            },
        ),
        (
            "batch scheduling",
            Knobs {
                batch: true,
                ..none()
            },
        ),
    ];
    let flags = flags.map(|(name, knobs)| (name.to_owned(), knobs));
    allocators().chain(flags).chain(fewer_cpus(cpus)).collect()
}

fn allocators() -> impl Iterator<Item = (String, Knobs)> {
    Allocator::known().filter_map(|allocator| {
        let preload = flow::library::of(&allocator).ok()??;
        let knobs = Knobs {
            preload: Some(preload),
            ..Knobs::default()
        };
        Some((allocator.name().to_owned(), knobs))
    })
}

/// Where that is fewer than all.
fn fewer_cpus(cpus: &Cpus) -> Vec<(String, Knobs)> {
    let all = u32::try_from(cpus.allowed.len()).unwrap_or(u32::MAX);
    let mut choices = vec![("one CPU", 2, CpuChoice::First(1))];
    choices.push(("half of the CPUs", 4, CpuChoice::First(all / 2)));
    if cpus.cores.len() < cpus.allowed.len() {
        let threads = CpuChoice::These(cpus.cores.clone());
        choices.push(("one hardware thread of each core", 2, threads));
    }
    let fewer = choices.into_iter().filter(|(_, least, _)| all >= *least);
    let named = fewer.map(|(name, _, choice)| {
        let knobs = Knobs {
            cpus: Some(choice),
            ..Knobs::default()
        };
        (name.to_owned(), knobs)
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(allowed: u32, cores: &[u32]) -> Vec<String> {
        let cpus = Cpus {
            allowed: (0..allowed).collect(),
            cores: cores.to_vec(),
            smt: (0..allowed).collect(),
            numa: Vec::new(),
        };
        let all = fewer_cpus(&cpus).into_iter();
        all.map(|(name, _)| name).collect()
    }

    #[test]
    fn cpus_are_taken_away_where_there_are_some_to_take() {
        assert!(names(1, &[0]).is_empty());
        assert_eq!(names(2, &[0, 1]), ["one CPU"]);
        assert_eq!(names(4, &[0, 1, 2, 3]), ["one CPU", "half of the CPUs"]);
        let with_smt = names(4, &[0, 2]);
        assert_eq!(with_smt[2], "one hardware thread of each core");
    }

    #[test]
    fn our_own_allocator_is_tried_and_the_c_librarys_is_no_change() {
        let tried: Vec<String> = allocators().map(|(name, _)| name).collect();
        assert!(!tried.contains(&"libc".to_owned()));
        assert_eq!(
            tried.contains(&"core-aware".to_owned()),
            flow::library::own_allocator().is_ok()
        );
    }
}
