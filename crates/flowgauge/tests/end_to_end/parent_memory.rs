//! Parent memory: what a fork copies of the memory of its parent, by counts alone.

use flow::{Pages, ParentMemory};
use measure::memory::{Memory, Reading};

use crate::common::{BOTH, Home, Run, labels, primes};

const FLOWS: u64 = 2;
const MIB: u64 = 1 << 20;
/// Enough that the tables a fork copies stand out from the dozen pages of tables that the
/// random layout of address spaces moves.
const PARENT_MEMORY: u64 = 512 * MIB;

/// The memory of every slot, by label.
fn memory(home: &Home, label: &str) -> Vec<Memory> {
    let case = home.case();
    let labels = labels(&case);
    let at = labels.iter().position(|known| *known == label);
    let at = at.unwrap_or_else(|| panic!("no {label} among {labels:?}"));
    let slots = case.slots.iter().filter(|slot| slot.variant == at);
    slots
        .map(|slot| match &slot.outcome.answer.done().unwrap().memory {
            Reading::Honest(memory) => *memory,
            rss @ Reading::RssOnly { .. } => panic!("{rss:?}"),
        })
        .collect()
}

fn run(home: &Home, parent_memory: &str) -> Run {
    home.write("mine.toml", primes(1_000, &BOTH));
    home.run(&format!(
        "run mine.toml --rounds 2 --out out {parent_memory}"
    ))
}

/// The tables that a fork copies for private small pages are there with each child, and
/// those of pages that it does not copy are not.
#[test]
fn page_tables_of_children_grow_with_parent_memory_and_not_with_what_they_do_not_get() {
    let tables = PARENT_MEMORY / flow::page_bytes() * 8;
    let home = Home::new();
    run(&home, "--ballast 512M --ballast-pages 4k,shared,dontfork").answered();
    let smallest = |label: &str| {
        let all = memory(&home, label).into_iter();
        all.map(|memory| memory.page_tables).min().unwrap()
    };
    let [copied, kept, shared] =
        ["4k", "dontfork", "shared"].map(|pages| smallest(&format!("process {pages}")));
    let thread = smallest("thread 4k");
    // Each child's copy, less the odd page of tables that differs from run to run.
    let copies = FLOWS * tables;
    let near = |got: u64, want: u64| got.abs_diff(want) < tables / 4;
    assert!(near(copied - kept, copies), "{copied} {kept} {copies}");
    assert!(near(copied - shared, copies), "{copied} {shared} {copies}");
    // The parent has its own in every variant.
    assert!(thread >= tables && kept >= tables, "{thread} {kept}");
    let threads = memory(&home, "thread 4k");
    assert!(threads.iter().all(|memory| memory.pss > PARENT_MEMORY));
    home.assert_nothing_left();
}

#[test]
fn parent_memory_is_in_the_journal_the_tables_and_the_titles() {
    let home = Home::new();
    run(&home, "--ballast 4M").answered();
    let results = home.results();
    let asked = results.header.settings.parent_memory.as_ref().unwrap();
    let small = &[Pages::Small][..];
    assert_eq!((asked.bytes, &asked.pages[..]), (4 * MIB, small));
    let case = &results.studies[0].cases[0].case;
    let parent_memory = ParentMemory {
        bytes: 4 * MIB,
        pages: Pages::Small,
    };
    let mut variants = case.variants.iter().map(|one| &one.variant);
    assert!(variants.all(|one| one.parent_memory == Some(parent_memory)));
    assert_eq!(case.title, "Only, with 4.00 MiB of parent memory");
    for table in ["slots.csv", "summary.csv"] {
        let text = std::fs::read_to_string(home.path("out").join(table)).unwrap();
        let mut rows = text.lines().skip(1);
        assert!(rows.all(|row| row.contains(",4194304,4k,")), "{text}");
    }
    let json = std::fs::read_to_string(home.path("out/findings.json")).unwrap();
    assert!(json.contains("4194304"));
}

#[test]
fn huge_pages_are_had_or_refused_and_never_pretended() {
    let home = Home::new();
    let run = run(&home, "--ballast 8M --ballast-pages huge");
    match run.code {
        Some(2) => run.refused(2, &["huge pages is not available", "transparent_hugepage"]),
        _ => assert_eq!(memory(&home, "process").len(), 2, "{}", run.stderr),
    }
}

#[test]
fn more_than_there_is_room_for_is_refused_with_the_need() {
    let home = Home::new();
    let run = run(&home, "--ballast 1048576G");
    run.refused(2, &["1,054,720 GiB", "2 forks", "has room for"]);
    assert!(home.listing("out").is_empty());
    home.run("primes --ballast 0")
        .refused(2, &["0 bytes are none"]);
    home.run("primes --ballast-pages huge")
        .refused(2, &["--ballast"]);
    home.run("primes --ballast 1M --ballast-pages 4k,4k")
        .refused(2, &["names 4k twice"]);
}
