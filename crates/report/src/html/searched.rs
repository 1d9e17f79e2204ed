//! Work that makes its own flows: the source's table, its chart by the number of workers, and
//! where the time went.

use lab::{CaseResult, StudyResult};
use maud::{Markup, html};

use super::figure::Figures;
use super::lines;
use super::stacks::stack;
use super::table::table;
use crate::charts::axis::TIME;
use crate::charts::bars::{Bar, Parts};
use crate::charts::lines::{Point, Series as Line};
use crate::charts::marker::Look;
use crate::number::{NONE, bytes, plain, time};
use crate::searched::{
    self, ByNumber, CLASSES, NOTE_TABLE, Row, Series, classes, note_classes, number, timers,
};
use crate::workers::share;

/// The tables and charts of a study; `None` where none of its work makes its own flows.
pub(super) fn searched(id: &str, study: &StudyResult) -> Option<Markup> {
    let rows = searched::then_and_now(study);
    if rows.is_none() && ByNumber::of(study).is_none() {
        return None;
    }
    Some(html! {
        article.case {
            @if let Some(origin) = &study.study.origin {
                h3 { "Then and now" }
                p { (origin.author) ", " cite { (origin.title) } ", " (origin.year) ": " (origin.finding) }
            }
            @if let Some(rows) = rows {
                (of_rows(&rows))
                p.quiet { (NOTE_TABLE) }
            }
            (figures(id, study))
        }
    })
}

fn of_rows(rows: &[Row]) -> Markup {
    let cells = |row: &Row| {
        vec![
            row.who.clone(),
            row.user.shown(time),
            row.system.shown(time),
            row.cpu_share.shown(share),
            row.total.shown(time),
        ]
    };
    let rows: Vec<_> = rows.iter().map(cells).collect();
    table(&["done by", "user", "system", "CPU %", "total"], &rows)
}

/// The charts of a study.
pub(super) fn figures(id: &str, study: &StudyResult) -> Figures {
    let Some(by_number) = ByNumber::of(study) else {
        return Figures::default();
    };
    let [ours, theirs] = by_number.parted();
    let here = chart(
        &format!("{id}-workers"),
        "Time by the number of workers",
        &ours,
    );
    match (&study.study.origin, theirs.is_empty()) {
        (Some(origin), false) => {
            let title = format!("The same in {}, by the source", origin.year);
            here.and(chart(&format!("{id}-source"), &title, &theirs))
        }
        _ => here,
    }
}

fn chart(id: &str, title: &str, all: &[&Series<'_>]) -> Figures {
    let mut numbers: Vec<u32> = all
        .iter()
        .flat_map(|s| s.points.iter().map(|p| p.0))
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    // A point is no line.
    if numbers.len() < 2 {
        return Figures::default();
    }
    let lines = all.iter().enumerate();
    let lines: Vec<Line> = lines.map(|(place, series)| line(place, series)).collect();
    lines::lines(id, title, "workers", lines, by_number(&numbers, all))
}

fn line(place: usize, series: &Series<'_>) -> Line {
    let point = |&(flows, [low, typical, high]): &(u32, [f64; 3])| Point {
        x: flows.into(),
        y: typical,
        low,
        high,
    };
    Line {
        label: series.name.clone(),
        look: Look::Variant(place),
        points: series.points.iter().map(point).collect(),
        fit: Vec::new(),
    }
}

/// Typical times, one row a number of workers, one column a line.
fn by_number(numbers: &[u32], all: &[&Series<'_>]) -> Markup {
    let mut heads = vec!["workers"];
    heads.extend(all.iter().map(|series| series.name.as_str()));
    let row = |&at: &u32| {
        let times = all
            .iter()
            .map(|series| series.at(at).map_or(String::new(), time));
        [number(at)].into_iter().chain(times).collect()
    };
    let rows: Vec<Vec<String>> = numbers.iter().map(row).collect();
    table(&heads, &rows)
}

/// Where the time of each variant of a case went.
pub(super) fn profile(id: &str, case: &CaseResult) -> Figures {
    let bars = searched::variants(case).filter(|(_, own)| !own.classes_ns.is_empty());
    let bars = bars.map(|(variant, own)| Bar {
        label: variant.label.clone(),
        parts: classes(own),
    });
    let parts = Parts {
        names: &CLASSES,
        unit: &TIME,
        write: time,
    };
    stack(
        id,
        "Where the time of all flows goes",
        bars.collect(),
        parts,
    )
}

/// What each variant of a case used; nothing where its work does not make its own flows.
pub(super) fn used(case: &CaseResult) -> Markup {
    let row = |(variant, own): (&lab::VariantSummary, &lab::SelfManaged)| {
        let counted = |value: fn(&lab::results::Counts) -> f64| {
            let counts = variant.counts.as_ref();
            counts.map_or(NONE.to_owned(), |counts| plain(value(counts)))
        };
        vec![
            variant.label.clone(),
            time(own.user_ns),
            time(own.system_ns),
            share(own.cpu_share),
            plain(own.made),
            plain(own.most),
            counted(lab::results::Counts::faults),
            counted(|counts| counts.voluntary_switches),
            counted(|counts| counts.involuntary_switches),
            bytes(own.peak_rss),
            timers(own),
        ]
    };
    let rows: Vec<_> = searched::variants(case).map(row).collect();
    let heads = [
        "variant",
        "user",
        "system",
        "CPU %",
        "flows made",
        "at one time",
        "page faults",
        "CPU given up",
        "CPU taken",
        "peak RSS",
        "timers",
    ];
    html! {
        @if let Some(what) = searched::what_was_searched(case) { p.quiet { (what) } }
        @if !rows.is_empty() {
            (table(&heads, &rows))
            p.quiet { (note_classes(|_| true)) }
        }
    }
}
