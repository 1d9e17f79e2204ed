//! How a quantity changes along a sweep, beside what the source says of it.
//!
//! # Theory
//!
//! The line is Theil and Sen's through all good slots of the variant ([`stats::Line`]).
//! *Growth* is what one more costs over one's part of the amount in the middle of the sweep, as
//! in [`crate::results::Law`]. A sweep is *flat* only where the interval of its slope holds 0. It is *in a
//! line* where it rises and the line accounts for nine tenths of the way that the medians go, however
//! slowly: what a process holds comes on top of what its parent holds, so the line need not go
//! through 0. What changes by little is *nearly flat*.
//!
//! A slow rise over several powers of ten is no line. Its law is a power: the slope of the
//! logarithms, said as what twice as many cost. It is slow where twice as many cost less than
//! a quarter more.

use stats::Line;

use super::{Answer, Run, Standing};
use crate::number::{DOTS, trimmed};
use crate::results::CaseResult;
use crate::results::quantity::{Kind, Look, Seen, Unit};
use crate::study::{Claim, OfSweep};

/// Growth this near to 0 is little.
const NEAR: f64 = 0.15;
/// How much of the medians' way a line must account for.
const STRAIGHT: f64 = 0.9;
/// More than this for twice as many is no slow rise.
const SLOW: f64 = 1.25;
/// Fewest places that a law is fitted to: two are always on a line.
const PLACES: usize = 3;

pub(super) fn answer(claim: Option<Claim>, of: &OfSweep, run: Run<'_>) -> Result<Answer, Answer> {
    let kind = Kind::of(&of.quantity, None)
        .ok_or_else(|| Answer::unknown(format!("{} is no quantity", of.quantity)))?;
    let points = points(kind, of, run);
    let few = || Answer::unknown("fewer than 3 numbers of this sweep were run");
    match claim {
        Some(Claim::GrowsSlowly) => {
            let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
            let line = line(&logs).ok_or_else(few)?;
            Ok(power(&line))
        }
        _ => Ok(linear(
            claim,
            kind.unit(),
            &line(&points).ok_or_else(few)?,
            &points,
        )),
    }
}

fn line(points: &[(f64, f64)]) -> Option<Line> {
    Line::through(points).filter(|line| line.places >= PLACES)
}

/// The parameter and the quantity of every good slot.
fn points(kind: Kind, of: &OfSweep, run: Run<'_>) -> Vec<(f64, f64)> {
    let cases = run.cases.iter().filter_map(|case| {
        let point = case.case.sweep.as_ref()?;
        (point.sweep == of.sweep).then_some((point.value, case))
    });
    cases
        .flat_map(|(x, case)| values(kind, case, &of.variant, run).map(move |y| (x, y)))
        .filter(|(x, y)| *x > 0.0 && *y > 0.0)
        .collect()
}

fn values<'a>(
    kind: Kind,
    case: &'a CaseResult,
    label: &str,
    run: Run<'a>,
) -> impl Iterator<Item = f64> + 'a {
    let place = case.case.variants.iter().position(|v| v.label == label);
    let own = case
        .slots
        .iter()
        .filter(move |slot| Some(slot.variant) == place);
    let look = Look::of(&case.case, run.header);
    own.filter_map(move |slot| kind.of_slot(look, &Seen::of(slot)?)?.into_value())
}

/// `each further one 14.1 MiB more [13.9 ... 14.2 MiB]`.
fn linear(claim: Option<Claim>, unit: Unit, line: &Line, points: &[(f64, f64)]) -> Answer {
    let ends = points.iter().map(|(x, _)| *x);
    let (first, last) = ends.fold((f64::MAX, 0.0_f64), |(a, b), x| (a.min(x), b.max(x)));
    let middle = (first + last) / 2.0;
    let part = line.at(middle) / middle;
    let Some((low, high)) = line.interval() else {
        return Answer::unknown("too few slots for an interval");
    };
    let straight = line.straightness.is_some_and(|share| share >= STRAIGHT);
    let little = low / part >= -NEAR && high / part <= NEAR;
    let rises = low > 0.0;
    let shape = match () {
        () if little && low <= 0.0 && high >= 0.0 => "flat",
        () if little && rises && straight => "nearly flat, in a line",
        () if little => "nearly flat",
        () if rises && straight => "in a line",
        () if rises => "growing",
        () if high < 0.0 => "falling",
        () => "no law",
    };
    let is_claimed = match claim {
        Some(Claim::Flat) => little,
        Some(Claim::Linear) => rises && straight,
        Some(Claim::Grows) => rises && !little,
        _ => false,
    };
    let verdict = match claim {
        None => Standing::SideBySide,
        Some(_) if is_claimed => Standing::Reproduced,
        Some(Claim::Flat | Claim::Linear | Claim::Grows) if shape != "no law" => Standing::Differs,
        Some(_) => Standing::CannotTell,
    };
    let text = format!(
        "{shape}: each further one {} [{}{DOTS}{}], {:.0} % of one's part",
        unit.show(line.slope),
        unit.show(low),
        unit.show(high),
        // Adding zero makes a negative zero positive.
        (100.0 * line.slope / part).round() + 0.0
    );
    Answer::new(text, verdict)
}

/// `twice as many cost 4.1 % more [3.8 ... 4.5 %]`.
fn power(line: &Line) -> Answer {
    let twice = |exponent: f64| 2f64.powf(exponent);
    let Some((low, high)) = line.interval().map(|(low, high)| (twice(low), twice(high))) else {
        return Answer::unknown("too few slots for an interval");
    };
    let percent = |ratio: f64| trimmed((ratio - 1.0) * 100.0, 1);
    let text = format!(
        "twice as many: {} % [{}{DOTS}{} %] longer",
        percent(twice(line.slope)),
        percent(low),
        percent(high)
    );
    let verdict = match () {
        () if low > 1.0 && high < SLOW => Standing::Reproduced,
        () if high <= 1.0 || low >= SLOW => Standing::Differs,
        () => Standing::CannotTell,
    };
    Answer::new(text, verdict)
}
