//! What can be tried about a program from outside of it, each as a variant of its own.

use std::path::{Path, PathBuf};

use flow::Placement;
use lab::LabelledVariant;
use program::{Knobs, Program};
use workload::Work;

/// Allocators by the beginning of their libraries' names.
const ALLOCATORS: [(&str, &str); 4] = [
    ("jemalloc", "libjemalloc.so"),
    ("tcmalloc", "libtcmalloc_minimal.so"),
    ("mimalloc", "libmimalloc.so"),
    ("hoard", "libhoard.so"),
];

/// Where libraries are.
const FOLDERS: [&str; 5] = [
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/local/lib",
    "/usr/lib64",
    "/usr/lib",
];

/// The program as it is, and once with each change that this machine allows.
pub(super) fn variants(as_it_is: LabelledVariant, program: &Program) -> Vec<LabelledVariant> {
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
        knobs()
            .into_iter()
            .map(|(label, knobs)| changed(label, knobs)),
    );
    // Where the flags have placed it already, that is the question.
    if as_it_is.variant.placement != Placement::Free {
        let mut free = changed("on any CPU".to_owned(), Knobs::default());
        free.variant.placement = Placement::Free;
        all.push(free);
    }
    all
}

/// Every change, with its name.
fn knobs() -> Vec<(String, Knobs)> {
    let variable = |name: &str, value: &str| Knobs {
        env: [(name.to_owned(), value.to_owned())].into(),
        ..Knobs::default()
    };
    let allocators = installed().into_iter().map(|(name, library)| {
        let knobs = Knobs {
            preload: Some(library),
            ..Knobs::default()
        };
        (name, knobs)
    });
    let huge = variable("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1");
    let flags = [
        (
            "no huge pages",
            Knobs {
                no_huge_pages: true,
                ..Knobs::default()
            },
        ),
        (
            "fixed addresses",
            Knobs {
                no_randomisation: true,
                ..Knobs::default()
            },
        ),
        (
            "batch scheduling",
            Knobs {
                batch: true,
                ..Knobs::default()
            },
        ),
        (
            "one CPU",
            Knobs {
                cpus: Some(1),
                ..Knobs::default()
            },
        ),
    ];
    let all = allocators.chain([
        ("one malloc arena", variable("MALLOC_ARENA_MAX", "1")),
        ("malloc asks for huge pages", huge),
    ]);
    all.chain(flags)
        .map(|(name, knobs)| (name.to_owned(), knobs))
        .collect()
}

/// Allocators that are installed here.
fn installed() -> Vec<(&'static str, PathBuf)> {
    let found = ALLOCATORS
        .iter()
        .filter_map(|(name, library)| Some((*name, find(library)?)));
    found.collect()
}

fn find(library: &str) -> Option<PathBuf> {
    FOLDERS.iter().find_map(|folder| {
        let entries = std::fs::read_dir(Path::new(folder)).ok()?;
        let named = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with(library))
        };
        let mut found: Vec<PathBuf> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(named)
            .collect();
        found.sort();
        found.into_iter().next()
    })
}
