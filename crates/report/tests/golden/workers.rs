//! What workers used, the laws of their number, and where their files are.

use report::html;

use crate::support;
use crate::support::workers::workers;

fn terminal(width: usize) -> String {
    let text = support::whole_text(&workers(), width);
    let table = text.find("What the workers used").expect("the table");
    text[table..].to_owned()
}

#[test]
fn what_workers_used() {
    insta::assert_snapshot!(terminal(80));
}

#[test]
fn no_line_is_too_wide_and_no_column_missing_where_there_is_room() {
    support::assert_fits(terminal);
    assert!(terminal(120).contains("calls"));
}

#[test]
fn one_row_a_worker_and_one_for_all() {
    let table = support::table("workers.csv", &workers()).expect("there are workers");
    insta::assert_snapshot!(table);
    // For each kind two workers and their sum, of two models.
    assert_eq!(table.lines().count(), 1 + 3 * 2 * 3);
}

#[test]
fn laws() {
    insta::assert_snapshot!(support::table("laws.csv", &workers()).expect("there are laws"));
}

#[test]
fn the_document_holds_all_of_it() {
    let document = support::findings(&workers());
    let study = &document["studies"][0];
    let io = &study["cases"][2]["variants"][0]["workers"];
    assert_eq!(io["each"].as_array().map(Vec::len), Some(2));
    for figure in [
        "cpu_share",
        "written",
        "storage_written",
        "file_bytes",
        "time_ns",
    ] {
        assert!(!io["sum"][figure].is_null(), "{figure}");
    }
    assert_eq!(study["laws"].as_array().map(Vec::len), Some(8));
    assert_eq!(study["laws"][0]["shape"], "linear");
    assert_eq!(study["laws"][6]["shape"], "flat");
    assert_eq!(
        document["header"]["files_on"][0]["sync"]["waits_for"],
        "memory"
    );
    let warning = document["warnings"][0].as_str().expect("a warning");
    assert!(warning.contains("in memory (tmpfs)") && warning.contains("--folder"));
}

#[test]
fn the_page_has_the_table_and_the_fitted_lines() {
    let page = html::page(&workers());
    assert!(page.contains("process, all"));
    assert_eq!(page.matches("class=\"fit\"").count(), 8, "eight laws");
    assert!(page.contains("dashed: the fitted lines"));
    assert!(page.contains("in memory (tmpfs)"));
}
