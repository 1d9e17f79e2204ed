use lab::compare::{Series, SeriesPoint, SideBySide};
use maud::{Markup, html};
use serde_json::json;

use super::study::section;
use super::{counts, largest, not_covered, where_and_when};
use crate::charts::forest::Row;
use crate::date::utc;
use crate::document::detail::Detail;
use crate::document::table::Table;
use crate::html::table::{Named, table};
use crate::html::{self, Lesson, Lessons, document, forest};
use crate::plots::Plot;
use crate::text::{shell_word, tied};
use crate::words::Tone;

/// One page that needs nothing else, of the same kind as that of a run.
#[must_use]
pub fn page(all: &SideBySide) -> String {
    let names: Vec<_> = all.runs.iter().map(|run| run.name.as_str()).collect();
    let title = format!("flowgauge: {}", names.join(" against "));
    document(&title, body(all), &crate::json::embedded_comparison(all))
}

/// Every chart of the page.
#[must_use]
pub fn plots(all: &SideBySide) -> Vec<Plot> {
    let studies = all.studies.iter().enumerate();
    let figures = studies.flat_map(|(place, one)| section(all, place, one).into_figures());
    crate::plots::plots(figures.collect())
}

fn body(all: &SideBySide) -> Markup {
    let lessons = Lessons::along(all.series.iter().map(|one| along(all, one)).collect());
    html! {
        a.skip href="#runs" { "Skip to the runs" }
        header {
            h1 { "flowgauge" }
            p.where { "Runs side by side: every run against the first" }
            @for warning in &all.warnings { p.warning { strong { "Warning: " } (warning) } }
            @for line in &all.left_out { p.quiet { "Left out: " (line) } }
        }
        section #answers aria-label="Answers" {
            @for run in 1..all.runs.len() {
                article {
                    h2 { (all.runs[run].name) }
                    p class=(format!("verdict {}", tone(all, run).class())) { (counts(all, run)) }
                    @if let Some(sentence) = largest(all, run) { p { "The largest change: " (tied(&sentence)) } }
                    @if let Some(shift) = all.shift(run) { p { (tied(&shift)) } }
                }
            }
        }
        @if !all.series.is_empty() {
            section #rows aria-label="Rows" {
                h2 { "Each row, run by run" }
                @for (place, one) in all.series.iter().enumerate() {
                    article.along id=(format!("row{place}")) {
                        h3 { (one.label) }
                        p class=(match one.change { Some(_) => "verdict doubt", None => "" }) { (tied(&one.sentence)) "." }
                        (forest::answers(&format!("row{place}-forest"), &one.label, &bars(all, one), &|run| html! { (name(all, one, run)) }, &|run| html! { (bars(all, one)[run].said) }))
                        (lessons.at(place))
                    }
                }
            }
        }
        nav aria-label="Parts" {
            @if !all.series.is_empty() { a href="#rows" { "rows" } }
            a href="#runs" { "runs" }
            a href="#method" { "method" }
        }
        main {
            section #runs {
                h2 { "The runs" }
                div.facts { (table(&Table::texts("", &["run", "where and when", "seed"], runs(all)), Named::Heading("The runs"))) }
                p.quiet { (not_covered(all)) }
            }
            @for (number, one) in all.studies.iter().enumerate() {
                (html::section(&section(all, number, one), Detail::All, 3))
            }
        }
        section aria-label="The method" { (html::method()) }
        (lessons.end())
    }
}

fn name(all: &SideBySide, one: &Series, point: usize) -> String {
    let run = &all.runs[one.points[point].run];
    format!("{}, {}", run.name, utc(run.began_unix_s))
}

fn bars(all: &SideBySide, one: &Series) -> Vec<Row> {
    let bar = |(place, point): (usize, &SeriesPoint)| {
        let ends = point.interval;
        let ends = ends.map_or(String::new(), |(low, high)| {
            format!(" [{low:.2} … {high:.2}]")
        });
        let changes = one.change.is_some_and(|change| change.at == place);
        let mark = if changes {
            ", from here on another level"
        } else {
            ""
        };
        Row {
            label: name(all, one, place),
            said: format!("{:.2}x the time{ends}{mark}", point.ratio),
            tone: match point.interval {
                Some((_, high)) if high < 1.0 / (1.0 + one.floor) => Tone::Faster,
                Some((low, _)) if low > 1.0 + one.floor => Tone::Slower,
                _ => Tone::Doubt,
            },
            ratio: Some(point.ratio),
            interval: point.interval,
            floor: one.floor,
        }
    };
    one.points.iter().enumerate().map(bar).collect()
}

fn along(all: &SideBySide, one: &Series) -> Lesson {
    let heads = [
        "run",
        "round",
        &format!("{} (ns)", one.reference),
        &format!("{} (ns)", one.subject),
    ];
    let rows = one.points.iter().flat_map(|point| {
        let name = &all.runs[point.run].name;
        let rounds = point.rounds.iter();
        rounds.map(move |(round, r, s)| vec![json!(name), json!(round), json!(r), json!(s)])
    });
    let names = all.runs.iter().map(|run| shell_word(&run.name));
    let command = format!("flowgauge compare {}", names.collect::<Vec<_>>().join(" "));
    let heads = [heads.map(|head| json!(head)).to_vec()].into_iter();
    let table = heads.chain(rows).collect();
    let sides = [one.subject.as_str(), &one.reference];
    Lesson::along(one.label.clone(), sides, command, table)
}

fn tone(all: &SideBySide, run: usize) -> Tone {
    let mut own = all.changes().filter(|(_, _, _, of, _)| *of == run);
    match own.any(|(.., change)| change.verdict.is_decided()) {
        true => Tone::Plain,
        false => Tone::Doubt,
    }
}

fn runs(all: &SideBySide) -> Vec<Vec<String>> {
    let row = |run: &lab::compare::ComparedRun| {
        vec![run.name.clone(), where_and_when(run), run.seed.to_string()]
    };
    all.runs.iter().map(row).collect()
}
