//! The page and its charts.

use std::collections::BTreeSet;
use std::path::PathBuf;

use lab::{Preset, Results};
use report::html;

use crate::support::full::{full, of_a_user};
use crate::support::{self, results};

/// Keeps a page for those who want to look at it.
fn write(name: &str, page: &str) {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(path, page).expect("the page can be written");
}

/// What is in the figure of this id, without its data, on lines of its own.
fn chart(page: &str, id: &str) -> String {
    let start = page.find(&format!("<figure id=\"{id}\""));
    let figure = &page[start.expect("the figure is there")..];
    let ends = ["<details>", "</figure>"].map(|end| figure.find(end).unwrap_or(figure.len()));
    let figure = &figure[..ends[0].min(ends[1])];
    figure.split_inclusive('>').collect::<Vec<_>>().join("\n")
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
    assert_needs_nothing_else(&page);
}

#[test]
fn the_script_is_small() {
    let page = html::page(&large());
    write("large.html", &page);
    let script = page.rfind("<script>").expect("a script");
    assert!(page.len() - script < 4_096, "{}", page.len() - script);
}

/// The goal is 600 kB for a run of all studies: of quick ones with as many rounds as none decides
/// in, of full ones with as many as a first look takes. (They have so many cases that charts of
/// slots are left out, and with them all that more rounds would add.)
#[test]
fn the_page_of_all_studies_is_small() {
    use Preset::{Full, Quick};
    for (preset, rounds) in [(Quick, 40), (Full, 10)] {
        let results = full(preset, rounds);
        let page = html::page(&results);
        write(&format!("all-{preset:?}-{rounds}.html"), &page);
        assert!(
            page.len() < 600_000,
            "{preset:?}, {rounds} rounds: {} bytes",
            page.len()
        );
        // What it leaves out it says.
        let has_all = page.matches(">round<th").count() > 10;
        assert_eq!(!page.contains("To keep this page small"), has_all);
        // It was not small for want of results.
        let cases = results.studies.iter().flat_map(|study| &study.cases);
        // At the last level a map has the times of its first column alone.
        let cells: BTreeSet<&str> = page.split(['<', '>']).collect();
        let has_cells = !page.contains("the times of each cell of a map");
        // Parts beyond the size are counted and named.
        let lost = page.split(" found no room on this page: ").nth(1);
        let lost = lost.and_then(|lost| lost.split("flowgauge report DIR -v").next());
        let is_named = |title: &str| lost.is_some_and(|lost| lost.contains(title));
        assert!(!is_named(" more. "), "{preset:?}: {lost:?}");
        for case in cases {
            assert!(case.variants.iter().all(|variant| variant.value.is_some()));
            let shown = if has_cells { case.variants.len() } else { 1 };
            for value in case.variants[..shown]
                .iter()
                .filter_map(|variant| variant.value)
            {
                let typical = report::number::time(value.typical);
                assert!(
                    cells.contains(typical.as_str()) || is_named(&case.case.title),
                    "{}: {typical}",
                    case.case.name
                );
            }
        }
    }
}

/// The last resort: parts that there is room for, the answers first.
#[test]
fn the_page_of_however_many_cases_is_small() {
    let results = of_a_user(500);
    let page = html::page(&results);
    write("user.html", &page);
    assert!(page.len() < 600_000, "{} bytes", page.len());
    // It is as full as it can be, and says what found no room.
    assert!(page.len() > 400_000, "{} bytes", page.len());
    for part in [
        "id=\"answers\"",
        "Case 0: ",
        "Case 100: ",
        "parts found no room on this page: ",
        " more. flowgauge report DIR -v shows all of it",
        "Run it again",
        "The machine",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // Nothing is cut in the middle.
    assert_eq!(
        page.matches("<details").count(),
        page.matches("</details>").count()
    );
    let cases = page.matches("<details class=\"part\"").count();
    assert!((100..500).contains(&cases), "{cases}");
}

#[test]
fn every_chart_is_described() {
    let page = html::page(&results());
    // The answers at the top are a table of their own.
    let page = &page[page.find("<main").expect("studies")..];
    let drawn = page.matches("role=\"img\"").count();
    assert!(drawn > 8, "{drawn}");
    for labels in page.split("aria-labelledby=\"").skip(1) {
        let labels = labels.split('"').next().expect("a value");
        for id in labels.split(' ') {
            assert!(page.contains(&format!(" id=\"{id}\"")), "{id}");
        }
    }
    // A chart is drawn and has its data below it, or is a table itself.
    let tables = ["forest", "bars", "heat"].map(|kind| {
        let begin = format!("<table class=\"{kind}");
        page.matches(&begin).count()
    });
    assert_eq!(page.matches("<summary>Data</summary>").count(), drawn);
    assert_eq!(
        page.matches("<figure ").count(),
        drawn + tables.iter().sum::<usize>()
    );
}

#[test]
fn ids_are_unique() {
    assert_ids_are_unique(&html::page(&results()));
}

pub(crate) fn assert_ids_are_unique(page: &str) {
    let ids = page.split(" id=\"").skip(1);
    let ids = ids.filter_map(|rest| rest.split('"').next());
    let ids: Vec<&str> = ids.collect();
    let different: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(different.len(), ids.len());
}

/// Nothing is fetched from elsewhere.
pub(crate) fn assert_needs_nothing_else(page: &str) {
    let page = page.replace("http://www.w3.org/2000/svg", "");
    for outside in ["http:", "https:", "//cdn", "src=", "@import", "<link"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

/// The answers of a page.
fn card(results: &Results) -> String {
    let page = html::page(results);
    let start = page.find("<section id=\"answers\"").expect("answers");
    let end = page[start..].find("</section>").expect("an end");
    page[start..start + end].to_owned()
}

#[test]
fn a_card_says_once_that_it_cannot_tell() {
    let mut results = results();
    results.studies[0].cases[0].findings[0].verdict =
        stats::Verdict::CannotTell { more_rounds: None };
    results.studies[0].sentences[0] = "cannot tell threads and processes apart".to_owned();
    let card = card(&results);
    let row = card
        .split("Primes")
        .nth(1)
        .expect("the row of the first study");
    assert_eq!(row.matches("at most ").count(), 1, "{card}");
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
    // Nor is its variant called the reference of something.
    results.studies.truncate(1);
    results.studies[0].cases.truncate(1);
    let page = html::page(&results);
    assert!(!page.contains(">reference<td>"));
    let text = support::whole_text(&results, 100);
    assert!(
        !text.contains("vs process") && !text.contains("reference"),
        "{text}"
    );
}

#[test]
fn the_year_is_not_read_as_a_percentage() {
    let page = html::page(&results());
    assert!(page.contains(", 2010: ") && !page.contains("2010 %"));
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
    for id in ["study2-1-grid", "study2-0-mixes"] {
        let chart = chart(&page, id);
        assert!(chart.contains("table class=\"heat"), "{chart}");
        assert!(
            chart.contains("class=\"h") && chart.contains("<small"),
            "{chart}"
        );
    }
}

/// Charts hold what they show: a mark a value, a label a variant; where they stand is theirs.
#[test]
fn charts() {
    let page = html::page(&results());
    for (id, parts) in [
        ("study0-forest", [("<line x1=", 1), ("scope=row", 1)]),
        ("study2-0-slots", [("data-v", 4), ("class=\"cross\"", 0)]),
        ("study0-0-phases", [("scope=row", 2), ("scope=col", 5)]),
        (
            "study0-1-lines",
            [("class=\"area\"", 2), ("class=\"grid\"", 2)],
        ),
        ("study0-0-ecdf", [("data-v", 2), ("role=\"img\"", 1)]),
    ] {
        let chart = chart(&page, id);
        for (part, least) in parts {
            let found = chart.matches(part).count();
            assert!(found >= least, "{id}: {found} of {part}: {chart}");
        }
    }
}

/// What a reader who cannot see, or who has a keyboard alone, needs.
#[test]
fn everybody_can_use_the_page() {
    let page = html::page(&full(Preset::Quick, 10));
    for part in [
        "class=\"skip\"",
        "<nav aria-label",
        "<caption",
        "scope=col",
        "scope=row",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let bare = page.matches("<th>").count() + page.matches("<th class").count();
    assert_eq!(bare, 0, "headings without a scope");
    // Outside of what is closed there are links and summaries alone.
    let main = page.find("<main").expect("studies");
    let top = &page[..main];
    let open = top.matches("<a ").count() + page.matches("<details class=\"study\"").count();
    assert!(
        open <= 80,
        "{open} elements take the focus while all is closed"
    );
    assert!(!page.contains("<details open") && !page.contains(" open>"));
}
