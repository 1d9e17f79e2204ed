//! On which pages the heap of a slot's processes lies (docs/malloc.md, "Large pages"): asked for before the allocator
//! maps anything, by `PR_SET_THP_DISABLE` (forked flows inherit it), a tunable of libc, or a word of the core-aware
//! allocator; read afterwards in `AnonHugePages` and `Private_Hugetlb`. An allocator without such pages takes small
//! ones in silence: a kind of which the machine has none is refused before the run, and a slot without any fails.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use measure::memory::{Heap, Memory, Reading};
use serde::{Deserialize, Serialize};

use crate::Allocator;
use crate::allocator::Huge;
use crate::word::{as_text, words};

/// Kinds of pages for a heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum HeapPages {
    /// Of 4 KiB, and no others.
    Small,
    /// Huge ones where the kernel can give them.
    Transparent,
    /// Reserved pages of this size in bytes.
    Reserved(u64),
}

words!(HeapPages, "kind of pages for a heap", "4k, 2m, 4m, 1g or thp", [
    "4k" => Self::Small,
    "thp" => Self::Transparent,
    "2m" => Self::Reserved(2 << 20),
    "4m" => Self::Reserved(4 << 20),
    "1g" => Self::Reserved(1 << 30)
]);
as_text!(HeapPages);

const KERNEL: &str = "/sys/kernel/mm";
/// A smaller heap may lie outside of large pages.
const LARGE_HEAP: u64 = 16 << 20;
const TUNABLES: &str = "GLIBC_TUNABLES";

impl HeapPages {
    /// Checks that this machine can give an allocator such pages; else the reason and the remedy.
    pub fn check(self, allocator: Option<&Allocator>) -> Result<(), String> {
        self.check_below(Path::new(KERNEL), allocator)
    }

    fn check_below(self, kernel: &Path, allocator: Option<&Allocator>) -> Result<(), String> {
        match self {
            Self::Small => Ok(()),
            Self::Transparent => check_transparent(kernel, allocator),
            Self::Reserved(bytes) => {
                (huge(allocator) == Huge::Tunable)
                    .then_some(())
                    .ok_or("only the allocator libc takes reserved pages: use --heap-pages thp")?;
                check_reserved(kernel, bytes)
            }
        }
    }

    pub(crate) fn environment(
        self,
        allocator: Option<&Allocator>,
    ) -> Option<(&'static str, String)> {
        // What the user set before stays, and comes first.
        let with = |name: &'static str, own: String, between: &str| {
            let others = std::env::var(name).unwrap_or_default();
            let all = [others, own].into_iter().filter(|one| !one.is_empty());
            (name, all.collect::<Vec<_>>().join(between))
        };
        let tuned = |value: u64| with(TUNABLES, format!("glibc.malloc.hugetlb={value}"), ":");
        match (self, huge(allocator)) {
            (Self::Small, _) | (Self::Transparent, Huge::Asks | Huge::Never) => None,
            (Self::Reserved(bytes), _) => Some(tuned(bytes)),
            (Self::Transparent, Huge::Tunable) => Some(tuned(1)),
            (Self::Transparent, Huge::Variable(name, value)) => {
                Some(with(name, value.to_owned(), ","))
            }
        }
    }

    /// Forbids huge pages, also to forks, if small ones are wanted.
    pub(crate) fn prepare(self) -> std::io::Result<()> {
        if self != Self::Small {
            return Ok(());
        }
        // SAFETY: the call takes numbers only and changes how memory is mapped from now on.
        match unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0) } {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        }
    }

    pub(crate) fn check_heap(self, reading: &Reading) -> Result<(), String> {
        let Reading::Honest(Memory {
            heap: Some(Heap { bytes, large }),
            ..
        }) = reading
        else {
            return Err(format!(
                "whether the heap was on pages of {self} cannot be read from /proc/PID/smaps_rollup"
            ));
        };
        let mib = |bytes: &u64| bytes >> 20;
        match self {
            Self::Small if *large > 0 => Err(format!(
                "{} MiB of the heap were on large pages and not on 4k",
                mib(large)
            )),
            // Transparent pages depend on supply: their share is reported.
            Self::Reserved(_) if *large == 0 && *bytes >= LARGE_HEAP => Err(format!(
                "none of the {} MiB of heap was on pages of {self}: the kernel had none left{}",
                mib(bytes),
                remedy(self)
            )),
            _ => Ok(()),
        }
    }
}

fn remedy(pages: HeapPages) -> String {
    match pages {
        HeapPages::Small | HeapPages::Transparent => String::new(),
        HeapPages::Reserved(bytes) => format!(
            "; to reserve some: echo {} | sudo tee {KERNEL}/hugepages/{}/nr_hugepages",
            (1_u64 << 30).div_ceil(bytes),
            folder(bytes)
        ),
    }
}

fn huge(allocator: Option<&Allocator>) -> Huge {
    allocator.map_or(Huge::Tunable, Allocator::huge)
}

fn check_transparent(kernel: &Path, allocator: Option<&Allocator>) -> Result<(), String> {
    let file = "transparent_hugepage/enabled";
    let enabled = fs::read_to_string(kernel.join(file)).unwrap_or_default();
    let enable = |how: &str| format!("echo {how} | sudo tee {KERNEL}/{file}");
    if enabled.is_empty() {
        return Err(
            "this kernel has no transparent huge pages (CONFIG_TRANSPARENT_HUGEPAGE)".into(),
        );
    }
    if enabled.contains("[never]") {
        let how = enable("madvise");
        return Err(format!("transparent huge pages are switched off: {how}"));
    }
    if !enabled.contains("[always]") && huge(allocator) == Huge::Never {
        let how = enable("always");
        return Err(format!(
            "this allocator asks for no huge pages itself: {how}"
        ));
    }
    Ok(())
}

fn folder(bytes: u64) -> String {
    format!("hugepages-{}kB", bytes >> 10)
}

fn check_reserved(kernel: &Path, bytes: u64) -> Result<(), String> {
    let pages = HeapPages::Reserved(bytes);
    let all = kernel.join("hugepages");
    let own = all.join(folder(bytes));
    if !own.is_dir() {
        return Err(format!(
            "this machine has no pages of {pages} to reserve; it has {}",
            sizes(&all)
        ));
    }
    let free = fs::read_to_string(own.join("free_hugepages")).unwrap_or_default();
    match free.trim().parse::<u64>() {
        Ok(1..) => Ok(()),
        _ => Err(format!(
            "no page of {pages} is reserved and free{}",
            remedy(pages)
        )),
    }
}

fn sizes(all: &Path) -> String {
    let entries = fs::read_dir(all).into_iter().flatten().flatten();
    let kib = |entry: fs::DirEntry| -> Option<u64> {
        let name = entry.file_name().into_string().ok()?;
        let kib = name.strip_prefix("hugepages-")?.strip_suffix("kB")?;
        kib.parse().ok()
    };
    let sizes: BTreeSet<u64> = entries.filter_map(kib).collect();
    let words: Vec<String> = sizes
        .iter()
        .map(|kib| format!("{} MiB", kib >> 10))
        .collect();
    match words.is_empty() {
        true => "none".to_owned(),
        false => words.join(" and "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(enabled: &str, reserved: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let thp = folder.path().join("transparent_hugepage");
        fs::create_dir(&thp).unwrap();
        fs::write(thp.join("enabled"), enabled).unwrap();
        for (name, free) in reserved {
            let own = folder.path().join("hugepages").join(name);
            fs::create_dir_all(&own).unwrap();
            fs::write(own.join("free_hugepages"), free).unwrap();
        }
        folder
    }

    fn reading(bytes: u64, large: u64) -> Reading {
        let memory = serde_json::json!({
            "pss": 0, "page_tables": 0, "kernel_stacks": 0, "rss": 0, "processes": 1, "tasks": 1,
            "peak_rss": null, "slab": null, "heap": { "bytes": bytes, "large": large },
        });
        Reading::Honest(serde_json::from_value(memory).unwrap())
    }

    #[test]
    fn an_allocator_that_waits_for_use_is_told_to_take_huge_pages_at_once() {
        let told = |pages: HeapPages, name: &str| {
            let allocator: Allocator = name.parse().unwrap();
            pages.environment(Some(&allocator))
        };
        let (name, words) = told(HeapPages::Transparent, "core-aware").unwrap();
        assert!(name == "FLOWGAUGE_MALLOC" && words.ends_with("huge"));
        assert_eq!(told(HeapPages::Transparent, "mimalloc"), None);
        assert_eq!(told(HeapPages::Small, "core-aware"), None);
    }

    #[test]
    fn what_a_machine_lacks_is_refused_with_what_would_give_it() {
        let machine = kernel("always madvise [never]", &[("hugepages-2048kB", "0\n")]);
        let said = |pages: &str, allocator: Option<&str>| {
            let allocator: Option<Allocator> = allocator.map(|name| name.parse().unwrap());
            let pages: HeapPages = pages.parse().unwrap();
            pages.check_below(machine.path(), allocator.as_ref())
        };
        assert_eq!(said("4k", None), Ok(()));
        for (pages, allocator, part) in [
            ("thp", None, "echo madvise | sudo tee"),
            ("2m", None, "echo 512 | sudo tee"),
            ("2m", None, "2048kB"),
            ("4m", None, "it has 2 MiB"),
            ("2m", Some("jemalloc"), "only the allocator libc"),
        ] {
            let why = said(pages, allocator).unwrap_err();
            assert!(why.contains(part), "{pages}: {why}");
        }
    }

    #[test]
    fn an_allocator_that_never_asks_needs_huge_pages_everywhere() {
        let allocator: Allocator = "tcmalloc".parse().unwrap();
        let check = |enabled: &str| {
            let machine = kernel(enabled, &[]);
            HeapPages::Transparent.check_below(machine.path(), Some(&allocator))
        };
        let why = check("always [madvise] never").unwrap_err();
        assert!(why.contains("echo always"), "{why}");
        assert_eq!(check("[always] madvise never"), Ok(()));
    }

    #[test]
    fn a_heap_on_other_pages_than_asked_for_fails_the_slot() {
        // There may be none left.
        for (bytes, large) in [(64 << 20, 60 << 20), (1 << 20, 0), (64 << 20, 0)] {
            let checked = HeapPages::Transparent.check_heap(&reading(bytes, large));
            assert_eq!(checked, Ok(()), "{large} of {bytes}");
        }
        let some = reading(64 << 20, 2 << 20);
        assert!(HeapPages::Small.check_heap(&some).is_err());
        let reserved = HeapPages::Reserved(2 << 20).check_heap(&reading(64 << 20, 0));
        assert!(reserved.unwrap_err().contains("nr_hugepages"));
    }
}
