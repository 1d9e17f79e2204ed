//! Two runs side by side, in every format.

use lab::Results;
use lab::compare::{How, Named, SideBySide, compare};
use report::terminal::Style;
use report::{compare as side_by_side, csv, json};
use unicode_width::UnicodeWidthStr;

use crate::support::{HOSTILE, results};

/// The run again, with its first study slower by an eighth, on another kernel.
fn after() -> Results {
    let mut results = results();
    results.header.version = "0.2.0".to_owned();
    for slot in results.studies[0]
        .cases
        .iter_mut()
        .flat_map(|case| &mut case.slots)
    {
        if let flow::Answer::Done(record) = &mut slot.outcome.answer {
            for rep in &mut record.reps {
                rep.steady_ns = rep.steady_ns * 9 / 8;
            }
        }
    }
    let cases = results.studies[0].cases.iter_mut();
    let variants = cases.flat_map(|case| &mut case.variants);
    for value in variants.filter_map(|variant| variant.value.as_mut()) {
        value.typical *= 9.0 / 8.0;
    }
    results.warnings.clear();
    results
}

fn both() -> SideBySide {
    let (mut a, b) = (results(), after());
    a.warnings.clear();
    let runs = [("before", &a), ("after", &b)];
    let runs = runs.map(|(name, results)| Named { name, results });
    compare(&runs, How::default()).expect("they have all in common")
}

fn text(width: usize) -> String {
    let style = Style {
        width,
        colour: false,
    };
    side_by_side::text(&both(), &style)
}

#[test]
fn at_80_columns() {
    insta::assert_snapshot!(text(80));
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for width in [60, 80, 100, 200] {
        assert!(
            text(width).lines().all(|line| line.width() <= width),
            "{width}"
        );
    }
}

#[test]
fn rows() {
    let table = csv::compared(&both());
    insta::assert_snapshot!(table.lines().take(5).collect::<Vec<_>>().join("\n"));
    assert_eq!(
        csv::compared_lines(&both()).lines().count() + 1,
        table.lines().count()
    );
}

#[test]
fn what_is_not_compared_has_its_reason() {
    let document: serde_json::Value = serde_json::from_str(&json::compared(&both())).expect("JSON");
    assert_eq!(document["document"], "flowgauge comparison");
    let lost = &document["studies"][1]["cases"][0]["variants"][1]["changes"][1];
    assert_eq!(
        lost["estimate"]["not_available"]["reason"],
        "no good slot in one of the runs"
    );
}

#[test]
fn the_page_needs_nothing_else_and_nothing_in_it_acts() {
    let page = side_by_side::page(&both());
    for outside in [
        "http:",
        "https:",
        "src=",
        "@import",
        "<link",
        "<script>alert",
    ] {
        assert!(
            !page
                .replace("http://www.w3.org/2000/svg", "")
                .contains(outside),
            "{outside}"
        );
    }
    let acts = |c: char| c != '\n' && (c.is_control() || "\u{200b}\u{202e}\u{2066}".contains(c));
    for text in [page.clone(), text(80), csv::compared(&both())] {
        assert_eq!(text.chars().find(|c| acts(*c)), None);
    }
    assert!(HOSTILE.contains('\u{202e}') && page.contains("gnorw"));
    let ids = page.split(" id=\"").skip(1);
    let mut names: Vec<_> = ids.filter_map(|rest| rest.split('"').next()).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    assert_eq!(
        side_by_side::plots(&both()).len(),
        page.matches("<figure id=").count()
    );
}
