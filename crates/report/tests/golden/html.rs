//! The page and its charts.

use std::path::PathBuf;

use lab::Results;
use report::html;

use crate::support::results;

/// The first chart whose id begins like this, wide or narrow, on lines of its own.
fn chart<'a>(page: &'a str, id: &str) -> Vec<&'a str> {
    let title = page
        .find(&format!("<title id=\"{id}-t\""))
        .expect("the chart is there");
    let start = page[..title].rfind("<svg").expect("its beginning");
    let end = start + page[start..].find("</svg>").expect("its end") + "</svg>".len();
    page[start..end].split_inclusive('>').collect()
}

/// A run with many more slots, as a full study has.
fn large() -> Results {
    let mut results = results();
    let case = results.studies[0].cases[0].clone();
    for number in 0..12 {
        let mut case = case.clone();
        case.case.name = format!("case {number}");
        let slots = case.slots.clone();
        for again in 1..8 {
            case.slots.extend(slots.iter().cloned().map(|mut slot| {
                slot.round += 20 * again;
                slot.at_s += 30.0 * again as f64;
                slot
            }));
        }
        results.studies[0].cases.push(case);
    }
    results
}

#[test]
fn the_page_needs_nothing_else() {
    let page = html::page(&results());
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("report.html");
    std::fs::write(path, &page).expect("the page can be written");
    let page = page.replace("http://www.w3.org/2000/svg", "");
    for outside in ["http:", "https:", "//cdn", "src=", "@import", "<link"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn the_page_is_small_and_its_script_smaller() {
    let page = html::page(&large());
    assert!(page.len() < 500_000, "{} bytes", page.len());
    let script = page.rfind("<script>").expect("a script");
    assert!(page.len() - script < 4_096);
}

#[test]
fn every_chart_is_described() {
    let page = html::page(&results());
    let charts = page.matches("role=\"img\"").count();
    assert!(charts > 20);
    assert_eq!(page.matches("<desc id=").count(), charts);
    assert_eq!(page.matches("<summary>Data</summary>").count() * 2, charts);
}

#[test]
fn ids_are_unique() {
    let page = html::page(&results());
    let mut ids: Vec<_> = page
        .split(" id=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all);
}

#[test]
fn charts() {
    let page = html::page(&results());
    for (name, id) in [
        ("forest", "study0-forest-w"),
        ("forest_narrow", "study0-forest-n"),
        ("slots", "study2-0-slots-w"),
        ("bars", "study0-0-phases-w"),
        ("lines", "study0-1-lines-w"),
    ] {
        insta::assert_snapshot!(name, chart(&page, id).join("\n"));
    }
}
