//! How the two variants of a row, which is of one point, compare at the other points of its sweep.

use crate::data::number::plain;
use crate::data::words::listed;
use crate::findings::blocks::{Block, Sweep};
use crate::findings::crossover::{Crossing, Point, Span, crossing};
use crate::findings::phrases::joined;
use crate::findings::sweep::{about, value};
use crate::findings::{CaseResult, Compared, StudyResult};

const NAMED: usize = 5;

/// The first of those that are rows.
pub(super) fn is_told_by(study: &StudyResult, sweep: &Sweep<'_>, case: &CaseResult) -> bool {
    let rows = study.study.deciding.iter();
    let mut rows = rows.filter_map(|named| study.deciding_case(named));
    let has = |row: &&CaseResult| {
        let mut points = sweep.points.iter();
        points.any(|(_, point)| point.case.name == row.case.name)
    };
    let first = rows.find(has);
    first.is_none_or(|first| first.case.name == case.case.name)
}

fn has_a_row(study: &StudyResult, case: &CaseResult) -> bool {
    let mut rows = study.study.deciding.iter();
    rows.any(|named| named.case == case.case.name)
}

/// Which variant is best along a sweep, and where that changes: `best at 5 ms a task: threads; at 50: processes; …`.
pub(super) fn best(sweep: &Sweep<'_>) -> Option<String> {
    let told = |case: &CaseResult| {
        let best = case.optimum.as_ref().filter(|best| best.is_told)?;
        let alike = best.alike().map(|at| at.label.clone());
        let mut labels: Vec<String> = [best.label.clone()].into_iter().chain(alike).collect();
        labels.sort();
        Some(labels)
    };
    let points = sweep.points.iter();
    let points: Vec<(f64, Vec<String>)> = points
        .filter_map(|(at, case)| Some((*at, told(case)?)))
        .collect();
    (points.len() > 1).then(|| flips(&points, sweep.unit, turn(sweep)))
}

struct Turn {
    from: String,
    to: String,
    span: Span,
    between: (f64, f64),
    is_of_best: bool,
}

/// Where the best of one end is overtaken by that of the other; else where the first variant and another change places.
fn turn(sweep: &Sweep<'_>) -> Option<Turn> {
    let best = |(_, case): &(f64, &CaseResult)| {
        let best = case.optimum.as_ref().filter(|best| best.is_told);
        best.map(|best| best.label.clone())
    };
    let bests: Vec<String> = sweep.points.iter().filter_map(best).collect();
    let (first, last) = (bests.first()?, bests.last()?);
    let (_, case) = sweep.points.first()?;
    let mut labels = case.variants.iter().map(|own| own.label.as_str());
    let reference = labels.next()?;
    let of_best = changes(sweep, [first, last], true).filter(|_| first != last);
    of_best.or_else(|| labels.find_map(|other| changes(sweep, [reference, other], false)))
}

pub(super) fn flip(sweep: &Sweep<'_>, reference: &str, subject: &str) -> Option<String> {
    Some(changes(sweep, [reference, subject], true)?.said(sweep.unit))
}

fn changes(sweep: &Sweep<'_>, [one, other]: [&str; 2], is_of_best: bool) -> Option<Turn> {
    let points = sweep.points.iter();
    let points: Vec<Point> = points
        .filter_map(|(at, case)| cost(*at, case, one, other))
        .collect();
    let (from, to, span) = match crossing(&points, 1.0)? {
        Crossing::Below(span) => (one, other, span),
        Crossing::Above(span) => (other, one, span),
        _ => return None,
    };
    let below = points.iter().rev().find(|point| point.at <= span.at)?;
    let above = points.iter().find(|point| point.at >= span.at)?;
    Some(Turn {
        from: from.to_owned(),
        to: to.to_owned(),
        span,
        between: (below.at, above.at),
        is_of_best,
    })
}

fn cost(at: f64, case: &CaseResult, one: &str, other: &str) -> Option<Point> {
    let against_best = |best: &str, of: &str| {
        let optimum = case.optimum.as_ref()?;
        let mut numbers = optimum.numbers.iter().filter(|_| optimum.label == best);
        numbers.find(|number| number.label == of)?.estimate
    };
    let found = |reference: &str, subject: &str| {
        let against_best = against_best(reference, subject);
        Point::of(
            at,
            &against_best.or_else(|| case.finding(subject, reference)?.estimate)?,
        )
    };
    found(one, other).or_else(|| Some(found(other, one)?.inverse()))
}

impl Turn {
    fn said(&self, unit: &str) -> String {
        let Self {
            from,
            to,
            span,
            between: (below, above),
            is_of_best,
        } = self;
        let what = match is_of_best {
            true => "it flips",
            false => "no flip of the best shown; of these two it flips",
        };
        let [below, above] = [below, above].map(|at| value(*at, unit));
        format!(
            "{what} from {from} to {to} at about {}, on a line from {below} to {above}",
            about(span, unit)
        )
    }
}

type Best = (f64, Vec<String>);

fn flips(points: &[Best], unit: &str, turn: Option<Turn>) -> String {
    let stretches: Vec<&[Best]> = points.chunk_by(|a, b| a.1 == b.1).collect();
    let said = stretches.iter().enumerate().map(|(place, stretch)| {
        let at: Vec<String> = stretch.iter().map(|(at, _)| plain(*at)).collect();
        let (labels, at) = (either(&stretch[0].1), listed(&at));
        match place {
            0 => format!("best at {at} {unit}: {labels}"),
            _ => format!("at {at}: {labels}"),
        }
    });
    let said: Vec<String> = said.collect();
    let flips: Vec<String> = between(points);
    let flips = match (turn, flips.is_empty()) {
        (Some(turn), is_empty) if turn.is_of_best || is_empty => turn.said(unit),
        (_, true) => "no flip shown between these values".to_owned(),
        (_, false) => format!("it flips {} {unit}", listed(&flips)),
    };
    format!("{}; {flips}", said.join("; "))
}

/// Between which values none of those that may be the best stays one.
fn between(points: &[Best]) -> Vec<String> {
    let mut flips = Vec::new();
    let Some((mut from, mut left)) = points.first().cloned() else {
        return flips;
    };
    for (at, labels) in &points[1..] {
        let both: Vec<String> = left
            .iter()
            .filter(|one| labels.contains(one))
            .cloned()
            .collect();
        if both.is_empty() {
            flips.push(format!("between {} and {}", plain(from), plain(*at)));
            (from, left) = (*at, labels.clone());
            continue;
        }
        if both.len() == labels.len() {
            from = *at;
        }
        left = both;
    }
    flips
}

fn either(labels: &[String]) -> String {
    match labels {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        labels => labels.concat(),
    }
}

pub(super) fn sweep<'a>(study: &'a StudyResult, case: &CaseResult) -> Option<Sweep<'a>> {
    let mut blocks = Block::all(study).into_iter();
    match blocks.find(|block| block.has(case))? {
        Block::Sweep(sweep) => Some(sweep).filter(|sweep| sweep.points.len() > 1),
        Block::Case(_) | Block::Matrix(_) => None,
    }
}

/// `at block 1,000: 4.53x faster; at 100,000: 2.1x faster`.
pub(super) fn others(
    study: &StudyResult,
    sweep: &Sweep<'_>,
    own: &CaseResult,
    compare: impl Fn(&CaseResult) -> Option<Compared>,
) -> Option<String> {
    let all: Vec<&CaseResult> = sweep.points.iter().map(|(_, case)| *case).collect();
    let shown = match &all[..] {
        [first, .., last] if all.len() > NAMED => vec![*first, *last],
        _ => all,
    };
    let others = shown
        .into_iter()
        .filter(|case| case.case.name != own.case.name && !has_a_row(study, case));
    let said = others.filter_map(|case| {
        let (at, said) = (case.case.point_value(), compare(case)?.word);
        Some(format!("at {} {at}: {said}", sweep.parameter))
    });
    joined(said, "; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::testing::{begins, ends};

    fn best(at: f64, labels: &[&str]) -> Best {
        (at, labels.iter().map(|label| (*label).to_owned()).collect())
    }

    #[test]
    fn an_answer_flips_where_none_of_the_best_is_among_the_next_best() {
        let points = [best(0.5, &["1"]), best(1.0, &["1"]), best(2.0, &["2", "4"])];
        assert_eq!(
            flips(&points, "CPUs", None),
            "best at 0.50 and 1 CPUs: 1; at 2: 2 or 4; it flips between 1 and 2 CPUs"
        );
        let points = [best(1.0, &["1"]), best(2.0, &["1", "2"]), best(4.0, &["2"])];
        let said = flips(&points, "CPUs", None);
        ends(&said, "it flips between 1 and 4 CPUs");
        // Where one of them may be the best on both sides, nothing is shown to flip.
        let points = [best(1.0, &["1"]), best(2.0, &["1", "2"])];
        let said = flips(&points, "CPUs", None);
        ends(&said, "no flip shown between these values");
    }

    #[test]
    fn where_one_overtakes_the_other_is_read_off_the_line_between_them() {
        let span = Span {
            low: 12.34,
            at: 20.1,
            high: 31.0,
        };
        let turn = |is_of_best| Turn {
            from: "threads".to_owned(),
            to: "fork".to_owned(),
            span,
            between: (5.0, 50.0),
            is_of_best,
        };
        assert_eq!(
            turn(true).said("ms"),
            "it flips from threads to fork at about 20 ms [12 … 31], on a line from 5 to 50"
        );
        begins(
            &turn(false).said("ms"),
            "no flip of the best shown; of these two",
        );
        let span = Span {
            low: 12e6,
            at: 17e6,
            high: 31e6,
        };
        let between = (1_048_576.0, 67_108_864.0);
        let bytes = Turn {
            span,
            between,
            ..turn(true)
        };
        let bytes = bytes.said("bytes of the parent");
        let said = "at about 16.2 MiB of the parent [11.4 MiB … 29.6 MiB], on a line from 1.00 MiB to 64.0 MiB";
        ends(&bytes, said);
    }
}
