//! A map: a row an operation, a column a model, what sharing does, and why.

use lab::{CaseResult, Effect, Finding, OperationMatrix, Results};

use super::answers::labels;
use super::case::{failed, role, said};
use super::detail::Detail;
use super::figures::{Figure, heat};
use super::table::{Cell, Column, Table, Unit, measured, text};
use super::variants::NO_GOOD_SLOT;
use super::{Level, Section};
use crate::charts::heat::{Cell as Colour, Grid};
use crate::words::{
    BUNDLES, Tone, cause, comparison, cut_short_together, finding_of, found, noise_of, variant_of,
};

const REASONS: usize = 12;

pub(super) fn map(id: &str, study: &str, results: &Results, map: &OperationMatrix<'_>) -> Section {
    let mut section = Section::new(id, &map.setting())
        .aside(noise_of(&map.cases).join(" · "))
        .plots(study, &map.setting());
    section.figures(figure(id, map), Detail::Never);
    section.text(
        Tone::Quiet,
        format!(
            "Each operation under each model against the first one, and the shared resource that \
             makes the difference: {BUNDLES}."
        ),
    );
    section.table(compared(map));
    section.last_until(Detail::NoFolds);
    section.table(causes(map));
    let rows = map
        .cases
        .iter()
        .map(|case| (*case, OperationMatrix::row(case)));
    section.texts(Tone::Doubt, cut_short_together(results, rows));
    section.quiet(role(results, &map.cases));
    map.cases.iter().for_each(|case| failed(&mut section, case));
    for fold in [typical(map), reasons(map)] {
        section.section(fold, Level::Evidence);
        section.last_until(Detail::NoFolds);
    }
    section
}

fn figure(id: &str, map: &OperationMatrix<'_>) -> Option<Figure> {
    let title = "Each operation under each model, against processes";
    heat(&format!("{id}-map"), title, grid(map))
}

fn subjects<'a>(map: &OperationMatrix<'a>) -> Vec<&'a str> {
    let first = map.cases.first().into_iter();
    first.flat_map(|case| labels(case).skip(1)).collect()
}

fn grid(map: &OperationMatrix<'_>) -> Grid {
    let columns = subjects(map);
    let cells = |case: &&CaseResult| {
        let cell = |label: &&str| finding_of(case, label).map(Colour::of);
        columns.iter().map(cell).collect()
    };
    Grid {
        corner: ["operation", "model"].map(str::to_owned),
        rows: map
            .cases
            .iter()
            .map(|case| OperationMatrix::row(case).to_owned())
            .collect(),
        cells: map.cases.iter().map(cells).collect(),
        columns: columns.into_iter().map(str::to_owned).collect(),
    }
}

fn compared(map: &OperationMatrix<'_>) -> Table {
    let subjects = subjects(map);
    let mut columns = vec![Column::left("operation")];
    for (place, label) in (0..).zip(&subjects) {
        columns.push(Column::right(short(label)).drop(20 - place));
        columns.push(Column::left("").drop(10 - place));
    }
    columns.push(Column::left("because of"));
    let row = |case: &&CaseResult| {
        let mut row: Vec<Cell> = vec![text(OperationMatrix::row(case))];
        for label in &subjects {
            let said = finding_of(case, label).map(found);
            row.extend(said.map_or([Cell::default(), Cell::default()], |said| {
                [said.cell(), text(said.interval)]
            }));
        }
        let (tone, words) = cause(case);
        row.push(text(words).tone(tone));
        row
    };
    Table::new(
        "Each operation by model",
        columns,
        map.cases.iter().map(row),
    )
}

fn short(label: &str) -> &str {
    match label {
        "process-shared-files" => "+files shared",
        "thread-private-files" => "-files shared",
        other => other,
    }
}

fn causes(map: &OperationMatrix<'_>) -> Table {
    let columns = vec![
        Column::left("operation"),
        Column::left("what makes the difference"),
        Column::left("sharing the address space").drop(1),
        Column::left("sharing the file table").drop(2),
    ];
    let row = |case: &&CaseResult| {
        let (tone, words) = cause(case);
        let effects = case
            .shared
            .map(|shared| [shared.address_space, shared.file_table]);
        let effects = effects.map_or([String::new(), String::new()], |both| both.map(effect));
        let [space, files] = effects.map(text);
        let cause = text(words).tone(tone);
        vec![text(OperationMatrix::row(case)), cause, space, files]
    };
    Table::new(
        "What makes the difference",
        columns,
        map.cases.iter().map(row),
    )
}

fn effect(effect: Effect) -> String {
    let said = comparison(Some(&effect.estimate), &effect.verdict);
    format!("{} {}", said.word, said.interval)
}

fn typical(map: &OperationMatrix<'_>) -> Section {
    let first = map.cases.first().into_iter();
    let labels: Vec<&str> = first.flat_map(|case| labels(case)).collect();
    let heads = labels
        .iter()
        .map(|label| Column::right(*label).unit(Unit::Time));
    let columns = [Column::left("operation")]
        .into_iter()
        .chain(heads)
        .collect();
    let row = |case: &&CaseResult| {
        let cell = |label: &&str| {
            let value = variant_of(case, label).and_then(|variant| variant.value);
            measured(value.map(|value| value.typical), NO_GOOD_SLOT)
        };
        [text(OperationMatrix::row(case))]
            .into_iter()
            .chain(labels.iter().map(cell))
            .collect()
    };
    let mut section = Section::new("", "Typical times");
    section.table(Table::new(
        "Typical times",
        columns,
        map.cases.iter().map(row),
    ));
    section.quiet(["Every slot is in slots.csv."]);
    section
}

fn reasons(map: &OperationMatrix<'_>) -> Section {
    let size = |finding: &Finding| {
        let ratio = finding.estimate.map_or(1.0, |estimate| estimate.ratio);
        ratio.ln().abs()
    };
    let last = map.cases.iter().filter_map(|case| case.findings.last());
    let decided = last.filter(|f| f.verdict.is_decided() && !f.why.is_empty());
    let mut decided: Vec<&Finding> = decided.collect();
    decided.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let heading = "Reasons for the largest differences between the first and the last model";
    let mut section = Section::new("", heading);
    for finding in decided.iter().take(REASONS) {
        said(&mut section, finding);
    }
    if !section.is_empty() {
        section.quiet(["Those of all others are in findings.csv."]);
    }
    section
}
