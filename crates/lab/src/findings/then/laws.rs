//! How a quantity changes along a sweep, beside what the source says of it: the shape is that of
//! [`crate::findings::growth`], so no page contradicts another. A slow rise over several powers of
//! ten is a power: the slope of the logarithms, said as what twice as many cost, slow below a
//! quarter more. A finding may say from which number on its law holds (`from`): a lap of two flows
//! has costs of its own.

use stats::Line;

use super::run::kind;
use super::{Answer, Run, Standing};
use crate::data::number::{against, factor_interval, plain, ratio_interval};
use crate::data::{Claim, OfSweep, median};
use crate::findings::CaseResult;
use crate::findings::growth::{Growth, PLACES, STEPS, Shape, each_further};
use crate::findings::quantity::{Kind, Look, Seen, Unit};

const SLOW: f64 = 1.25;

pub(super) fn answer(claim: Option<Claim>, of: &OfSweep, run: Run<'_>) -> Result<Answer, Answer> {
    let kind = kind(&of.quantity, None)?;
    let points = points(kind, of, run);
    let from = of
        .from
        .map_or_else(String::new, |from| format!(" from {} on", plain(from)));
    let few = || Answer::not_run(format!("fewer than 3 numbers of this sweep{from} were run"));
    let answer = match claim {
        Some(Claim::GrowsSlowly) => {
            let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
            let line = line(&logs).ok_or_else(few)?;
            power(&line)
        }
        _ => {
            let growth = Growth::through(&points).filter(|growth| growth.line.places >= PLACES);
            linear(claim, kind.unit(), &growth.ok_or_else(few)?)
        }
    };
    Ok(Answer {
        ours: format!("{}{from}", answer.ours),
        points: medians(&points),
        ..answer
    })
}

fn medians(points: &[(f64, f64)]) -> Vec<[f64; 2]> {
    let mut numbers: Vec<f64> = points.iter().map(|(x, _)| *x).collect();
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    let at = |x: &f64| {
        let own = points.iter().filter(|point| point.0 == *x);
        Some([*x, median(own.map(|point| point.1))?])
    };
    numbers.iter().filter_map(at).collect()
}

fn line(points: &[(f64, f64)]) -> Option<Line> {
    Line::through(points).filter(|line| line.places >= PLACES)
}

fn points(kind: Kind, of: &OfSweep, run: Run<'_>) -> Vec<(f64, f64)> {
    let cases = run.cases.iter().filter_map(|case| {
        let point = case.case.sweep.as_ref()?;
        (point.sweep == of.sweep).then_some((point.value, case))
    });
    cases
        .flat_map(|(x, case)| values(kind, case, &of.variant, run).map(move |y| (x, y)))
        .filter(|(x, y)| *x >= of.from.unwrap_or(0.0) && *x > 0.0 && *y > 0.0)
        .collect()
}

fn values<'a>(
    kind: Kind,
    case: &'a CaseResult,
    label: &str,
    run: Run<'a>,
) -> impl Iterator<Item = f64> + 'a {
    let own = case.place(label).map(|place| case.slots_of(place));
    let look = Look::of(&case.case, run.header);
    let own = own.into_iter().flatten();
    own.filter_map(move |slot| kind.of_slot(look, &Seen::of(slot)?)?.into_value())
}

/// `in a line: each further one 14.1 MiB [13.9 MiB … 14.2 MiB], 98 % of one's part`.
fn linear(claim: Option<Claim>, unit: Unit, growth: &Growth) -> Answer {
    let Some((low, high)) = growth.line.interval() else {
        return Answer::unknown("too few slots for an interval");
    };
    let text = format!(
        "{}: each further one {}, {:.0} % of one's part",
        word(growth),
        each_further(unit, growth.line.slope, (low, high)),
        (100.0 * growth.share().abs()).round()
    );
    let verdict = claim.map_or(Standing::SideBySide, |claim| growth.judge(claim));
    let is_open = verdict == Standing::CannotTell;
    Answer::new(text, verdict).since(is_open.then(|| doubt(growth, claim).to_owned()))
}

fn word(growth: &Growth) -> &'static str {
    match (growth.shape, growth.is_in_a_line()) {
        (Shape::Flat, _) => "flat",
        (Shape::NearlyFlat, _) => "nearly flat",
        (Shape::Steps, _) => "in steps",
        (Shape::Falling, _) => "falling",
        (Shape::CannotTell, _) => "no law",
        (_, true) => "in a line",
        (_, false) => "growing",
    }
}

fn doubt(growth: &Growth, claim: Option<Claim>) -> &'static str {
    match growth.shape {
        Shape::CannotTell => "the interval of the slope names no law",
        _ if claim == Some(Claim::Steps) && growth.line.places < STEPS => {
            "steps are seen with 4 numbers or more"
        }
        _ => "it grows; whether in a line or in steps these numbers do not tell",
    }
}

/// `twice as many: 4.1 % slower [3.8 … 4.5 %]`, `twice as many: 5.1 % faster … 17.2 % slower`.
fn power(line: &Line) -> Answer {
    let twice = |exponent: f64| 2f64.powf(exponent);
    let Some((low, high)) = line.interval().map(|(low, high)| (twice(low), twice(high))) else {
        return Answer::unknown("too few slots for an interval");
    };
    let text = match low <= 1.0 && high >= 1.0 {
        true => format!("twice as many: {}", ratio_interval(low, high)),
        false => {
            let middle = twice(line.slope);
            let (away, least, most) = match low > 1.0 {
                true => (middle, low, high),
                false => (1.0 / middle, 1.0 / high, 1.0 / low),
            };
            let ends = factor_interval(away, least, most);
            format!("twice as many: {} {ends}", against(middle))
        }
    };
    let verdict = match () {
        () if low > 1.0 && high < SLOW => Standing::Reproduced,
        () if high <= 1.0 || low >= SLOW => Standing::Differs,
        () => Standing::CannotTell,
    };
    Answer::new(text, verdict)
}
