//! What the source of a study found beside what this run says: `published.csv`, and its table. A
//! source's figure is data of its study (`[[published]]`), judged once by `lab::findings::Then`.
//! Figures by a number are drawn beside ours, each over its first, as seconds of another machine
//! cannot be compared; ratios as they are.

use lab::findings::{ByNumber, Standing, Then};
use lab::{Origin, StudyResult};

use super::detail::Detail;
use super::figures::{Figure, of_gains};
use super::table::{Cell, Col, Column as Head, Table, said, text};
use super::{Level, Section};
use crate::charts::gains::Gains;
use crate::charts::lines::{Point, Series};
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
    Column::new("author", |row| text(&row.origin.author)),
    Column::new("year", |row| text(row.origin.year.to_string())),
    Column::new("finding", |row| text(&row.then.finding)).prose("finding"),
    Column::new("theirs", |row| text(&row.then.theirs)).prose(SOURCE),
    Column::new("place", |row| said(row.then.place.as_ref())),
    Column::new("quotes", |row| text(row.then.quotes.join(" | "))),
    Column::new("ours", |row| text(&row.then.ours)).prose("here"),
    Column::new("verdict", |row| {
        let verdict = row.then.verdict;
        text(verdict.name()).tone(tone(verdict))
    })
    .label("verdict"),
    Column::new("", |row| text(why(row.then))).prose("why"),
    Column::new("cause", |row| said(row.then.cause.as_ref())),
    Column::new("because", |row| said(row.then.because.as_ref())),
    Column::new("command", |row| text(&row.then.command)),
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

pub(crate) fn year(study: &StudyResult) -> u32 {
    study.study.origin.as_ref().map_or(0, |origin| origin.year)
}

pub(crate) fn drawn(study: &StudyResult) -> impl Iterator<Item = Figure> {
    let drawn = figures(&study.study.name, study);
    drawn.map(|figure| Figure {
        data: None,
        ..figure
    })
}

const SOURCE: &str = "source";

fn table(study: &StudyResult, columns: &[Column]) -> Table {
    Table::of("", columns, rows(study)).head(SOURCE, format!("in {}", year(study)))
}

pub(crate) fn with_commands(study: &StudyResult) -> Table {
    let again = Column::new("command", |row| text(&row.then.command)).label("again");
    table(study, &[COLUMNS, &[again]].concat())
}

pub(super) fn then_and_now(section: &mut Section, id: &str, study: &StudyResult) {
    let (Some(source), Some(origin)) = (source(study), &study.study.origin) else {
        return;
    };
    let mut own = Section::new(&format!("{id}-then"), "Then and now");
    own.text(Tone::Plain, format!("{source}: {}", origin.finding));
    own.quiet(setup(study));
    own.table(table(study, COLUMNS));
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
    drawn.figures(figures(id, study), Detail::NoCharts);
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
        [text(plain(number))]
            .into_iter()
            .chain(shown.map(said))
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

fn figures(id: &str, study: &StudyResult) -> impl Iterator<Item = Figure> {
    let found = study.parts.then_and_now.iter().enumerate();
    found.filter_map(move |(place, then)| {
        let by_number = then.by_number.as_ref()?;
        let series = series(by_number, year(study))?;
        let title = format!("{}: {}", then.finding, then.verdict.name());
        let upwards = match by_number.are_ratios {
            true => format!("{}, below 1 faster", by_number.ratio),
            false => "each line over its first point".to_owned(),
        };
        let gains = Gains {
            number: by_number.of.clone(),
            upwards,
            ..Gains::over_flows(series)
        };
        Some(of_gains(&format!("{id}-then{place}"), title, gains))
    })
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
            let points = points.iter().map(|&[x, y]| Point::alone(x, y / first));
            Series::new(place, label, points)
        });
    enough.then(|| series.collect())
}
