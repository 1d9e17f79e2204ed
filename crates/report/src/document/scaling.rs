//! What a study of scaling found, as rows: throughput and pages; uncounted ones read `n/a`.

mod apart;
mod columns;
mod pages;

use std::collections::BTreeMap;

use flow::record::footprint::Touched;
use lab::{Scaling, StudyResult, Throughput};
use measure::Measured;

use super::detail::Detail;
use super::figures::{Figure, by_shape, cell, chain, gains, stack};
use super::table::Table;
use super::{Level, Section};
use crate::charts::axis::BYTES;
use crate::charts::bars::{Bar, Parts};
use crate::number::{bytes, significant};
use apart::apart;
pub(crate) use columns::{COLUMNS, rows};
use columns::{PAGES, of_work};
use lab::Sweep;
use lab::data::gathered::distinct;

const HEADING: &str = "Throughput against the number of flows, and pages";

const NOTE: &str = "Of one: throughput over that of one flow (one pair) of the \
    first variant, with the interval of two samples at 95 %. Threads over processes: only the \
    model differs, rounds are in random order; above 1 threads do more. Memory: PSS, page tables \
    and kernel stacks.";

const ABOUT_PAGES: &str = "Pages that hold what the flows work on, of 4 KiB and as ranges of \
    2 MiB (what a huge page maps); each address space by itself. Shared: worked on by more than \
    one flow, or by flows of more than one core; after <=, an upper bound.";

const UNTOLD: &str =
    "Pages: not available: flows of this work keep nothing that could be gone over at its end";

const NO_ONE: &str = "of one: no good slot with one flow (one pair) of the first variant: ask for \
    that number too, such as --flows 1..4";

fn tells_pages(work: &Scaling) -> bool {
    let mut variants = work.points.iter().flat_map(|point| &point.variants);
    variants.any(|variant| variant.footprint.is_some())
}

pub(super) fn scaling(section: &mut Section, id: &str, study: &StudyResult) {
    if study.parts.scaling.is_empty() {
        return;
    }
    let mut own = Section::new(&format!("{id}-scaling"), HEADING).plots(&study.study.name, "");
    own.figures(figures(id, study), Detail::WhatFits);
    for work in &study.parts.scaling {
        let caption = heading(work);
        let first = work.points.first().and_then(|point| point.variants.first());
        let versus = format!("vs {}", first.map_or("", |first| &first.label));
        let table = Table::of(&caption, COLUMNS, of_work(study, work));
        let table = table
            .head("verdict", versus)
            .head("interval", "")
            .head("its interval", "");
        own.table(table.in_groups());
        own.quiet(apart(work).into_iter().chain(allocating(work)));
        match tells_pages(work) {
            true => {
                let pages = format!("{caption}: pages");
                own.table(Table::of(pages, PAGES, of_work(study, work)).in_groups());
            }
            false => own.quiet([UNTOLD]),
        }
    }
    own.quiet([NOTE, ABOUT_PAGES]);
    own.quiet(reasons(study).iter().map(|reason| format!("n/a: {reason}")));
    section.section(own, Level::Evidence);
}

fn reasons(study: &StudyResult) -> Vec<String> {
    let points = study.parts.scaling.iter().flat_map(|work| &work.points);
    distinct(points.flat_map(|point| &point.variants).flat_map(unseen))
}

fn figures(id: &str, study: &StudyResult) -> impl Iterator<Item = Figure> {
    let works = study.parts.scaling.iter().enumerate();
    works.flat_map(move |(place, work)| {
        let id = format!("{id}-scale{place}-{}", word(work));
        let bars = chain(&format!("{id}_bars"), study, work);
        let [gain, over] = gains(&id, work);
        let pages = shared_pages(&format!("{id}_pages"), work);
        let grid = grid(&format!("{id}_grid"), study, work);
        [bars, gain, over, pages, grid].into_iter().flatten()
    })
}

fn word(work: &Scaling) -> String {
    let name = format!("{}_{}", work.workload, work.along);
    name.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
}

fn shared_pages(id: &str, work: &Scaling) -> Option<Figure> {
    let bar = |one: &Throughput| {
        let pages = one.footprint.as_ref()?.value()?;
        let shared = pages.by_cores.value().or(pages.by_cores_at_most.as_ref())?;
        let bytes = |pages_of: u64| (pages_of * pages.page) as f64;
        let alone = bytes(pages.all.small.saturating_sub(shared.small));
        Some(Bar {
            label: one.label.clone(),
            parts: vec![alone, bytes(shared.small)],
        })
    };
    let point = work.points.iter().rfind(|point| point.flows > 1);
    let bars = point.map_or(Vec::new(), |point| {
        point.variants.iter().filter_map(bar).collect()
    });
    let parts = Parts {
        names: &["of one core alone", "of several cores (at most)"],
        unit: &BYTES,
        write: bytes,
    };
    let title = format!(
        "{} {}: memory that flows work on",
        work.workload,
        work.along.spoken()
    );
    stack(id, &title, bars, parts)
}

fn grid(id: &str, study: &StudyResult, work: &Scaling) -> Option<Figure> {
    let mut cells = BTreeMap::new();
    for point in &work.points {
        let case = study.cases.iter().find(|case| case.case.name == point.case);
        for variant in &point.variants {
            let shape = (variant.processes, variant.threads);
            let cell = case.and_then(|case| cell(case, &variant.label));
            // One flow has one place, as thread or process.
            if let Some(cell) = cell {
                cells.entry(shape).or_insert(cell);
            }
        }
    }
    if !cells.keys().any(|(p, t)| *p > 1 && *t > 1) {
        return None;
    }
    let title = format!(
        "{} {}: processes by threads, against processes of one thread",
        work.workload,
        work.along.spoken()
    );
    by_shape(id, &title, &cells)
}

fn missing(variant: &Throughput) -> Vec<String> {
    let pages = variant.footprint.as_ref().and_then(Measured::value);
    let resident = pages.and_then(|pages| reason(&pages.resident));
    distinct(unseen(variant).into_iter().chain(resident))
}

fn unseen(variant: &Throughput) -> Vec<String> {
    let one = variant.over_one.is_none().then(|| NO_ONE.to_owned());
    let pages = match &variant.footprint {
        Some(Measured::Value(pages)) => [
            bounded(&pages.by_flows, pages.by_flows_at_most),
            bounded(&pages.by_cores, pages.by_cores_at_most),
        ],
        Some(footprint) => [reason(footprint), None],
        None => [None, None],
    };
    let all = [one, reason(&variant.memory)].into_iter().chain(pages);
    distinct(all.flatten())
}

fn bounded(measured: &Measured<Touched>, at_most: Option<Touched>) -> Option<String> {
    let reason = reason(measured)?;
    Some(match at_most {
        Some(_) => format!("{reason}; what stands after <= is a bound"),
        None => reason,
    })
}

fn reason<T>(measured: &Measured<T>) -> Option<String> {
    match measured {
        Measured::Value(_) => None,
        Measured::NotAvailable { .. } => Some(measured.as_ref().map(|_| String::new()).to_string()),
    }
}

/// Sweeps over flows of equal work have charts of throughput, not of times.
pub(crate) fn is_scaled(sweep: &Sweep<'_>) -> bool {
    let mut cases = sweep.points.iter().map(|(_, case)| &case.case);
    cases.all(|case| lab::data::along(case).is_some())
}

/// The heading of a work along a way: `warehouse along cores: transactions a second, and pages`.
fn heading(work: &Scaling) -> String {
    let (way, counted) = (work.along.spoken(), &work.counted);
    format!("{} {way}: {counted} a second, and pages", work.workload)
}

fn allocating(work: &Scaling) -> Option<String> {
    let each = work.allocates?;
    let counted = &work.counted;
    Some(match each.count > 0.0 {
        true => format!(
            "Each of these {counted} allocates {} times, {} bytes in all",
            significant(each.count),
            each.bytes
        ),
        false => format!("These {counted} allocate nothing"),
    })
}
