//! What the source of a study found beside what this run says: `published.csv`, and its table. A
//! source's figure is data of its study (`[[published]]`), judged once by `lab::findings::Then`.
//! Figures by a number are drawn beside ours, each over its first, as seconds of another machine
//! cannot be compared; ratios as they are.

use lab::findings::{ByNumber, Standing, Then};
use lab::{Origin, StudyResult};

use super::detail::Detail;
use super::figures::{Figure, Figures, over_number};
use super::table::{Cell, Col, Column as Head, Table, Value, text};
use super::{Level, Section};
use crate::charts::lines::{Point, Series};
use crate::charts::marker::Look;
use crate::number::plain;
use crate::words::Tone;

/// Fewer points than this are no line: of some charts the text has both ends alone.
const LINE: usize = 2;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'a> {
    origin: &'a Origin,
    then: &'a Then,
}

pub(crate) type Column = Col<fn(&Row<'_>) -> Cell>;

pub(crate) const COLUMNS: &[Column] = &[
    Column::new("author", |row| text(&row.origin.author).into()),
    Column::new("year", |row| text(row.origin.year.to_string()).into()),
    Column::new("finding", |row| text(&row.then.finding).into()).prose("finding"),
    Column::new("theirs", |row| text(&row.then.theirs).into()).prose(SOURCE),
    Column::new("place", |row| {
        text(row.then.place.as_deref().unwrap_or_default()).into()
    }),
    Column::new("quotes", |row| text(row.then.quotes.join(" | ")).into()),
    Column::new("ours", |row| text(&row.then.ours).into()).prose("here"),
    Column::new("verdict", |row| {
        let verdict = row.then.verdict;
        Cell::from(text(verdict.name())).tone(tone(verdict))
    })
    .label("verdict"),
    Column::new("", |row| text(why(row.then)).into()).prose("why"),
    Column::new("cause", |row| {
        text(row.then.cause.as_deref().unwrap_or_default()).into()
    }),
    Column::new("because", |row| {
        text(row.then.because.as_deref().unwrap_or_default()).into()
    }),
    Column::new("command", |row| text(&row.then.command).into()),
];

fn why(then: &Then) -> String {
    let both = [&then.cause, &then.because].into_iter().flatten();
    both.map(String::as_str).collect::<Vec<_>>().join("; ")
}

fn tone(verdict: Standing) -> Tone {
    match verdict {
        Standing::Reproduced => Tone::Faster,
        Standing::Refuted | Standing::Differs => Tone::Slower,
        Standing::SameDirection | Standing::CannotTell => Tone::Doubt,
        Standing::NotRun | Standing::NotPossible | Standing::SideBySide => Tone::Quiet,
    }
}

pub(crate) fn rows(study: &StudyResult) -> impl Iterator<Item = Row<'_>> {
    let origin = study.study.origin.iter();
    origin.flat_map(move |origin| {
        let found = study.parts.then_and_now.iter();
        found.map(move |then| Row { origin, then })
    })
}

pub(crate) fn source(study: &StudyResult) -> Option<String> {
    let origin = study.study.origin.as_ref()?;
    let (author, title, year) = (&origin.author, &origin.title, origin.year);
    Some(format!("{author}, \"{title}\", {year}"))
}

pub(crate) fn setup(study: &StudyResult) -> Option<String> {
    let setup = study.study.origin.as_ref()?.setup.as_ref()?;
    Some(format!("Its machines: {setup}"))
}

pub(crate) fn drawn(study: &StudyResult) -> Vec<Figure> {
    let name = &study.study.name;
    let year = study.study.origin.as_ref().map_or(0, |origin| origin.year);
    let Figures(mut drawn) = figures(name, study, year);
    for figure in &mut drawn {
        figure.data = None;
    }
    drawn
}

const SOURCE: &str = "source";

pub(crate) fn table(study: &StudyResult) -> Table {
    let mut table = Table::of("", COLUMNS, rows(study));
    let year = study.study.origin.as_ref().map(|origin| origin.year);
    let theirs = table.columns.iter_mut().find(|one| one.head == SOURCE);
    if let (Some(column), Some(year)) = (theirs, year) {
        column.head = format!("in {year}");
    }
    table
}

pub(crate) fn with_commands(study: &StudyResult) -> Table {
    let mut table = table(study);
    let command = Column::new("command", |row| text(&row.then.command).into());
    let again = Table::of("", &[command.label("again")], rows(study));
    table.columns.extend(again.columns);
    for (row, command) in table.rows.iter_mut().zip(again.rows) {
        row.extend(command);
    }
    table
}

pub(super) fn then_and_now(section: &mut Section, id: &str, study: &StudyResult) {
    let (Some(source), Some(origin)) = (source(study), &study.study.origin) else {
        return;
    };
    let mut own = Section::new(&format!("{id}-then"), "Then and now");
    own.text(Tone::Plain, format!("{source}: {}", origin.finding));
    own.quiet(setup(study));
    own.table(table(study));
    own.quiet([
        "Intervals are those of the tables below; of what no table compares, each holds by itself"
            .to_owned(),
        "published.csv (--tables) has the command of each row".to_owned(),
    ]);
    section.section(own, Level::Answer);
    let mut drawn = Section::new(&format!("{id}-drawn"), "The source's charts with ours")
        .plots(&study.study.name, "then");
    for then in &study.parts.then_and_now {
        if let Some(by_number) = &then.by_number {
            drawn.table(numbers(&then.finding, by_number, origin.year));
        }
    }
    drawn.figures(figures(id, study, origin.year), Detail::NoCharts);
    section.section(drawn, Level::Evidence);
}

fn numbers(finding: &str, by_number: &ByNumber, year: u32) -> Table {
    let over = match by_number.are_ratios {
        true => String::new(),
        false => ", over the first".to_owned(),
    };
    let columns = vec![
        Head::left(&by_number.of),
        Head::right(format!("in {year}{over}")),
        Head::right(format!("here{over}")),
    ];
    let both = [&by_number.theirs, &by_number.ours];
    let mut all: Vec<f64> = both.into_iter().flatten().map(|point| point[0]).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    let row = |&number: &f64| {
        let shown = both.map(|points| {
            let at = points
                .iter()
                .find(|point| point[0].total_cmp(&number).is_eq())?;
            Some(format!("{:.2}", at[1] / first(by_number, points)))
        });
        let shown = shown.map(|figure| Cell::from(figure.map_or(Value::Nothing, Value::Text)));
        [Cell::from(text(plain(number)))]
            .into_iter()
            .chain(shown)
            .collect()
    };
    Table::new(finding, columns, all.iter().map(row))
}

/// Denominator: the first figure, or 1 if both lines are ratios.
fn first(by_number: &ByNumber, points: &[[f64; 2]]) -> f64 {
    match by_number.are_ratios {
        true => 1.0,
        false => points.first().map_or(1.0, |point| point[1]),
    }
}

fn figures(id: &str, study: &StudyResult, year: u32) -> Figures {
    let found = study.parts.then_and_now.iter().enumerate();
    let drawn = found.filter_map(|(place, then)| {
        let by_number = then.by_number.as_ref()?;
        let series = series(by_number, year)?;
        let title = format!("{}: {}", then.finding, then.verdict.name());
        let upwards = match by_number.are_ratios {
            true => format!("{}, below 1 faster", by_number.ratio),
            false => "each line over its first point".to_owned(),
        };
        Some(over_number(
            &format!("{id}-then{place}"),
            title,
            series,
            [by_number.of.clone(), upwards],
        ))
    });
    Figures(drawn.collect())
}

fn series(by_number: &ByNumber, year: u32) -> Option<Vec<Series>> {
    let lines = [
        (format!("{year}"), &by_number.theirs),
        ("here".to_owned(), &by_number.ours),
    ];
    let enough = lines.iter().all(|(_, points)| points.len() >= LINE);
    let series = lines
        .into_iter()
        .enumerate()
        .map(|(place, (label, points))| {
            let first = first(by_number, points);
            Series {
                label,
                look: Look::Variant(place),
                points: points
                    .iter()
                    .map(|&[x, y]| Point::alone(x, y / first))
                    .collect(),
                fit: Vec::new(),
            }
        });
    enough.then(|| series.collect())
}
