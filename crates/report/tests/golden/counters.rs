//! Counted events.

use report::{csv, html};

use crate::support::{counted, findings, results, whole_text};

/// The part of the text about the first case's events.
fn part(text: &str) -> String {
    let lines = text.lines();
    let from = lines.skip_while(|line| !line.starts_with("  Counted while"));
    from.take_while(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn the_terminal_shows_what_was_counted_and_scaled() {
    let results = counted();
    insta::assert_snapshot!(part(&whole_text(&results, 80)));
    insta::assert_snapshot!(part(&whole_text(&results, 140)));
}

#[test]
fn what_is_not_available_is_said_once_a_study_with_reason_and_remedy() {
    let text = whole_text(&counted(), 200);
    let first = text.split("scaling: ").next().expect("a study");
    for (line, remedy) in [
        ("events not available: cache misses: ", "virtual PMU"),
        (
            "events not available: branch misses: the counter was granted but never ran",
            "profilers",
        ),
    ] {
        let said: Vec<&str> = first.lines().filter(|l| l.contains(line)).collect();
        assert_eq!(said.len(), 2, "in two studies: {said:?}");
        let words: Vec<&str> = first.split_whitespace().collect();
        assert!(words.join(" ").contains(remedy), "{said:?}");
    }
    assert!(!whole_text(&results(), 200).contains("Counted while"));
}

#[test]
fn misses_that_lie_apart_are_reasons() {
    let why = &counted().studies[0].cases[0].findings[0].why;
    let said = why.iter().find(|reason| reason.contains("TLB"));
    let said = said.expect("400,000 against 100,000 in a third of the time");
    assert_eq!(
        said,
        "300,285 data TLB misses in the steady phase against 1.20 M (4.00x fewer)"
    );
}

#[test]
fn rows_hold_what_was_read_and_what_is_made_of_it() {
    let table = csv::counters(&counted()).expect("events were counted");
    let head: Vec<&str> = table.lines().take(14).collect();
    insta::assert_snapshot!(head.join("\n"));
    assert_eq!(csv::counters(&results()), None);
}

#[test]
fn json_has_medians_and_reasons() {
    let document = findings(&counted());
    let variant = &document["studies"][0]["cases"][0]["variants"][0];
    insta::assert_snapshot!(format!("{:#}", variant["counted"]));
    assert_eq!(document["header"]["settings"]["events"][0], "task_clock");
}

#[test]
fn the_page_has_a_table_below_each_case_and_each_point_of_a_sweep() {
    let page = html::page(&counted());
    let tables = page.matches("<caption>Counted while flows worked").count();
    let with_slots = counted();
    let cases = with_slots.studies.iter().flat_map(|study| &study.cases);
    let counted = cases.filter(|case| case.variants.iter().any(|v| v.counted.is_some()));
    assert_eq!(tables, counted.count());
    assert!(page.contains("instructions per cycle"));
    assert!(page.contains("33 %"), "the share of the time");
}
