//! What flows used that work made itself: `search.csv`, times by workers, where the time went.

use std::collections::BTreeSet;

use lab::findings::Counts;
use lab::{AtNumber, CaseResult, Optimum, SelfManaged, StudyResult, VariantSummary};
use workload::Searching;

use super::detail::Detail;
use super::figures::{self, Figure, stack};
use super::table::{
    Cell, Column as Head, Table, Unit, measured, missing, number, said, text, whole, yes_or_no,
};
use super::variants::{Column, INTERVAL, NAME, NO_GOOD_SLOT, Row, VERDICT};
use super::{Level, Section};
use crate::charts::axis::TIME;
use crate::charts::bars::{Bar, Parts};
use crate::charts::lines::{Point, Series as Line};
use crate::number::{bytes, many, plain, time};

pub(crate) use workload::searching::CLASSES;

const MEANINGS: [(&str, &str); 8] = [
    ("walk", "folders are opened and listed, ignore rules"),
    ("open", "files are opened and closed"),
    ("read", "also mapping and unmapping"),
    ("search", "also the faults that bring in a mapped file"),
    ("print", "results are formatted and written"),
    ("create", "other flows are made"),
    (
        "wait",
        "for work of another flow, or at the cap for one to end",
    ),
    ("timers", "how much longer that repetition took"),
];

fn note_classes() -> String {
    let meanings: Vec<String> = MEANINGS
        .iter()
        .map(|(column, meaning)| format!("{column}: {meaning}"))
        .collect();
    format!(
        "Time of all flows together, by timers in a repetition of its own that counts nowhere \
         else. {}.",
        meanings.join("; ")
    )
}

pub(crate) const COLUMNS: &[Column] = &[
    NAME,
    Column::new("model", |row| row.launched().model()),
    Column::new("flows", |row| row.launched().flows()),
    Column::new("design", |row| {
        of_search(row, |search| text(search.design.name()))
    }),
    Column::new("io", |row| of_search(row, |search| text(search.io.name()))),
    Column::new("cold", |row| {
        of_search(row, |search| yes_or_no(search.cold))
    }),
    Column::new("good_slots", |row| whole(Some(row.summary().good as u64))),
    Column::new("typical_ns", |row| {
        measured(row.summary().value.map(|value| value.typical), NO_GOOD_SLOT)
    })
    .shown("total", Unit::Time),
    Column::new("user_ns", |row| own(row, |own| own.user_ns))
        .shown("user", Unit::Time)
        .drop(5),
    Column::new("system_ns", |row| own(row, |own| own.system_ns))
        .shown("system", Unit::Time)
        .drop(6),
    Column::new("cpu_share", |row| own(row, |own| own.cpu_share))
        .shown("CPU %", Unit::Share)
        .drop(8),
    Column::new("create_ns", |row| {
        number(row.summary().phases.map(|p| p.create_ns))
    }),
    Column::new("teardown_ns", |row| {
        number(row.summary().phases.map(|p| p.teardown_ns))
    }),
    Column::new("flows_made", |row| own(row, |own| Some(own.made)))
        .shown("flows made", Unit::Plain)
        .drop(2),
    Column::new("flows_at_one_time", |row| own(row, |own| Some(own.most))),
    Column::new("held_at", |row| own(row, |own| own.held_at)),
    Column::new("faults", |row| row.used(Counts::faults))
        .shown("faults", Unit::Plain)
        .drop(3),
    Column::new("", |row| row.used(Counts::switches))
        .shown("switches", Unit::Plain)
        .drop(4),
    Column::new("voluntary_switches", |row| {
        row.used(|c| c.voluntary_switches)
    }),
    Column::new("involuntary_switches", |row| {
        row.used(|c| c.involuntary_switches)
    }),
    Column::new("peak_rss_bytes", |row| own(row, |own| Some(own.peak_rss)))
        .shown("peak RSS", Unit::Bytes)
        .drop(1),
    Column::new("repetitions", |row| own(row, |own| Some(own.reps as f64))),
    Column::new("repetitions_from_disk", |row| {
        own(row, |own| Some(own.from_disk as f64))
    }),
    Column::new("files", |row| searched(row, "files")),
    Column::new("folders", |row| searched(row, "folders")),
    Column::new("bytes", |row| searched(row, "bytes")),
    Column::new("lines", |row| searched(row, "lines")),
    Column::new("matched_files", |row| searched(row, "matched_files")),
    Column::new("errors", |row| searched(row, "errors")),
    Column::new("walk_ns", |row| class(row, "walk")),
    Column::new("open_ns", |row| class(row, "open")),
    Column::new("read_ns", |row| class(row, "read")),
    Column::new("search_ns", |row| class(row, "search")),
    Column::new("print_ns", |row| class(row, "print")),
    Column::new("class_create_ns", |row| class(row, "create")),
    Column::new("wait_ns", |row| class(row, "wait")),
    Column::new("timers_cost", |row| own(row, |own| own.timers_cost)),
    Column::new("is_best_number", |row| {
        let best = row.case.optimum.as_ref().filter(|best| best.is_told);
        let yes = best.map(|best| best.label == row.summary().label);
        yes.map_or_else(Cell::default, yes_or_no)
    }),
    Column::new("ratio_to_best", |row| {
        to_best(row, |at| Some(at.estimate?.ratio))
    }),
    Column::new("ratio_to_best_low", |row| {
        to_best(row, |at| Some(at.estimate?.interval()?.0))
    }),
    Column::new("ratio_to_best_high", |row| {
        to_best(row, |at| Some(at.estimate?.interval()?.1))
    }),
    VERDICT,
    INTERVAL.drop(7),
];

pub(crate) fn rows(case: &CaseResult) -> impl Iterator<Item = Row<'_>> {
    super::variants::rows([case]).filter(|row| row.summary().self_managed.is_some())
}

fn own(row: &Row<'_>, value: impl Fn(&SelfManaged) -> Option<f64>) -> Cell {
    let own = row.summary().self_managed.as_ref();
    own.map_or_else(|| missing(NO_GOOD_SLOT), |own| number(value(own)))
}

fn of_search(row: &Row<'_>, cell: impl Fn(&Searching) -> Cell) -> Cell {
    let search = row.case.case.work_of(row.at).search();
    search.map_or_else(Cell::default, cell)
}

fn searched(row: &Row<'_>, name: &str) -> Cell {
    own(row, |own| own.counts.get(name).copied())
}

fn class(row: &Row<'_>, name: &str) -> Cell {
    own(row, |own| own.classes_ns.get(name).copied())
}

fn to_best(row: &Row<'_>, value: impl Fn(&AtNumber) -> Option<f64>) -> Cell {
    let best = row.case.optimum.as_ref().filter(|best| best.is_told);
    let mut numbers = best.into_iter().flat_map(|best| &best.numbers);
    let at = numbers.find(|at| at.label == row.summary().label);
    number(at.and_then(value))
}

type ByNumber<'a> = (&'a str, &'a Optimum);

pub(crate) fn is_self_managed(case: &CaseResult) -> bool {
    case.case.work.makes_own_flows()
}

pub(crate) fn variants(case: &CaseResult) -> impl Iterator<Item = (&VariantSummary, &SelfManaged)> {
    let variants = case.variants.iter();
    variants.filter_map(|variant| Some((variant, variant.self_managed.as_ref()?)))
}

/// `800 files in 143 folders, 11.9 MB; 37 lines of 12 files match`.
pub(crate) fn what_was_searched(case: &CaseResult) -> Option<String> {
    let (_, own) = variants(case).next()?;
    let of = |name: &str| own.counts.get(name).copied();
    let some = |name: &str, one: &str| Some(many(of(name)? as u64, one));
    let lines = of("lines")? as u64;
    Some(format!(
        "searched: {} in {}, {}; {} of {} {}",
        some("files", "file")?,
        some("folders", "folder")?,
        bytes(of("bytes")?),
        many(lines, "line"),
        some("matched_files", "file")?,
        if lines == 1 { "matches" } else { "match" }
    ))
}

pub(crate) fn how_followed(case: &CaseResult) -> Option<&'static str> {
    let held = variants(case).map(|(_, own)| own.counts.get("by_cgroup").copied());
    let held: Option<Vec<f64>> = held.collect();
    let held = held.filter(|held| !held.is_empty())?;
    Some(match held.iter().all(|held| *held > 0.0) {
        true => "processes: by descent (subreaper), held by a control group (cgroup v2)",
        false => "processes: by descent (subreaper); no control group could be had",
    })
}

pub(super) fn searches(section: &mut Section, id: &str, study: &StudyResult) {
    let all = by_number(study);
    if !all.is_empty() {
        let mut own = Section::new(&format!("{id}-workers"), "Time by the number of workers")
            .plots(&study.study.name, "all");
        own.table(times_by(&all));
        own.figures(figure(id, &all), Detail::WhatFits);
        section.section(own, Level::Evidence);
    }
    profiles(section, study);
}

fn by_number(study: &StudyResult) -> Vec<ByNumber<'_>> {
    let cases = study.cases.iter();
    let of = cases.filter_map(|case| Some((&*case.case.name, case.optimum.as_ref()?)));
    of.filter_map(|(name, optimum)| Some((name, optimum.of_numbers()?)))
        .collect()
}

fn numbers(all: &[ByNumber<'_>]) -> BTreeSet<u32> {
    let numbers = all.iter().flat_map(|(_, optimum)| &optimum.numbers);
    numbers.map(|at| at.flows).collect()
}

/// Times of classes in ns, and the timers' cost, of compared designs or the best number.
fn profiles_of(study: &StudyResult) -> Vec<(&str, &str, &SelfManaged)> {
    let cases = study.cases.iter().flat_map(|case| {
        let best = case.optimum.as_ref();
        let is_best =
            move |label: &str| best.is_none_or(|best| best.is_told && best.label == label);
        let shown = variants(case)
            .filter(move |(variant, own)| !own.classes_ns.is_empty() && is_best(&variant.label));
        shown.map(|(variant, own)| (case.case.name.as_str(), variant.label.as_str(), own))
    });
    cases.collect()
}

fn classes(own: &SelfManaged) -> Vec<f64> {
    let of = |class: &str| own.classes_ns.get(class).copied().unwrap_or(0.0);
    CLASSES.iter().map(|class| of(class)).collect()
}

fn profiles(section: &mut Section, study: &StudyResult) {
    let heading = "Where the time of the flows goes";
    let mut own = Section::new("", heading);
    let row = |(case, variant, own): (&str, &str, &SelfManaged)| {
        let who = [text(case), text(variant)].into_iter();
        let times = classes(own).into_iter().map(|ns| number(Some(ns)));
        let cost = said(own.timers_cost.map(signed));
        who.chain(times).chain([cost]).collect()
    };
    let mut columns = vec![Head::left("case"), Head::left("variant")];
    columns.extend(CLASSES.map(|class| {
        let column = Head::right(class).unit(Unit::Time);
        match class {
            "print" => column.drop(2),
            "create" => column.drop(3),
            "walk" => column.drop(4),
            "wait" => column.drop(5),
            _ => column,
        }
    }));
    columns.push(Head::right("timers").drop(1));
    let profiles = self::profiles_of(study);
    let rows = profiles.into_iter().map(row);
    own.table(Table::new(heading, columns, rows).in_groups());
    if !own.is_empty() {
        own.quiet([note_classes()]);
    }
    section.section(own, Level::Evidence);
}

fn signed(cost: f64) -> String {
    let sign = if cost < 0.0 { "-" } else { "+" };
    format!("{sign}{:.1} %", 100.0 * cost.abs())
}

fn figure(id: &str, all: &[ByNumber<'_>]) -> Option<Figure> {
    if numbers(all).len() < 3 {
        return None;
    }
    let line = |(place, (name, optimum)): (usize, &ByNumber<'_>)| {
        Line::new(place, *name, optimum.numbers.iter().map(point))
    };
    let lines = all.iter().enumerate().map(line).collect();
    let known = all.iter().filter(|(_, optimum)| optimum.is_told);
    let known: Vec<String> = known
        .map(|(name, optimum)| format!("{name}: {}", best(optimum)))
        .collect();
    let title = match known.is_empty() {
        true => "Too few rounds to say which number of workers is best".to_owned(),
        false => format!("Time by the number of workers: {}", known.join(", ")),
    };
    let id = format!("{id}-numbers");
    Some(figures::lines(&id, &title, "workers", lines, times_by(all)))
}

/// `4 is best`, `1 so far, not known against 2 and 4`.
fn best(optimum: &Optimum) -> String {
    let flows = plain(optimum.flows.into());
    let open: Vec<String> = optimum
        .undecided()
        .map(|at| plain(at.flows.into()))
        .collect();
    match open.is_empty() {
        true => format!("{flows} is best"),
        false => format!("{flows} so far, not known against {}", lab::listed(&open)),
    }
}

fn point(at: &AtNumber) -> Point {
    let [low, y, high] = at.typical_ns;
    Point::within(at.flows.into(), y, [low, high])
}

fn times_by(all: &[ByNumber<'_>]) -> Table {
    let column = |(place, (name, _)): (usize, &ByNumber<'_>)| {
        let column = Head::right(*name);
        match place {
            0 => column,
            _ => column.drop(u8::MAX - u8::try_from(place).unwrap_or(u8::MAX)),
        }
    };
    let columns = all.iter().enumerate().map(column);
    let columns = [Head::left("workers")].into_iter().chain(columns).collect();
    let cell = |optimum: &Optimum, flows: u32| {
        let at = optimum.numbers.iter().find(|at| at.flows == flows);
        let best = if optimum.is_told && optimum.flows == flows {
            "*"
        } else {
            " "
        };
        said(at.map(|at| format!("{}{best}", time(at.typical_ns[1]))))
    };
    let row = |flows: u32| {
        let own = text(plain(flows.into()));
        let times = all.iter().map(|(_, optimum)| cell(optimum, flows));
        [own].into_iter().chain(times).collect()
    };
    let star = match all.iter().any(|(_, optimum)| optimum.is_told) {
        true => " (* the fastest so far)",
        false => "",
    };
    let caption = format!("Time by the number of workers{star}");
    Table::new(caption, columns, numbers(all).into_iter().map(row))
}

pub(super) fn profile(id: &str, case: &CaseResult) -> Option<Figure> {
    let bars = variants(case).filter(|(_, own)| !own.classes_ns.is_empty());
    let bars = bars.map(|(variant, own)| Bar {
        label: variant.label.clone(),
        parts: classes(own),
    });
    let parts = Parts {
        names: &CLASSES,
        unit: &TIME,
        write: time,
    };
    let title = "Where the time of all flows goes";
    stack(id, title, bars.collect(), parts)
}
