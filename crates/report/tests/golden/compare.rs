//! Two runs side by side, in every format.

use std::collections::BTreeSet;

use lab::Results;
use lab::compare::{How, Named, SideBySide, compare};
use report::{compare as side_by_side, csv, json};
use unicode_width::UnicodeWidthStr;

use crate::escaping::acts_or_hides;
use crate::html::{assert_ids_are_unique, assert_needs_nothing_else};
use crate::support;
use crate::support::full::full;
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
    let style = support::verbose(width);
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
    assert_needs_nothing_else(&page);
    assert!(!page.contains("<script>alert"));
    for text in [page.clone(), text(80), csv::compared(&both())] {
        assert_eq!(text.chars().find(|c| acts_or_hides(*c)), None);
    }
    assert!(HOSTILE.contains('\u{202e}') && page.contains("gnorw"));
    assert_ids_are_unique(&page);
    assert_eq!(
        side_by_side::plots(&both()).len(),
        page.matches("<figure id=").count()
    );
}

#[test]
fn the_page_of_two_runs_of_all_studies_is_small() {
    let run = full(lab::Preset::Quick, 10);
    let runs = [("before", &run), ("after", &run)];
    let runs = runs.map(|(name, results)| Named { name, results });
    let all = compare(&runs, How::default()).expect("they have all in common");
    let page = side_by_side::page(&all);
    let path = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("compare-all.html");
    std::fs::write(path, &page).expect("the page can be written");
    assert!(page.len() < 345_000, "{} bytes", page.len());
    // What it holds for programs is a part of it and no second page.
    let embedded = page.split("id=\"results\">").nth(1).expect("embedded data");
    let embedded = embedded.split("</script>").next().expect("its end");
    assert!(embedded.len() < 94_000, "{} bytes", embedded.len());
    let document: serde_json::Value = serde_json::from_str(embedded).expect("JSON");
    let columns = document["columns"].as_array().expect("columns");
    let row = &document["studies"][0]["cases"][0][2][1];
    assert_eq!(row.as_array().expect("a row").len(), columns.len());
    assert_eq!(row[1], 1, "the place of the run: {row}");
}

/// The run as on several machines, each with limits of its own.
pub(crate) fn machines() -> SideBySide {
    let mut all = [results(), results(), results()];
    for (place, results) in all.iter_mut().enumerate() {
        results.warnings.clear();
        let models = ["process", "fiber"].into_iter().take(2 - place / 2);
        let limits = models.map(|model| lab::Limit {
            label: model.to_owned(),
            model: model.parse().expect("a model"),
            room: (place != 1 || model != "fiber").then(|| machine::Ceiling {
                count: 8_000 * (place as u64 + 1),
                bites: "kernel.pid_max".to_owned(),
                value: 32_768,
                unit: machine::Unit::Tasks,
                raise: "sudo sysctl".to_owned(),
                left: 0,
                each: 0,
            }),
            made: 0,
            create_ns_each: None,
            bytes_each: None,
            bytes_not_available: Some("none could be made".to_owned()),
        });
        results.studies[0].parts.limits = limits.collect();
    }
    let names = ["laptop", "server", "board"].into_iter().zip(&all);
    let runs: Vec<_> = names
        .map(|(name, results)| Named { name, results })
        .collect();
    compare(&runs, How::default()).expect("they have all in common")
}

#[test]
fn limits_stand_side_by_side_in_every_format() {
    let all = machines();
    let style = support::verbose(80);
    let text = side_by_side::text(&all, &style);
    let start = text.find("How many flows").expect("a table");
    let end = text[start..].find("\n\n").expect("its end");
    insta::assert_snapshot!(&text[start..start + end]);
    let page = side_by_side::page(&all);
    for cell in [
        "<td>8,000<td>16,000<td>24,000",
        "<td>8,000<td class=\"doubt\">n/a<td>-",
    ] {
        assert!(page.contains(cell), "{cell}");
    }
    let document: serde_json::Value = serde_json::from_str(&json::compared(&all)).expect("JSON");
    let limits = &document["studies"][0]["limits"];
    assert_eq!(limits[0]["sides"][2]["room"]["count"], 24_000);
    assert!(limits[1]["sides"][2].is_null());
    assert_eq!(
        limits[1]["sides"][1]["room"]["not_available"]["reason"],
        "no limit of this machine can be read"
    );
}

/// It was said once for each run, however many had the same.
#[test]
fn equal_floors_are_told_once() {
    let mut all = machines();
    let style = support::verbose(200);
    let heading = |all: &SideBySide| {
        let text = side_by_side::text(all, &style);
        let words: Vec<&str> = text.split_whitespace().collect();
        let text = words.join(" ");
        let start = text.find("Trial division").expect("a heading");
        let end = text[start..].find(" variant run").expect("its table");
        text[start..start + end].to_owned()
    };
    let said = heading(&all);
    assert!(said.ends_with("· floor 1.0 %, as in the runs"), "{said}");
    let own = lab::compare::Floor {
        fraction: 0.05,
        because: lab::compare::FloorFrom::Wander,
    };
    all.studies[0].cases[0].floors[2] = Some(own);
    let said = heading(&all);
    assert!(
        said.ends_with(
            "· floor 1.0 % for server, as in the runs · floor 5.0 % for board, so far a run wandered"
        ),
        "{said}"
    );
}

#[test]
fn lines_of_several_runs_are_told_apart_by_their_strokes() {
    let page = side_by_side::page(&machines());
    let figure = page
        .split("<figure id=\"study0-0-lines\"")
        .nth(1)
        .expect("lines");
    let legend = figure.split("</ul>").next().expect("a legend");
    let mut entries: Vec<&str> = legend.split("<li ").skip(1).collect();
    assert_eq!(entries.len(), 6);
    for entry in &mut entries {
        // Without its place and its label.
        let look = entry.split_once('>').expect("a look").1;
        *entry = &look[..look.rfind("</i>").expect("a marker")];
    }
    let different: BTreeSet<&str> = entries.iter().copied().collect();
    assert_eq!(different.len(), entries.len(), "{entries:?}");
}
