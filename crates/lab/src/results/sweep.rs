//! What a sweep says as a whole: below which value making one kind of flow instead of the
//! other costs more than so much.

use super::crossover::{Crossing, Point, crossing};
use super::{CaseResult, Finding};
use crate::number::{plain, ratio_interval};
use crate::words::plural;

/// What "costs more than so much" means: levels of a ratio, and how each is said.
const LEVELS: [(f64, &str); 3] = [(1.01, "1 %"), (1.10, "10 %"), (2.0, "2x")];

/// A sentence for each sweep and each variant in it that is compared.
pub(crate) fn crossovers(cases: &[&CaseResult]) -> Vec<String> {
    let mut sweeps: Vec<&str> = Vec::new();
    for point in cases.iter().filter_map(|case| case.case.sweep.as_ref()) {
        if !sweeps.contains(&point.sweep.as_str()) {
            sweeps.push(&point.sweep);
        }
    }
    sweeps
        .iter()
        .flat_map(|sweep| sweep_crossovers(cases, sweep))
        .collect()
}

fn sweep_crossovers(cases: &[&CaseResult], sweep: &str) -> Vec<String> {
    let of_sweep = |case: &&CaseResult| case.case.sweep.as_ref().is_some_and(|s| s.sweep == sweep);
    let mut cases: Vec<&CaseResult> = cases.iter().copied().filter(of_sweep).collect();
    let at = |case: &CaseResult| case.case.sweep.as_ref().map_or(0.0, |point| point.value);
    cases.sort_by(|a, b| at(a).total_cmp(&at(b)));
    let findings = cases.first().map_or(0, |case| case.findings.len());
    (0..findings)
        .filter_map(|place| crossover(&cases, place))
        .collect()
}

/// The sentence on the finding at one place of every case of a sweep.
fn crossover(cases: &[&CaseResult], place: usize) -> Option<String> {
    let findings: Vec<(f64, &Finding)> = cases
        .iter()
        .filter_map(|case| Some((case.case.sweep.as_ref()?.value, case.findings.get(place)?)))
        .collect();
    let (_, first) = findings.first()?;
    // At the smallest value the cost of making flows weighs most: it tells who is dearer.
    let subject_dearer = first.estimate?.ratio > 1.0;
    let points: Vec<Point> = findings
        .iter()
        .filter_map(|(at, finding)| point(*at, finding, subject_dearer))
        .collect();
    let (dearer, other) = if subject_dearer {
        (&first.subject, &first.reference)
    } else {
        (&first.reference, &first.subject)
    };
    let sweep = cases.first()?.case.sweep.as_ref()?;
    let levels = LEVELS.iter().filter_map(|(level, name)| {
        let crossing = crossing(&points, *level)?;
        let ratio = format!("{dearer}/{other}");
        Some(level_words(name, crossing, &points, &sweep.unit, &ratio))
    });
    let levels: Vec<String> = levels.collect();
    (points.len() > 1).then(|| {
        format!(
            "{}: {} instead of {} cost {}",
            sweep.sweep,
            plural(dearer),
            plural(other),
            levels.join(", ")
        )
    })
}

fn point(at: f64, finding: &Finding, subject_dearer: bool) -> Option<Point> {
    let estimate = finding.estimate?;
    let (low, high) = estimate.interval()?;
    Some(if subject_dearer {
        Point {
            at,
            cost: estimate.ratio,
            low,
            high,
        }
    } else {
        Point {
            at,
            cost: 1.0 / estimate.ratio,
            low: 1.0 / high,
            high: 1.0 / low,
        }
    })
}

/// "more than 10 % below about 110,000 numbers [90,000 ... 160,000]".
fn level_words(
    level: &str,
    crossing: Crossing,
    points: &[Point],
    unit: &str,
    ratio: &str,
) -> String {
    let ends = [points.first(), points.last()].map(|end| end.map_or(0.0, |point| point.at));
    let [from, to] = ends.map(plain);
    let seen = |point: Point| {
        let interval = ratio_interval(point.low, point.high);
        // Tables may have the inverse: theirs is over the reference.
        format!("{ratio} {interval} at {}", plain(point.at))
    };
    match crossing {
        Crossing::Everywhere => format!("more than {level} everywhere from {from} to {to} {unit}"),
        Crossing::Nowhere => format!("more than {level} nowhere from {from} to {to} {unit}"),
        Crossing::Below { low, at, high } => format!(
            "more than {level} below about {} {unit} [{} ... {}]",
            plain(rounded(at, f64::round)),
            plain(rounded(low, f64::floor)),
            plain(rounded(high, f64::ceil))
        ),
        Crossing::UpTo(most, last) => format!(
            "more than {level} up to {} {unit} (above that it cannot be told: {})",
            plain(most),
            seen(last)
        ),
        Crossing::From(least, first) => format!(
            "less than {level} from {} {unit} on (below that it cannot be told: {})",
            plain(least),
            seen(first)
        ),
        Crossing::Unclear(last) => format!(
            "an amount that cannot be told to be more or less than {level} ({})",
            seen(last)
        ),
    }
}

/// Two significant digits: more would claim what an interpolation does not know.
fn rounded(value: f64, round: fn(f64) -> f64) -> f64 {
    let scale = 10f64.powf(value.log10().floor() - 1.0);
    // To a billionth first, so that what is stored as a hair less stays where it is.
    round((value / scale * 1e9).round() / 1e9) * scale
}
