//! Parent memory: what a fork copies of the memory of its parent, by counts alone.

use flow::{Pages, ParentMemory};
use measure::memory::{Memory, Reading};

use crate::common::{Home, primes, results};

const FLOWS: u64 = 2;
const MIB: u64 = 1 << 20;
/// Enough that the tables a fork copies stand out from the dozen pages of tables that the
/// random layout of address spaces moves.
const PARENT_MEMORY: u64 = 512 * MIB;

/// The memory of every slot, by label.
fn memory(home: &Home, label: &str) -> Vec<Memory> {
    let results = results(&home.path("out"));
    let case = &results.studies[0].cases[0];
    let labels: Vec<&str> = case
        .case
        .variants
        .iter()
        .map(|v| v.label.as_str())
        .collect();
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

fn run(home: &Home, parent_memory: &[&str]) {
    home.write(
        "mine.toml",
        &primes(1_000, &[("process", 2), ("thread", 2)]),
    );
    let fixed = ["run", "mine.toml", "--rounds", "2", "--out", "out"];
    home.run(&[&fixed[..], parent_memory].concat()).answered();
}

/// The tables that a fork copies for private small pages are there with each child, and
/// those of pages that it does not copy are not.
#[test]
fn page_tables_of_children_grow_with_parent_memory_and_not_with_what_they_do_not_get() {
    let tables = PARENT_MEMORY / flow::page_bytes() * 8;
    let home = Home::new();
    run(
        &home,
        &["--ballast", "512M", "--ballast-pages", "4k,shared,dontfork"],
    );
    let smallest = |label| {
        let all = memory(&home, label).into_iter();
        all.map(|memory| memory.page_tables).min().unwrap()
    };
    let (copied, kept, shared, thread) = (
        smallest("process 4k"),
        smallest("process dontfork"),
        smallest("process shared"),
        smallest("thread 4k"),
    );
    // Each child's copy, less the odd page of tables that differs from run to run.
    let copies = FLOWS * tables;
    let near = |got: u64, want: u64| got.abs_diff(want) < tables / 4;
    assert!(near(copied - kept, copies), "{copied} {kept} {copies}");
    assert!(near(copied - shared, copies), "{copied} {shared} {copies}");
    // The parent has its own in every variant.
    assert!(thread >= tables && kept >= tables, "{thread} {kept}");
    assert!(
        memory(&home, "thread 4k")
            .iter()
            .all(|m| m.pss > PARENT_MEMORY)
    );
    home.assert_nothing_left();
}

#[test]
fn parent_memory_is_in_the_journal_the_tables_and_the_titles() {
    let home = Home::new();
    run(&home, &["--ballast", "4M"]);
    let results = results(&home.path("out"));
    let asked = results.header.settings.parent_memory.as_ref().unwrap();
    assert_eq!(
        (asked.bytes, &asked.pages[..]),
        (4 * MIB, &[Pages::Small][..])
    );
    let case = &results.studies[0].cases[0].case;
    let parent_memory = ParentMemory {
        bytes: 4 * MIB,
        pages: Pages::Small,
    };
    assert!(
        case.variants
            .iter()
            .all(|v| v.variant.parent_memory == Some(parent_memory))
    );
    assert_eq!(case.title, "Only, with 4.00 MiB of parent memory");
    for table in ["slots.csv", "summary.csv"] {
        let text = std::fs::read_to_string(home.path("out").join(table)).unwrap();
        assert!(
            text.lines().skip(1).all(|row| row.contains(",4194304,4k,")),
            "{text}"
        );
    }
    let json = std::fs::read_to_string(home.path("out/findings.json")).unwrap();
    assert!(json.contains("4194304"));
}

#[test]
fn huge_pages_are_had_or_refused_and_never_pretended() {
    let home = Home::new();
    home.write("mine.toml", &primes(1_000, &[("process", 2)]));
    let ask = ["run", "mine.toml", "--rounds", "2", "--out", "out"];
    let huge = ["--ballast", "8M", "--ballast-pages", "huge"];
    let run = home.run(&[&ask[..], &huge[..]].concat());
    match run.code {
        Some(2) => run.refused(2, &["huge pages is not available", "transparent_hugepage"]),
        _ => assert_eq!(memory(&home, "process").len(), 2, "{}", run.stderr),
    }
}

#[test]
fn more_than_there_is_room_for_is_refused_with_the_need() {
    let home = Home::new();
    home.write("mine.toml", &primes(1_000, &[("process", 2)]));
    let run = home.run(&["run", "mine.toml", "--ballast", "1048576G", "--out", "out"]);
    run.refused(2, &["1,054,720 GiB", "2 forks", "has room for"]);
    assert!(home.listing("out").is_empty());
    home.run(&["primes", "--ballast", "0"])
        .refused(2, &["0 bytes are none"]);
    home.run(&["primes", "--ballast-pages", "huge"])
        .refused(2, &["--ballast"]);
    home.run(&["primes", "--ballast", "1M", "--ballast-pages", "4k,4k"])
        .refused(2, &["names 4k twice"]);
}
