//! One case, or one sweep, as a table with what is to be said below it.

use lab::{CaseResult, Finding, Results, VariantSummary};

use super::counting;
use super::page::Page;
use super::requests::requests;
use super::searched;
use crate::blocks::Sweep;
use crate::number::{NONE, bytes, time};
use crate::sampling::sampling;
use crate::searched::is_self_managed;
use crate::table::{Cell, Column, Table};
use crate::words::{
    Tone, circumstances, comparison, cut_short, cut_short_together, finding_of, is_alone, many,
    not_counted, of_first, other_ratios, point_value, with_unit, work_apart, work_of,
};

/// A case: title, table, sentences, reasons, slow ends, failures.
pub(super) fn case(page: &mut Page<'_>, results: &Results, case: &CaseResult) {
    title(page, &case.case.title, circumstances(results, case));
    page.text(2, Tone::Quiet, &work_of(&case.case));
    progress(page, results, case);
    if case.slots.is_empty() {
        return;
    }
    searched::what(page, case);
    page.table(2, &table(None, &[case]));
    if let Some(line) = other_ratios(std::iter::once((case, String::new()))) {
        page.text(2, Tone::Quiet, &line);
    }
    requests(page, None, &[case]);
    // Numbers of flows are told together, by the remarks of the study.
    let told_together = case.optimum.is_some();
    for finding in case.findings.iter().filter(|_| !told_together) {
        said(page, finding);
    }
    let lines = own_work(case).into_iter().chain(sampling(case));
    for line in lines.chain(not_counted(case)) {
        page.text(2, Tone::Quiet, &line);
    }
    counting::of_case(page, case);
    missing(page, case);
}

/// A sweep: one table of all its points. What its findings mean together is said by the
/// remarks of the study.
pub(super) fn sweep(page: &mut Page<'_>, results: &Results, sweep: &Sweep<'_>) {
    title(
        page,
        &sweep.title(),
        vec![format!("by {}", with_unit(sweep.parameter, sweep.unit))],
    );
    let points = sweep.points.iter();
    let points = points.map(|(_, case)| (*case, point_value(&case.case)));
    for cut in cut_short_together(results, points) {
        page.text(2, Tone::Doubt, &format!("{} {cut}", sweep.parameter));
    }
    let rows: Vec<_> = sweep.points.iter().map(|(_, case)| *case).collect();
    page.table(2, &table(Some(sweep.parameter), &rows));
    let places = sweep.points.iter().map(|(_, case)| {
        let place = format!("{} {}, ", sweep.parameter, point_value(&case.case));
        (*case, place)
    });
    if let Some(line) = other_ratios(places) {
        page.text(2, Tone::Quiet, &line);
    }
    requests(page, Some(sweep.parameter), &rows);
    let mut own: Vec<String> = sweep
        .points
        .iter()
        .flat_map(|(_, case)| own_work(case))
        .collect();
    let mut said = std::collections::BTreeSet::new();
    own.retain(|line| said.insert(line.clone()));
    for line in own {
        page.text(2, Tone::Quiet, &line);
    }
    for (_, case) in &sweep.points {
        missing(page, case);
    }
}

pub(super) fn title(page: &mut Page<'_>, title: &str, mut parts: Vec<String>) {
    parts.insert(0, title.to_owned());
    page.text(0, Tone::Strong, &parts.join(" · "));
}

fn progress(page: &mut Page<'_>, results: &Results, case: &CaseResult) {
    if let Some(cut) = cut_short(results, case) {
        page.text(2, Tone::Doubt, &cut);
    }
}

/// One row a variant of each case. A parameter has the first column, with its value at the
/// first variant.
fn table(parameter: Option<&str>, cases: &[&CaseResult]) -> Table {
    let rows = cases.iter().flat_map(|case| {
        let variants = case.variants.iter().enumerate();
        variants.map(move |(at, variant)| {
            let first = parameter.map(|_| match at {
                0 => Cell::plain(&point_value(&case.case)),
                _ => Cell::plain(""),
            });
            first.into_iter().chain(row(case, at, variant)).collect()
        })
    });
    let reference = cases.first().and_then(|case| case.variants.first());
    let reference = reference.map_or("", |reference| &reference.label);
    let mut own = match cases.iter().all(|case| is_self_managed(case)) {
        true => searched::columns(reference),
        false => columns(reference),
    };
    let mut rows: Vec<Vec<Cell>> = rows.collect();
    if cases.iter().all(|case| is_alone(case)) {
        // There is nothing to compare with: no columns for it.
        own.truncate(own.len() - VERSUS);
        let of_row = |row: &mut Vec<Cell>| row.truncate(row.len() - VERSUS);
        rows.iter_mut().for_each(of_row);
    }
    Table {
        flex: usize::from(parameter.is_some()),
        columns: parameter
            .map(Column::right)
            .into_iter()
            .chain(own)
            .collect(),
        rows,
    }
}

fn columns(reference: &str) -> Vec<Column> {
    vec![
        Column::left("variant"),
        Column::right("typical"),
        Column::right("undisturbed").drop(2),
        Column::right("CPU time").drop(3),
        Column::right("memory").drop(5),
        Column::right("RSS").drop(1),
        Column::right(&format!("vs {reference}")),
        Column::left("").drop(4),
    ]
}

fn row(case: &CaseResult, at: usize, variant: &VariantSummary) -> Vec<Cell> {
    let mut row = match is_self_managed(case) {
        true => searched::row(variant),
        false => used(variant),
    };
    row.extend(versus(case, at, &variant.label));
    row
}

/// What a variant took and used.
fn used(variant: &VariantSummary) -> Vec<Cell> {
    let number = |value: Option<f64>, unit: fn(f64) -> String| {
        value.map_or(Cell::new(Tone::Doubt, NONE), |value| {
            Cell::plain(&unit(value))
        })
    };
    let memory = variant.memory.as_ref();
    vec![
        Cell::plain(&variant.label),
        number(variant.value.map(|value| value.typical), time),
        number(variant.undisturbed_ns, time),
        number(variant.cpu_ns, time),
        number(memory.map(|memory| memory.total() as f64), bytes),
        number(memory.map(|memory| memory.rss as f64), bytes),
    ]
}

/// Columns in which a variant is compared, at the end of a table.
const VERSUS: usize = 2;

/// How it compares, and the interval.
fn versus(case: &CaseResult, at: usize, label: &str) -> [Cell; VERSUS] {
    if at == 0 {
        return [Cell::new(Tone::Quiet, of_first(case)), Cell::plain("")];
    }
    match finding_of(case, label) {
        Some(finding) => {
            let said = comparison(finding.estimate.as_ref(), &finding.verdict);
            [
                Cell::new(said.tone, &said.word),
                Cell::plain(&said.interval),
            ]
        }
        None => [Cell::new(Tone::Doubt, NONE), Cell::plain("")],
    }
}

fn said(page: &mut Page<'_>, finding: &Finding) {
    page.text(2, Tone::Plain, &finding.sentence);
    if !finding.why.is_empty() {
        page.text(4, Tone::Plain, &format!("Why: {}", finding.why.join("; ")));
    }
    if let Some(line) = tail(finding) {
        page.text(4, Tone::Quiet, &line);
    }
}

/// `p95: thread 15.0 ms, process 65.1 ms · slow runs: thread 1 of 20, process 0 of 20`.
pub(crate) fn tail(finding: &Finding) -> Option<String> {
    let tail = finding.tail?;
    let sides = [
        (&finding.subject, tail.subject),
        (&finding.reference, tail.reference),
    ];
    let p95 = sides.map(|(label, side)| Some(format!("{label} {}", time(side.p95?))));
    let slow = sides.map(|(label, side)| format!("{label} {} of {}", side.slow, side.values));
    let slow = format!("slow runs: {}", slow.join(", "));
    Some(match p95 {
        [Some(subject), Some(reference)] => format!("p95: {subject}, {reference} · {slow}"),
        _ => slow,
    })
}

/// Whose work is not the case's, and in what.
fn own_work(case: &CaseResult) -> Vec<String> {
    // A search of its own is the same search in another design, which its label says.
    let labelled = case.case.variants.iter().filter(|_| !is_self_managed(case));
    let said = labelled.filter_map(|variant| {
        let own = variant.work.as_ref()?;
        let apart = work_apart(own, &case.case.work);
        (!apart.is_empty()).then_some(())?;
        Some(format!("{} has work of its own: {apart}", variant.label))
    });
    said.collect()
}

/// What is not there, and why.
pub(super) fn missing(page: &mut Page<'_>, case: &CaseResult) {
    for line in failed(case) {
        page.text(2, Tone::Doubt, &line);
    }
    for variant in &case.variants {
        // The peak of RSS has a column of its own then.
        let missing = variant.memory_not_available.as_ref();
        if let Some(reason) = missing.filter(|_| !is_self_managed(case)) {
            let text = format!("memory of {} is not available: {reason}", variant.label);
            page.text(2, Tone::Quiet, &text);
        }
    }
}

/// `failed: 3 slots of thread: …`; of several variants together where it is the same.
fn failed(case: &CaseResult) -> Vec<String> {
    let mut groups: Vec<(&(usize, String), Vec<&str>)> = Vec::new();
    for variant in &case.variants {
        for failure in &variant.failures {
            match groups.iter_mut().find(|(known, _)| *known == failure) {
                Some((_, labels)) => labels.push(&variant.label),
                None => groups.push((failure, vec![&variant.label])),
            }
        }
    }
    let said = groups.into_iter().map(|((slots, reason), labels)| {
        let each = if labels.len() > 1 { " each" } else { "" };
        let slots = many(*slots as u64, "slot");
        format!("failed: {slots}{each} of {}: {reason}", labels.join(", "))
    });
    said.collect()
}
