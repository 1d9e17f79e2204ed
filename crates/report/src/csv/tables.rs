//! Which tables there are beside those of every run: an entry for the part of each analysis.

use lab::{CaseResult, Results, StudyResult};

use super::place::Place;
use super::{FileColumn, filled_in, names, sheet_of_some, text};
use super::{laws, samples, shared, slots_lines};
use crate::document::{limits, probes, scaling, searched, simulated, then, workers};

/// The name of a file, and its text; `None` where a run has nothing of it.
pub type File = (&'static str, fn(&Results) -> Option<String>);

/// What `--tables` adds: the tables of analyses, and the rows of `slots.csv` as lines of JSON.
pub const TABLES: [File; 10] = [
    ("samples.csv", |run| {
        of_cases(run, samples::COLUMNS, samples::rows)
    }),
    ("slots.jsonl", |run| Some(slots_lines(run))),
    ("shared.csv", |run| {
        of_cases(run, shared::COLUMNS, shared::rows)
    }),
    ("workers.csv", |run| {
        of_studies(run, workers::COLUMNS, workers::rows)
    }),
    ("laws.csv", |run| {
        of_studies(run, laws::COLUMNS, |study| &study.parts.laws)
    }),
    ("published.csv", published),
    ("scaling.csv", |run| {
        of_studies(run, scaling::COLUMNS, scaling::rows)
    }),
    ("search.csv", |run| {
        of_cases(run, searched::COLUMNS, searched::rows)
    }),
    ("limits.csv", |run| {
        of_studies(run, limits::COLUMNS, |study| &study.parts.limits)
    }),
    ("probes.csv", |run| {
        of_studies(run, probes::COLUMNS, |study| &study.parts.probes)
    }),
];

/// What the sources of studies found beside what a run says; `None` where no study has one.
#[must_use]
pub fn published(results: &Results) -> Option<String> {
    of_studies(results, then::COLUMNS, then::rows)
}

/// What a model of another machine counted; `None` where nothing was simulated.
#[must_use]
pub fn simulated(results: &Results) -> Option<String> {
    of_studies(results, simulated::COLUMNS, |study| {
        simulated::rows(results, study)
    })
}

fn of_studies<'a, R, C: FileColumn<R>, I: IntoIterator<Item = R>>(
    results: &'a Results,
    columns: &'static [C],
    rows: impl Fn(&'a StudyResult) -> I,
) -> Option<String> {
    let filled = results.studies.iter().flat_map(|study| {
        let rows = rows(study).into_iter();
        rows.map(move |row| {
            let own = [text(&study.study.name)].into_iter();
            own.chain(filled_in(columns, &row)).collect()
        })
    });
    let own = ["study"].into_iter();
    sheet_of_some(own.chain(names::<R, C>(columns)), filled)
}

fn of_cases<'a, R, C: FileColumn<R>, I: IntoIterator<Item = R>>(
    results: &'a Results,
    columns: &'static [C],
    rows: impl Fn(&'a CaseResult) -> I,
) -> Option<String> {
    let filled = Place::all(results).flat_map(|place| {
        let rows = rows(place.case).into_iter();
        rows.map(move |row| place.row(columns, &row))
    });
    sheet_of_some(Place::names::<R, C>(columns), filled)
}
