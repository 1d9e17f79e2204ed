//! What a model of another machine counted, as tables and charts: threads over processes against
//! the number of flows, beside the source's figures. All says *simulated*.

mod against;
mod beside;

use lab::findings::Word;
use lab::findings::simulated::{
    Count, CountedHere, SimulatedCase, SimulatedCount, Spread, conclusion, groups, is_of,
};
use lab::{Results, StudyResult, Topology};
use simulate::{Machine, show_bytes};

use beside::{Drawn, NotRun};

use super::detail::Detail;
use super::figures::Figure;
use super::table::{Cell, Col, Table, Unit, number, said, text, whole};
use super::{Level, Section};
use crate::charts::lines::{Point, Series};
use crate::number::percent;
use crate::words::Tone;

pub(crate) struct Row<'a> {
    pub(crate) machine: &'a str,
    pub(crate) case: &'a SimulatedCase,
    pub(crate) count: &'a SimulatedCount,
}

pub(crate) type Column = Col<fn(&Row<'_>) -> Cell>;

pub(crate) const COLUMNS: &[Column] = &[
    Column::new("simulated_machine", |row| text(row.machine)),
    Column::new("case", |row| text(&row.case.case)),
    Column::new("workload", |row| text(&row.case.workload)),
    Column::new("along", |row| said(row.case.along.map(Topology::word))),
    Column::new("flows", |row| whole(Some(row.case.flows))).shown("flows", Unit::Plain),
    Column::new("subject", |row| text(&row.case.subject)),
    Column::new("reference", |row| text(&row.case.reference)),
    Column::new("count", |row| text(row.count.count.name())),
    Column::new("", |row| text(row.count.count.head())).label("simulated"),
    Column::new("for_each", |row| {
        text(match row.count.count.grows_with_work() {
            true => "unit",
            false => "slot",
        })
    }),
    Column::new("reference_value", |row| number(Some(row.count.reference)))
        .shown("REFERENCE", Unit::Significant)
        .drop(2),
    Column::new("subject_value", |row| number(Some(row.count.subject)))
        .shown("SUBJECT", Unit::Significant)
        .drop(1),
    Column::new("ratio", |row| ratio(row, |spread| spread.median))
        .shown("ratio", Unit::Significant),
    Column::new("least_ratio", |row| ratio(row, |spread| spread.least))
        .shown("least", Unit::Significant)
        .drop(4),
    Column::new("most_ratio", |row| ratio(row, |spread| spread.most))
        .shown("most", Unit::Significant)
        .drop(3),
    Column::new("verdict", |row| text(verdict(row.count))).label("verdict"),
    Column::new("draws", |row| whole(Some(row.count.draws as u64))),
    Column::new("ratio_with_a_16th_of_the_window", |row| part(row, 16))
        .shown("1/16 window", Unit::Significant)
        .drop(7),
    Column::new("ratio_with_a_4th_of_the_window", |row| part(row, 4))
        .shown("1/4 window", Unit::Significant)
        .drop(6),
    Column::new("ratio_with_longer_turns", |row| {
        number(row.count.longer_turns)
    })
    .shown("longer turns", Unit::Significant)
    .drop(5),
    Column::new("launches", |row| whole(Some(row.case.launches as u64))),
    Column::new("units", |row| number(Some(row.case.units))),
    Column::new("counted_share", |row| number(Some(row.case.counted))),
    Column::new("relative_throughput", |row| {
        number(Some(row.case.throughput.median))
    }),
    Column::new("traces", |row| {
        let hashes = row.case.traces.iter().map(|pair| pair.join("/"));
        text(hashes.collect::<Vec<_>>().join(" "))
    }),
    Column::new("event", |row| {
        said(row.count.counted.map(|here| here.event.name()))
    }),
    Column::new("counted_reference", |row| {
        counted(row, |here| here.reference)
    }),
    Column::new("counted_subject", |row| counted(row, |here| here.subject)),
    Column::new("counted_ratio", |row| counted(row, |here| here.ratio)),
];

fn verdict(count: &SimulatedCount) -> String {
    let exact = if count.exact { ", exact" } else { "" };
    let word = match count.verdict {
        Word::Same => "same",
        Word::Less => "fewer",
        Word::More => "more",
        _ => "cannot tell",
    };
    format!("{word}{exact}")
}

/// The ratio with one part in so many of the window.
fn part(row: &Row<'_>, part: u64) -> Cell {
    let mut parts = row.count.in_parts.iter();
    let own = parts.find(|(own, _)| *own == part);
    number(own.map(|(_, ratio)| *ratio))
}

fn counted(row: &Row<'_>, of: fn(CountedHere) -> f64) -> Cell {
    number(row.count.counted.map(of))
}

fn ratio(row: &Row<'_>, of: fn(&Spread) -> f64) -> Cell {
    number(row.count.ratio.as_ref().map(of))
}

pub(crate) fn rows<'a>(
    results: &'a Results,
    study: &'a StudyResult,
) -> impl Iterator<Item = Row<'a>> {
    let simulation = results.header.settings.simulate.as_ref();
    let machine = simulation.map_or("", |simulation| simulation.machine.name.as_str());
    study.parts.simulated.iter().flat_map(move |case| {
        case.counts.iter().map(move |count| Row {
            machine,
            case,
            count,
        })
    })
}

pub(super) fn simulated(section: &mut Section, id: &str, results: &Results, study: &StudyResult) {
    let Some(simulation) = &results.header.settings.simulate else {
        return;
    };
    let machine = &simulation.machine;
    let heading = format!("Simulated: caches and data TLBs of {}", machine.name);
    let mut own = Section::new(&format!("{id}-simulated"), &heading).plots(&study.study.name, "");
    for (place, group) in groups(&study.parts.simulated).iter().enumerate() {
        let one = group[0];
        let id = format!("{id}-simulated{place}");
        for drawn in &DRAWN {
            let figure = figure(&id, study, group, drawn);
            let is_title = figure.is_some();
            own.figures(figure, Detail::WhatFits);
            let said = beside::said(study, group, drawn);
            if let Some(sentence) = said.sentence {
                let until = if is_title { Detail::All } else { Detail::Never };
                own.text(Tone::Plain, sentence).until = until;
            }
            own.texts(Tone::Plain, said.more);
        }
        let rows = rows(results, study).filter(|row| is_of(row.case, one));
        let table = Table::of(caption(one), COLUMNS, rows)
            .head("REFERENCE", &one.reference)
            .head("SUBJECT", &one.subject);
        own.table(table.in_groups());
        against::add_table(&mut own, &caption(one), group);
    }
    for one in NotRun::all(study, machine.hardware_threads()) {
        let figure = one.figure(&format!("{id}-simulated"), study);
        own.figures(figure, Detail::WhatFits);
        own.text(Tone::Plain, one.said(study)).until = Detail::All;
        own.text(Tone::Plain, one.remedy());
    }
    let first = study.parts.simulated.first();
    let of_first = |label: fn(&SimulatedCase) -> &String| first.map_or("", |one| label(one));
    own.quiet([
        format!("{}; {} pages", machine.about, show_bytes(simulation.page)),
        format!(
            "Counts are per unit of work; those of lines and pages per slot. Ratio: {} over {}, \
             the median over launches; least and most: the spread over launches and orders of the \
             flows. A verdict needs five values of each side that do not overlap; exact: all of a \
             side are equal. Parts of the window: the ratio had less been recorded. Longer turns: \
             the ratio if hardware threads of a core take turns of {} accesses instead of {}. \
             {4} of all accesses ran through the model; the others are assumed to be like them",
            of_first(|one| &one.subject),
            of_first(|one| &one.reference),
            simulation.turn * lab::data::simulation::OTHER_TURN,
            simulation.turn,
            percent(least_counted(study))
        ),
        "Not simulated: instructions, the kernel's accesses, prefetching, bandwidth, and \
         overlapping misses. Times come from a first-order model"
            .to_owned(),
    ]);
    own.quiet(origins(machine));
    section.section(own, Level::Answer);
}

fn origins(machine: &Machine) -> impl Iterator<Item = String> {
    machine.origins.iter().map(|origin| {
        let source = origin.source.iter().cloned();
        let assumed = origin.assumed.iter().map(|what| format!("assumed: {what}"));
        let said: Vec<String> = source.chain(assumed).collect();
        format!("{}: {}", origin.of, said.join("; "))
    })
}

fn least_counted(study: &StudyResult) -> f64 {
    let counted = study.parts.simulated.iter().map(|one| one.counted);
    counted.fold(1.0, f64::min)
}

fn caption(one: &SimulatedCase) -> String {
    match one.along {
        Some(along) => format!("Simulated: {} {}", one.workload, along.spoken()),
        None => format!("Simulated: {}", one.workload),
    }
}

const DRAWN: [Drawn; 2] = [
    Drawn {
        word: "caches",
        counts: &[Count::L1d, Count::L2, Count::Llc],
    },
    Drawn {
        word: "tlb",
        counts: &[Count::Dtlb, Count::Walks],
    },
];

/// Relative misses over the number of flows; `None` for a single point.
fn figure(
    id: &str,
    study: &StudyResult,
    group: &[&SimulatedCase],
    drawn: &Drawn,
) -> Option<Figure> {
    let ours = drawn.counts.iter().map(|count| {
        let points = group.iter().filter_map(|case| point(case, *count));
        (count.head().to_owned(), points.collect())
    });
    let theirs = beside::published(study, group, drawn);
    let theirs = theirs.iter().filter_map(|one| beside::marks(study, one));
    let theirs: Vec<_> = theirs.collect();
    let is_a_chart = group.len() > 1 || !theirs.is_empty();
    let all = ours.chain(theirs);
    let all = all.filter(|(_, points): &(String, Vec<Point>)| !points.is_empty());
    let series = all.enumerate();
    let series = series.map(|(at, (label, points))| Series::new(at, label, points.into_iter()));
    let series: Vec<Series> = series.collect();
    let conclusion = conclusion(group, drawn.counts).filter(|_| is_a_chart)?;
    let desc = format!(
        "{} lines over the number of flows, {} over {} = 1.0, simulated.",
        series.len(),
        group[0].subject,
        group[0].reference
    );
    let id = format!("{id}_{}", drawn.word);
    Some(beside::over_flows(&id, desc, conclusion.said, series))
}

fn point(case: &SimulatedCase, count: Count) -> Option<Point> {
    let ratio = case.count(count)?.ratio?;
    let ends = [ratio.least, ratio.most];
    (ratio.least > 0.0).then(|| Point::within(case.flows.into(), ratio.median, ends))
}
