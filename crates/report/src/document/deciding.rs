//! The one chart that decides a study, under its conclusion, by what the headline is part of:
//! limits are bars, a map is its grid, a sweep its lines, cases alone are a forest.

use lab::{Answer, StudyResult};

use super::figures::{Figure, forest};
use super::{Level, Section, limits};
use crate::words::Tone;
use lab::Block;

pub(super) fn answer(
    section: &mut Section,
    study: &StudyResult,
    rows: &[&Answer],
    evidence: &mut [Section],
) {
    let id = section.id.clone();
    if let Some((figure, plots)) = chart(&id, study, evidence) {
        let figure = Figure {
            title: conclusion(rows).unwrap_or_else(|| figure.title.clone()),
            ..figure
        };
        let part = section.figure(figure);
        part.level = Level::Answer;
        part.plots = plots;
    }
    for line in below(rows) {
        section.text(Tone::Plain, line).level = Level::Answer;
    }
}

fn below(rows: &[&Answer]) -> Vec<String> {
    let lines = rows.iter().flat_map(|row| {
        row.below.iter().map(|line| match rows {
            [_] => line.text.clone(),
            _ => format!("{}: {}", row.label, line.text),
        })
    });
    lines.collect()
}

fn conclusion(rows: &[&Answer]) -> Option<String> {
    match rows {
        [] => None,
        [row] => {
            let said = format!("{}: {} {}", row.label, row.words, row.ends);
            Some(said.trim_end().to_owned())
        }
        rows => {
            let said = rows.iter().map(|row| {
                let words = row.words.trim_end_matches(':');
                format!("{}: {words}", row.label)
            });
            Some(said.collect::<Vec<_>>().join("; "))
        }
    }
}

fn chart(
    id: &str,
    study: &StudyResult,
    evidence: &mut [Section],
) -> Option<(Figure, Option<String>)> {
    if !study.parts.limits.is_empty() {
        return Some((limits::chart(&format!("{id}-most"), study)?, None));
    }
    let blocks = Block::all(study);
    let headline = study.headline_case()?;
    let place = blocks.iter().position(|block| block.has(headline))?;
    if !matches!(blocks[place], Block::Case(_)) {
        let section = evidence.get_mut(place)?;
        let plots = section.plots.clone();
        return section.take_figure().map(|figure| (figure, Some(plots)));
    }
    let named = study.study.deciding.iter();
    let mut cases: Vec<_> = named
        .filter_map(|one| study.deciding_case(one))
        .filter(|case| blocks.contains(&Block::Case(case)))
        .collect();
    if cases.is_empty() {
        cases.push(headline);
    }
    Some((forest(&format!("{id}-forest"), cases.into_iter())?, None))
}
