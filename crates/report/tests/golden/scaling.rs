//! Throughput along SMT and along cores, the pages behind it, and the source's figures.

use report::{html, plots};

use crate::support;
use crate::support::scaling::scaled;

fn terminal(width: usize) -> String {
    support::whole_text(&scaled(), width)
}

#[test]
fn throughput_pages_and_the_source_on_a_machine_with_smt() {
    let text = terminal(80);
    let tables = text.find("warehouse along SMT").expect("the tables");
    insta::assert_snapshot!(&text[tables..]);
}

#[test]
fn no_line_is_too_wide_and_no_column_missing_where_there_is_room() {
    support::assert_fits(terminal);
    for head in ["memory", "4 KiB: of a flow"] {
        assert!(terminal(120).contains(head), "{head}");
    }
}

#[test]
fn one_row_a_variant_of_each_number() {
    let table = support::table("scaling.csv", &scaled()).expect("a table");
    insta::assert_snapshot!(table);
}

#[test]
fn the_page_has_the_grid_of_processes_by_threads() {
    let page = html::page(&scaled());
    for words in [
        "warehouse along cores: processes by threads, against processes of one thread",
        "4 threads each",
        "Then and now",
        "not available: 64 of the pages",
    ] {
        assert!(page.contains(words), "{words}");
    }
    let plots = plots::all(&scaled());
    assert!(plots.iter().any(|plot| plot.name.ends_with("grid")));
}

#[test]
fn throughput_over_flows_has_charts_and_times_of_unlike_work_have_none() {
    let page = html::page(&scaled());
    for words in [
        "warehouse along cores: throughput over one flow; thin line: all there is to win",
        "warehouse along SMT: throughput of threads over processes, with intervals",
        "multi-thread 9.2 % faster",
    ] {
        assert!(page.contains(words), "{words}");
    }
    assert!(!page.contains("Typical time over the parameter"));
    let plots = plots::all(&scaled());
    let names: Vec<&str> = plots.iter().map(|plot| plot.name.as_str()).collect();
    for name in ["scaling-warehouse-smt-gain", "scaling-warehouse-cores-over"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    let gain = plots.iter().find(|plot| plot.name.ends_with("cores-gain"));
    insta::assert_snapshot!(gain.expect("a chart").svg);
    assert!(gain.expect("a chart").png().is_ok());
}

#[test]
fn the_document_holds_all_of_it() {
    let document = support::findings(&scaled());
    let scaling = &document["studies"][0]["scaling"];
    assert_eq!(scaling[0]["along"], "smt");
    let two = &scaling[0]["points"][1];
    assert_eq!(two["flows"], 2);
    let ratio = two["threads_over_processes"]["ratio"].as_f64();
    assert!(
        ratio.is_some_and(|ratio| (1.0..1.2).contains(&ratio)),
        "{two}"
    );
    let thread = &two["variants"][1];
    assert_eq!(
        thread["footprint"]["value"]["by_flows"]["value"]["small"],
        100
    );
}
