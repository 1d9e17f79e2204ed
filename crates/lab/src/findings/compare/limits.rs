use super::{ComparedLimit, Named};
use crate::data::gathered::distinct;
use crate::findings::Limit;

pub(super) fn side_by_side(runs: &[Named<'_>], study: &str) -> Vec<ComparedLimit> {
    let sides: Vec<Vec<&Limit>> = runs.iter().map(|run| of(run, study)).collect();
    if sides.iter().filter(|side| !side.is_empty()).count() < 2 {
        return Vec::new();
    }
    let labels = sides.iter().flatten().map(|limit| limit.label.as_str());
    let row = |label: &str| ComparedLimit {
        label: label.to_owned(),
        sides: sides
            .iter()
            .map(|side| side.iter().find(|limit| limit.label == label))
            .map(|limit| limit.map(|&limit| limit.clone()))
            .collect(),
    };
    distinct(labels).into_iter().map(row).collect()
}

fn of<'a>(run: &Named<'a>, study: &str) -> Vec<&'a Limit> {
    let studies = run.results.studies.iter();
    let same = studies.filter(|result| result.study.name == study);
    same.flat_map(|result| &result.parts.limits).collect()
}
