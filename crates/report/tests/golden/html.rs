//! The page and its charts.

use std::path::PathBuf;

use lab::Results;
use report::html;

use crate::support::results;

/// Keeps a page for those who want to look at it.
fn write(name: &str, page: &str) {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(path, page).expect("the page can be written");
}

/// The first chart whose id begins like this, wide or narrow, on lines of its own.
fn chart<'a>(page: &'a str, id: &str) -> Vec<&'a str> {
    let start = page.find(&format!("<svg id=\"{id}\""));
    let start = start.expect("the chart is there");
    let end = start + page[start..].find("</svg>").expect("its end") + "</svg>".len();
    page[start..end].split_inclusive('>').collect()
}

/// A run with many more slots, as a full study has.
pub(crate) fn large() -> Results {
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
    write("report.html", &page);
    let page = page.replace("http://www.w3.org/2000/svg", "");
    for outside in ["http:", "https:", "//cdn", "src=", "@import", "<link"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn the_page_is_small_and_its_script_smaller() {
    let page = html::page(&large());
    write("large.html", &page);
    assert!(page.len() < 500_000, "{} bytes", page.len());
    let script = page.rfind("<script>").expect("a script");
    assert!(page.len() - script < 4_096);
}

#[test]
fn every_chart_is_described() {
    let page = html::page(&results());
    let charts = page.matches("role=\"img\"").count();
    assert!(charts > 20);
    for labels in page.split("aria-labelledby=\"").skip(1) {
        let labels = labels.split('"').next().expect("a value");
        for id in labels.split(' ') {
            assert!(page.contains(&format!(" id=\"{id}\"")), "{id}");
        }
    }
    let others = page.matches("<div class=\"other\"").count();
    let figures = page.matches("<summary>Data</summary>").count();
    assert_eq!((figures + others) * 2, charts);
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

/// The card of the first study.
fn card(results: &Results) -> String {
    let page = html::page(results);
    let start = page.find("<section id=\"answers\"").expect("answers");
    let end = page[start..].find("</article>").expect("a card");
    page[start..start + end].to_owned()
}

#[test]
fn a_card_says_once_that_it_cannot_tell() {
    let mut results = results();
    results.studies[0].cases[0].findings[0].verdict =
        stats::Verdict::CannotTell { more_rounds: None };
    results.studies[0].sentences[0] = "cannot tell threads and processes apart".to_owned();
    let card = card(&results);
    assert_eq!(card.matches("cannot tell").count(), 1, "{card}");
}

#[test]
fn a_study_of_one_model_is_not_said_to_have_no_finding() {
    let mut results = results();
    let study = &mut results.studies[0];
    study.cases[0].findings.clear();
    study.cases[0].case.variants.truncate(1);
    study.cases[0].variants.truncate(1);
    study.sentences[0] = "process: 61.2 ms typical".to_owned();
    let card = card(&results);
    assert!(
        card.contains("61.2 ms typical") && !card.contains("no finding"),
        "{card}"
    );
}

#[test]
fn the_year_is_not_read_as_a_percentage() {
    let page = html::page(&results());
    assert!(page.contains("in 2010: difference") && !page.contains("2010 %"));
}

/// The four variants of the last study as two points of a sweep, and as a mix.
pub(crate) fn grids() -> Results {
    let mut results = results();
    let study = &mut results.studies[2];
    let case = study.cases[0].clone();
    let point = |value: f64| {
        let mut case = case.clone();
        case.case.name = format!("width/{value}");
        case.case.sweep = Some(lab::SweepPoint {
            sweep: "width".into(),
            parameter: "flows".into(),
            value,
            unit: "flows".into(),
        });
        case
    };
    let mut mixed = case.clone();
    let models = ["process", "2x4", "4x2", "thread"];
    for (place, model) in models.iter().enumerate() {
        mixed.case.variants[place].variant.model = model.parse().expect("a model");
        mixed.case.variants[place].variant.flows = 8;
    }
    let verdicts = [
        (0.4, stats::Verdict::Faster { at_least: 1.3 }),
        (1.9, stats::Verdict::Slower { at_least: 0.8 }),
        (0.999, stats::Verdict::CannotTell { more_rounds: None }),
    ];
    study.cases = vec![mixed, point(8.0), point(64.0)];
    for case in &mut study.cases {
        for (finding, (ratio, verdict)) in case.findings.iter_mut().zip(verdicts) {
            finding.verdict = verdict;
            finding.estimate = Some(stats::Estimate {
                rounds: 10,
                ratio,
                low: Some(ratio * 0.96),
                high: Some(ratio * 1.04),
                alpha: 0.016,
            });
        }
    }
    results
}

#[test]
fn grids_have_a_colour_and_words_in_each_cell() {
    let page = html::page(&grids());
    write("grids.html", &page);
    for (name, id) in [
        ("heat", "study2-1-grid-w"),
        ("heat_narrow", "study2-1-grid-n"),
        ("heat_mixes", "study2-0-mixes-w"),
    ] {
        insta::assert_snapshot!(name, chart(&page, id).join("\n"));
    }
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
        ("lines_linear", "study0-1-lines-ow"),
        ("ecdf", "study0-0-ecdf-w"),
    ] {
        insta::assert_snapshot!(name, chart(&page, id).join("\n"));
    }
}
