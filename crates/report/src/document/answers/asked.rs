//! What a study varies: the first screen shows only one point of it.

use lab::{Block, CaseResult, Results, Sweep, plural};

use crate::number::bytes;
use crate::words::many;

const NAMED: usize = 5;

/// `Varied: flows (2, 100, 20,000); against processes: threads, fiber`; only of a study alone.
pub(super) fn asked(results: &Results) -> Option<String> {
    let [study] = &results.studies[..] else {
        return None;
    };
    let headline = study.headline_case()?;
    let blocks = Block::all(study);
    let own = blocks.iter().find(|block| block.has(headline))?;
    let (varied, labels) = match own {
        Block::Case(_) => return None,
        Block::Sweep(sweep) => (of_sweep(sweep), sweep.labels()),
        Block::Matrix(map) => (
            format!("Varied: {}", many(map.cases.len() as u64, "operation")),
            labels(headline).collect(),
        ),
    };
    let others = match blocks.len() - 1 {
        0 => String::new(),
        more => format!("; {}: -v", many(more as u64, "more question")),
    };
    let names: Vec<String> = labels.into_iter().map(plural).collect();
    let compared = match &names[..] {
        [] | [_] => String::new(),
        [reference, subjects @ ..] => {
            format!("; against {reference}: {}", subjects.join(", "))
        }
    };
    Some(format!("{varied}{compared}{others}"))
}

pub(crate) fn labels(case: &CaseResult) -> impl Iterator<Item = &str> {
    case.variants.iter().map(|variant| variant.label.as_str())
}

/// `Varied: flows (2, 100, 20,000)`, `Varied: flows (2 … 1,000,000, 18 values)`, `At flows 100`.
fn of_sweep(sweep: &Sweep<'_>) -> String {
    let points = sweep.points.iter();
    let value = |(at, case): &(f64, &CaseResult)| match sweep.unit.starts_with("bytes") {
        true => bytes(*at),
        false => case.case.point_value(),
    };
    let values: Vec<String> = points.map(value).collect();
    let said = match &values[..] {
        [first, .., last] if values.len() > NAMED => {
            format!("{first} … {last}, {} values", values.len())
        }
        all => all.join(", "),
    };
    match values.len() {
        1 => format!("At {} {said}", sweep.parameter),
        _ => format!("Varied: {} ({said})", sweep.parameter),
    }
}
