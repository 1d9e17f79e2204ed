//! What the flows used that work made by itself: the columns of `search.csv` and of the table
//! that people see, the rows of the source's table, its chart by the number of workers, and where
//! the time went.
//!
//! The source has one run of each design and one of each number of workers, on other machines
//! and another tree. So its figures are laid beside ours where the labels are the same, and
//! what can be compared is how they go up and down, not how large they are.
//!
//! Its chart is one of threads. Ours has a column for each case that asks for the best number,
//! so that threads stand beside processes, and files that are read beside files that are
//! mapped.

use std::collections::BTreeMap;

use lab::{
    AtNumber, CaseResult, Optimum, Origin, OriginRow, SelfManaged, StudyResult, VariantSummary,
};
use workload::{Searching, Work};

use super::figures::{self, Figures, stack};
use super::table::{Cell, Column as Head, Table, Unit, Value, measured, number, text, whole};
use super::variants::{Column, INTERVAL, NAME, NO_GOOD_SLOT, Row, VERDICT};
use super::{Level, Section};
use crate::charts::axis::TIME;
use crate::charts::bars::{Bar, Parts};
use crate::charts::lines::{Point, Series as Line};
use crate::charts::marker::Look;
use crate::number::{bytes, many, plain, time};
use crate::words::Tone;

pub(crate) use workload::searching::CLASSES;

/// What the columns of the classes are, for the line below the table.
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

/// Every column of a variant whose flows were made by its work.
pub(crate) const COLUMNS: &[Column] = &[
    NAME,
    Column::new("model", |row| row.launched().model().into()),
    Column::new("flows", |row| row.launched().flows().into()),
    Column::new("design", |row| {
        of_search(row, |search| search.design.name())
    }),
    Column::new("io", |row| of_search(row, |search| search.io.name())),
    Column::new("cold", |row| {
        of_search(row, |search| if search.cold { "yes" } else { "no" })
    }),
    Column::new("good_slots", |row| {
        whole(Some(row.summary().good as u64)).into()
    }),
    Column::new("typical_ns", |row| {
        measured(row.summary().value.map(|value| value.typical), NO_GOOD_SLOT).into()
    })
    .shown("total", Unit::Time),
    Column::new("user_ns", |row| own(row, |own| Some(own.user_ns)))
        .shown("user", Unit::Time)
        .drop(5),
    Column::new("system_ns", |row| own(row, |own| Some(own.system_ns)))
        .shown("system", Unit::Time)
        .drop(6),
    Column::new("cpu_share", |row| own(row, |own| Some(own.cpu_share)))
        .shown("CPU %", Unit::Share)
        .drop(8),
    Column::new("create_ns", |row| {
        number(row.summary().phases.map(|p| p.create_ns)).into()
    }),
    Column::new("teardown_ns", |row| {
        number(row.summary().phases.map(|p| p.teardown_ns)).into()
    }),
    Column::new("flows_made", |row| own(row, |own| Some(own.made)))
        .shown("flows made", Unit::Plain)
        .drop(2),
    Column::new("flows_at_one_time", |row| own(row, |own| Some(own.most))),
    Column::new("held_at", |row| own(row, |own| own.held_at)),
    Column::new("faults", |row| count_of(row, lab::results::Counts::faults))
        .shown("faults", Unit::Plain)
        .drop(3),
    Column::new("", |row| count_of(row, lab::results::Counts::switches))
        .shown("switches", Unit::Plain)
        .drop(4),
    Column::new("voluntary_switches", |row| {
        count_of(row, |c| c.voluntary_switches)
    }),
    Column::new("involuntary_switches", |row| {
        count_of(row, |c| c.involuntary_switches)
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
        yes.map_or(Value::Nothing, |yes| text(if yes { "yes" } else { "no" }))
            .into()
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

fn own(row: &Row<'_>, value: impl Fn(&SelfManaged) -> Option<f64>) -> Cell {
    match row.summary().self_managed.as_ref() {
        Some(own) => number(value(own)).into(),
        None => Value::NotAvailable(NO_GOOD_SLOT.to_owned()).into(),
    }
}

fn of_search(row: &Row<'_>, what: impl Fn(&Searching) -> &'static str) -> Cell {
    match row.case.case.work_of(row.at) {
        Work::Search(search) => text(what(search)).into(),
        _ => Cell::default(),
    }
}

fn count_of(row: &Row<'_>, value: impl Fn(&lab::results::Counts) -> f64) -> Cell {
    measured(row.summary().counts.as_ref().map(value), NO_GOOD_SLOT).into()
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
    number(at.and_then(value)).into()
}

/// Times by the number of workers: a column for each case, then one for each row of the source.
#[derive(Debug, Clone, PartialEq)]
struct ByNumber<'a> {
    columns: Vec<Series<'a>>,
}

/// One column.
#[derive(Debug, Clone, PartialEq)]
struct Series<'a> {
    name: String,
    /// The case; none for the source.
    optimum: Option<&'a Optimum>,
    /// Number of workers; lower quartile, typical time, upper quartile in ns.
    points: Vec<(u32, [f64; 3])>,
}

/// Whether the flows of a case were made by its work.
pub(crate) fn is_self_managed(case: &CaseResult) -> bool {
    case.case.work.makes_own_flows()
}

/// Every variant with what its flows used.
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

/// How the processes of commands were found and held.
pub(crate) fn how_followed(case: &CaseResult) -> Option<&'static str> {
    let held = variants(case).map(|(_, own)| own.counts.get("by_cgroup").copied());
    let held: Option<Vec<f64>> = held.collect();
    let held = held.filter(|held| !held.is_empty())?;
    Some(match held.iter().all(|held| *held > 0.0) {
        true => "processes: by descent (subreaper), held by a control group (cgroup v2)",
        false => "processes: by descent (subreaper); no control group could be had",
    })
}

/// What the source's table is, for the line below it.
const NOTE_TABLE: &str = "CPU %: user and system time over the wall time, the median of \
    the repetitions; 100 is one CPU all the time. Kernels tell user from system by what they see at their ticks, some 4 ms \
    apart, so that the two are sure only over all repetitions together. The source's figures are of one run each, on another machine and another \
    tree: compare how they differ, not how large they are.";

/// All tables and charts of a study; false where none of its work makes its own flows.
pub(super) fn searches(section: &mut Section, id: &str, study: &StudyResult) -> bool {
    let then = then_and_now(study);
    let by_number = ByNumber::of(study);
    if then.is_none() && by_number.is_none() {
        return false;
    }
    if let Some(table) = then {
        section.table(table);
        section.text(Tone::Quiet, NOTE_TABLE);
    }
    if let Some(by_number) = by_number {
        section.table(by_number.table());
    }
    profiles(section, study);
    section.figures(figures(id, study), super::detail::Detail::WhatFits);
    true
}

/// The source's table with ours: the rows of the case that it names, and of all others that
/// have variants of the same names; `None` where it has none, or no flows were made by work.
fn then_and_now(study: &StudyResult) -> Option<Table> {
    let origin = study.study.origin.as_ref()?;
    let row = origin
        .rows
        .iter()
        .find(|row| !row.user_seconds.is_empty())?;
    let case = case_of(study, row)?;
    let ours = alike(study, row);
    let mut rows: Vec<Vec<Cell>> = ours
        .flat_map(|case| variants(case).map(|(variant, own)| ours_of(case, variant, own)))
        .collect();
    if rows.is_empty() {
        return None;
    }
    let labels = case.variants.iter().map(|variant| variant.label.as_str());
    let known = labels.filter(|label| row.seconds.contains_key(*label));
    rows.extend(known.map(|label| theirs(origin, row, label)));
    let columns = vec![
        Head::left("done by"),
        Head::right("user").unit(Unit::Time).drop(1),
        Head::right("system").unit(Unit::Time).drop(2),
        Head::right("CPU %").unit(Unit::Share),
        Head::right("total").unit(Unit::Time),
    ];
    Some(Table::new(
        "The source's table with ours",
        columns,
        rows.into_iter(),
    ))
}

fn case_of<'a>(study: &'a StudyResult, row: &OriginRow) -> Option<&'a CaseResult> {
    let name = row.case.as_ref()?;
    let case = study.cases.iter().find(|case| case.case.name == *name)?;
    is_self_managed(case).then_some(case)
}

/// Cases that have a variant of each name that the row has.
fn alike<'a>(study: &'a StudyResult, row: &OriginRow) -> impl Iterator<Item = &'a CaseResult> {
    let has = |case: &CaseResult, label: &str| case.variants.iter().any(|v| v.label == label);
    let cases = study.cases.iter().filter(|case| is_self_managed(case));
    cases.filter(move |case| row.seconds.keys().all(|label| has(case, label)))
}

fn ours_of(case: &CaseResult, variant: &VariantSummary, own: &SelfManaged) -> Vec<Cell> {
    let typical = variant.value.map(|value| value.typical);
    let numbers = [
        Some(own.user_ns),
        Some(own.system_ns),
        Some(own.cpu_share),
        typical,
    ];
    let who = text(format!("{}: {}", case.case.name, variant.label));
    let cells = [who].into_iter().chain(numbers.map(number));
    cells.map(Cell::from).collect()
}

fn theirs(origin: &Origin, row: &OriginRow, label: &str) -> Vec<Cell> {
    let of = |figures: &BTreeMap<String, f64>, factor: f64| {
        number(figures.get(label).map(|figure| figure * factor))
    };
    let cells = [
        text(format!("{} {label}", origin.year)),
        of(&row.user_seconds, 1e9),
        of(&row.system_seconds, 1e9),
        of(&row.cpu_share, 1.0),
        of(&row.seconds, 1e9),
    ];
    cells
        .map(|value| Cell::from(value).tone(Tone::Quiet))
        .into()
}

impl<'a> ByNumber<'a> {
    /// Of all cases of a study that ask for the best number; `None` where none does.
    fn of(study: &'a StudyResult) -> Option<Self> {
        let cases = study.cases.iter().filter_map(|case| {
            let optimum = case.optimum.as_ref()?.of_numbers()?;
            let numbers = optimum.numbers.iter();
            Some(Series {
                name: case.case.name.clone(),
                optimum: Some(optimum),
                points: numbers.map(|at| (at.flows, at.typical_ns)).collect(),
            })
        });
        let mut columns: Vec<Series<'a>> = cases.collect();
        if columns.is_empty() {
            return None;
        }
        columns.extend(of_source(study));
        Some(Self { columns })
    }

    /// Every column, a row a number of workers.
    fn table(&self) -> Table {
        let all: Vec<&Series<'_>> = self.columns.iter().collect();
        times_by(&numbers(all.iter().copied()), &all)
    }

    /// Columns of ours, and those of the source.
    fn parted(&self) -> [Vec<&Series<'a>>; 2] {
        let (ours, theirs) = self
            .columns
            .iter()
            .partition(|series| series.optimum.is_some());
        [ours, theirs]
    }
}

/// Every number of workers of some columns.
fn numbers<'s>(all: impl Iterator<Item = &'s Series<'s>>) -> Vec<u32> {
    let mut numbers: Vec<u32> = all.flat_map(|one| one.points.iter().map(|p| p.0)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The source's rows that give a time for each number.
fn of_source<'a>(study: &StudyResult) -> Vec<Series<'a>> {
    let Some(origin) = &study.study.origin else {
        return Vec::new();
    };
    let rows = origin.rows.iter().filter_map(|row| {
        let case = case_of(study, row)?;
        case.optimum.as_ref()?.of_numbers()?;
        let mut points: Vec<(u32, [f64; 3])> = case
            .case
            .variants
            .iter()
            .filter_map(|v| Some((v.variant.flows, [row.seconds.get(&v.label)? * 1e9; 3])))
            .collect();
        points.sort_by_key(|(number, _)| *number);
        let name = format!("{} {}", origin.year, row.who);
        Some(Series {
            name,
            optimum: None,
            points,
        })
    });
    rows.collect()
}

impl Series<'_> {
    /// The time at a number, in ns.
    fn at(&self, number: u32) -> Option<f64> {
        let point = self.points.iter().find(|(at, _)| *at == number);
        point.map(|(_, [_, typical, _])| *typical)
    }

    /// Whether that number is its best: of ours, as far as rounds tell; of the source's, the one
    /// with the least time.
    fn is_best(&self, number: u32) -> bool {
        if let Some(optimum) = self.optimum {
            return optimum.is_told && optimum.flows == number;
        }
        let times = self.points.iter().map(|(_, [_, typical, _])| *typical);
        let best = times.fold(f64::INFINITY, f64::min);
        self.at(number) == Some(best)
    }
}

/// Variants with the time of each class, in ns, and what the timers cost: of each case whose
/// variants differ in more than their number, and of the best number of the others.
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

/// The time of each class, in the order of [`CLASSES`].
fn classes(own: &SelfManaged) -> Vec<f64> {
    let of = |class: &str| own.classes_ns.get(class).copied().unwrap_or(0.0);
    CLASSES.iter().map(|class| of(class)).collect()
}

/// Where the time went, one row a variant.
fn profiles(section: &mut Section, study: &StudyResult) {
    let heading = "Where the time of the flows goes";
    let mut own = Section::new("", heading);
    let row = |(case, variant, own): (&str, &str, &SelfManaged)| {
        let who = [text(case), text(variant)].into_iter();
        let times = classes(own).into_iter().map(Value::Number);
        let cost = own.timers_cost.map(signed);
        let cost = cost.map_or(Value::Nothing, Value::Text);
        who.chain(times).chain([cost]).map(Cell::from).collect()
    };
    let mut columns = vec![Head::left("case"), Head::left("variant")];
    columns.extend(CLASSES.map(|class| {
        let column = Head::right(class).unit(Unit::Time);
        // The least of all first, where room is short.
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

/// What the timers cost.
fn signed(cost: f64) -> String {
    let sign = if cost < 0.0 { "-" } else { "+" };
    format!("{sign}{:.1} %", 100.0 * cost.abs())
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
    let numbers = numbers(all.iter().copied());
    // Two points are no trend.
    if numbers.len() < 3 {
        return Figures::default();
    }
    let lines = all.iter().enumerate();
    let lines: Vec<Line> = lines.map(|(place, series)| line(place, series)).collect();
    figures::lines(id, title, "workers", lines, times_by(&numbers, all))
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
fn times_by(numbers: &[u32], all: &[&Series<'_>]) -> Table {
    let column = |(place, series): (usize, &&Series<'_>)| {
        let column = Head::right(series.name.clone());
        match place {
            0 => column,
            // From the last on, those of the source first.
            _ => column.drop(u8::MAX - u8::try_from(place).unwrap_or(u8::MAX)),
        }
    };
    let columns = all.iter().enumerate().map(column);
    let columns = [Head::left("workers")].into_iter().chain(columns).collect();
    let any_best = numbers
        .iter()
        .any(|&at| all.iter().any(|series| series.is_best(at)));
    let row = |&at: &u32| {
        let times = all.iter().map(|series| {
            let best = if series.is_best(at) { "*" } else { " " };
            let shown = series.at(at).map(|ns| format!("{}{best}", time(ns)));
            shown.map_or(Value::Nothing, Value::Text).into()
        });
        let own = Cell::from(text(plain(at.into())));
        [own].into_iter().chain(times).collect()
    };
    let star = if any_best { " (* the best)" } else { "" };
    let caption = format!("Time by the number of workers{star}");
    Table::new(caption, columns, numbers.iter().map(row))
}

/// Where the time of each variant of a case went.
pub(super) fn profile(id: &str, case: &CaseResult) -> Figures {
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
    stack(
        id,
        "Where the time of all flows goes",
        bars.collect(),
        parts,
    )
}
