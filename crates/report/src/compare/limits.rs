//! How many flows of each model there can be, run by run. Limits are read and no sample: they
//! stand side by side without a verdict.

use lab::Limit;
use lab::capacity::limit;
use lab::compare::{ComparedStudy, SideBySide};

use crate::number::{NONE, count};

/// The heading of the table.
pub(super) const TITLE: &str = "How many flows of each model there can be";

/// What stands where a run did not ask for a model.
const NOT_ASKED: &str = "-";

/// A column for the models, then one a run.
pub(super) fn heads(all: &SideBySide) -> Vec<String> {
    let runs = all.runs.iter().map(|run| run.name.clone());
    ["flows".to_owned()].into_iter().chain(runs).collect()
}

/// One row a model, under [`heads`].
pub(super) fn rows(study: &ComparedStudy) -> Vec<Vec<String>> {
    let cell = |side: &Option<Limit>| match side {
        None => NOT_ASKED.to_owned(),
        Some(side) => {
            let room = side.room.as_ref();
            room.map_or(NONE.to_owned(), |room| count(room.count))
        }
    };
    let row = |row: &lab::compare::ComparedLimit| {
        let cells = row.sides.iter().map(cell);
        [row.label.clone()].into_iter().chain(cells).collect()
    };
    study.limits.iter().map(row).collect()
}

/// What stops them in each run, and what the numbers rest on.
pub(super) fn notes(all: &SideBySide, study: &ComparedStudy) -> Vec<String> {
    let runs = all.runs.iter().enumerate();
    let stopped = runs.filter_map(|(run, of)| {
        let groups = groups(study, run);
        let said: Vec<String> = groups
            .iter()
            .map(|(stops, labels)| format!("{} by {stops}", labels.join(", ")))
            .collect();
        (!said.is_empty()).then(|| format!("stopped in {}: {}", of.name, said.join("; ")))
    });
    let rest = "predicted from what could be read there; limits have no interval and no verdict";
    stopped.chain([rest.to_owned()]).collect()
}

/// What stops flows in a run, each with the models that it stops.
fn groups(study: &ComparedStudy, run: usize) -> Vec<(String, Vec<&str>)> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for row in &study.limits {
        let Some(room) = row.sides[run].as_ref().and_then(|side| side.room.as_ref()) else {
            continue;
        };
        let stops = limit(room);
        match groups.iter_mut().find(|(known, _)| *known == stops) {
            Some((_, labels)) => labels.push(&row.label),
            None => groups.push((stops, vec![&row.label])),
        }
    }
    groups
}
