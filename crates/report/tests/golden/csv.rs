//! Tidy tables.

use report::csv;

use crate::support::{self, machine, mapped, results};

/// The first rows of a table that is long.
fn head(table: &str, rows: usize) -> String {
    table.lines().take(rows).collect::<Vec<_>>().join("\n")
}

#[test]
fn slots() {
    let table = csv::slots(&results());
    insta::assert_snapshot!(head(&table, 8));
    // 3 repetitions of each good slot; 13 slots of the drill failed.
    let rows = 3 * (2 * 20 + 4 * 2 * 10 + 11 + 7 * 4) + 13;
    assert_eq!(table.lines().count(), 1 + rows);
    assert_eq!(table.matches(",failed,").count(), 13);
}

#[test]
fn findings() {
    insta::assert_snapshot!(csv::findings(&results()));
}

#[test]
fn a_run_has_no_table_of_what_it_did_not_do() {
    let files = [
        "samples.csv",
        "scaling.csv",
        "search.csv",
        "workers.csv",
        "laws.csv",
    ];
    for file in files {
        assert_eq!(support::table(file, &results()), None, "{file}");
    }
}

#[test]
fn shared() {
    insta::assert_snapshot!(support::table("shared.csv", &mapped()).expect("there is a map"));
}

#[test]
fn summary() {
    insta::assert_snapshot!(csv::summary(&results()));
}

#[test]
fn the_machine() {
    insta::assert_snapshot!(csv::machine(&machine()));
}

#[test]
fn quantities_of_variants_and_of_comparisons_are_rows_of_one_table() {
    let table = csv::quantities(&results());
    let memory: Vec<&str> = table
        .lines()
        .filter(|line| line.contains(",memory,bytes,"))
        .collect();
    let alone = memory.iter().filter(|line| line.contains("sign-test"));
    let against = memory.iter().filter(|line| line.contains("Wilcoxon"));
    assert!(alone.count() > against.clone().count() && against.count() > 0);
    insta::assert_snapshot!(head(&table, 6));
}
