//! Nothing from outside acts or hides, in any format.

use report::terminal::{self, Style};
use report::{csv, html, json};

use crate::support::{HOSTILE, machine, results};

pub(crate) fn acts_or_hides(c: char) -> bool {
    c != '\n' && (c.is_control() || "\u{200b}\u{202e}\u{2066}".contains(c))
}

#[test]
fn no_text_holds_what_acts_or_hides() {
    let (results, style) = (results(), Style::default());
    for text in [
        terminal::run(&results, &style, None),
        terminal::machine(&machine(), &style),
        terminal::findings_line(HOSTILE, HOSTILE, None, None, &style),
        csv::slots(&results),
        csv::findings(&results),
        csv::summary(&results),
        html::page(&results),
    ] {
        assert!(text.len() < 40 || text.contains("gnorw") || text.contains("example"));
        assert_eq!(text.chars().find(|c| acts_or_hides(*c)), None);
    }
}

#[test]
fn markup_is_text() {
    let page = html::page(&results());
    assert!(!page.contains("<script>alert"));
    assert!(page.contains("&lt;script&gt;alert"));
    assert!(page.contains("example &lt;host&gt;"));
    assert_eq!(
        page.matches("<script").count(),
        4,
        "the embedded results, the lessons, and the script of each"
    );
}

#[test]
fn embedded_results_are_json() {
    let page = html::page(&results());
    let (_, rest) = page.split_once("id=\"results\">").expect("the element");
    let (json, _) = rest.split_once("</script>").expect("its end");
    let document: serde_json::Value = serde_json::from_str(json).expect("JSON");
    assert_eq!(document["schema"], json::SCHEMA);
    assert_eq!(document["studies"][1]["title"], HOSTILE);
    let columns = document["columns"].as_array().expect("columns");
    assert_eq!(columns[..2], ["variant", "typical_ns"]);
    let case = &document["studies"][0]["cases"][0];
    assert_eq!((&case[0], &case[1]), (&"trial".into(), &"total".into()));
    assert_eq!(case[2][0].as_array().expect("a row").len(), 3);
    assert_eq!(case[2][1].as_array().expect("a row").len(), columns.len());
    assert_eq!(
        (&case[2][1][0], &case[2][1][3]),
        (&"thread".into(), &"faster".into())
    );
}

#[test]
fn no_field_is_a_formula() {
    for table in [
        csv::slots(&results()),
        csv::findings(&results()),
        csv::summary(&results()),
    ] {
        let first = |line: &str| line.trim_start_matches('"').chars().next();
        assert!(
            table
                .lines()
                .all(|line| !first(line).is_some_and(|c| "=+-@".contains(c)))
        );
        assert!(table.contains("'=drill") && table.contains("'@case"));
    }
}
