//! Work that makes its own flows: the source's table, the chart by the number of workers, where
//! the time goes.

use report::{html, plots};

use crate::support;
use crate::support::searches::searches;

fn terminal(width: usize) -> String {
    support::whole_text(&searches(), width)
}

#[test]
fn a_study_of_searches_on_a_terminal() {
    insta::assert_snapshot!(terminal(80));
}

#[test]
fn no_line_is_too_wide_and_no_column_missing_where_there_is_room() {
    support::assert_fits(terminal);
    let wide = terminal(140);
    for head in ["peak RSS", "flows made", "timers"] {
        assert!(wide.contains(head), "{head}");
    }
}

/// At 40 columns every number of threads was called `thread…`.
#[test]
fn names_can_be_told_apart_on_narrow_terminals() {
    let narrow = terminal(40);
    assert!(support::widest(&narrow) <= 40, "{narrow}");
    for label in ["thread x1 ", "thread x2 ", "thread x16 ", "process x16 "] {
        assert!(narrow.contains(&format!("  {label}")), "{label}: {narrow}");
    }
}

#[test]
fn one_row_a_variant() {
    let table = support::table("search.csv", &searches()).expect("searches");
    let study = &searches().studies[0].study;
    let variants: usize = study.cases.iter().map(|case| case.variants.len()).sum();
    assert_eq!(table.lines().count(), 1 + variants);
    insta::assert_snapshot!(table);
}

#[test]
fn the_document_holds_the_best_number_and_what_flows_used() {
    let document = support::findings(&searches());
    let cases = document["studies"][0]["cases"].as_array().expect("cases");
    let case = |name: &str| {
        let mut cases = cases.iter();
        cases.find(|case| case["case"]["name"] == name).expect(name)
    };
    let designs = case("designs");
    let each = &designs["variants"][1]["self_made"];
    assert_eq!(each["made"], 800.0);
    assert_eq!(each["classes_ns"]["open"], 1_600_000.0);
    assert!(designs["optimum"].is_null());
    let threads = &case("threads-mmap")["optimum"];
    assert_eq!(threads["flows"], 1);
    assert_eq!(threads["numbers"].as_array().map(Vec::len), Some(6));
    assert_eq!(case("models-mmap")["shared"]["cause"], "address_space");
}

#[test]
fn the_page_has_the_charts_of_ours_and_of_the_source() {
    let page = html::page(&searches());
    for text in [
        "Time by the number of workers",
        "Two workers are best, where files are mapped (Ubuntu 12.04, Core 2 Duo E3200)",
        "Where the time of all flows goes",
    ] {
        assert!(page.contains(text), "{text}");
    }
    let plots = plots::all(&searches()).into_iter();
    let names: Vec<String> = plots.map(|plot| plot.name).collect();
    for name in ["search-all-numbers", "search-designs-profile"] {
        assert!(names.iter().any(|known| known == name), "{name}: {names:?}");
    }
}
