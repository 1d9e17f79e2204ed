//! Worker by worker: when each was done, and which sets two variants apart the most: where the
//! least that its interval allows is beyond the most of all others. Wide intervals rarely tell.

use super::run::flows;
use super::{Answer, Run, Standing, amounts, pairs};
use crate::data::number::against;
use crate::data::{OfVariant, Pair, Published};
use crate::findings::Contrast;

pub(super) fn each(of: &OfVariant, run: Run<'_>) -> Result<Answer, Answer> {
    let case = run.case(&of.case)?;
    let mut answer = Answer::new("", Standing::SideBySide);
    let mut words = Vec::new();
    for worker in 1..=flows(case, &of.variant) {
        let quantity = (&*of.quantity, Some(worker));
        let (unit, amount) = amounts::found(case, &of.variant, quantity, run)?;
        words.push(unit.show(amount.estimate));
        answer.points.push([worker.into(), amount.estimate]);
    }
    if words.is_empty() {
        return Err(Answer::not_run(format!("{} was not run", of.variant)));
    }
    answer.ours = words.join(", ");
    Ok(answer)
}

pub(super) fn farthest(published: &Published, pair: &Pair, run: Run<'_>) -> Result<Answer, Answer> {
    let case = run.case(&pair.case)?;
    let mut all: Vec<(u32, Contrast)> = Vec::new();
    for worker in 1..=flows(case, &pair.subject) {
        let own = Pair {
            worker: Some(worker),
            ..pair.clone()
        };
        let found = pairs::finding(case, &own, run)?.contrast.into_value();
        all.extend(found.map(|contrast| (worker, contrast)));
    }
    let away = |contrast: &Contrast| contrast.estimate.ln().abs();
    let most = all.iter().max_by(|a, b| away(&a.1).total_cmp(&away(&b.1)));
    let Some((worker, contrast)) = most else {
        return Err(Answer::unknown("no worker was compared"));
    };
    let ours = format!("worker {worker}: {}", against(contrast.estimate));
    let is_theirs = published.value == Some(f64::from(*worker));
    let answer = match is_beyond(contrast, all.iter().filter(|other| other.0 != *worker)) {
        true if is_theirs => Answer::new(ours, Standing::Reproduced),
        true => Answer::new(ours, Standing::Differs),
        false => Answer::new(format!("{ours}, as far as seen"), Standing::CannotTell)
            .since(Some("the intervals of the workers overlap".to_owned())),
    };
    let points = all.iter();
    let points = points.map(|(worker, contrast)| [f64::from(*worker), contrast.estimate]);
    Ok(answer.by_number(points.collect(), true))
}

fn is_beyond<'a>(one: &Contrast, others: impl Iterator<Item = &'a (u32, Contrast)>) -> bool {
    let ends = |contrast: &Contrast| {
        let (low, high) = contrast.interval()?;
        let least = match low <= 1.0 && high >= 1.0 {
            true => 0.0,
            false => low.ln().abs().min(high.ln().abs()),
        };
        Some((least, low.ln().abs().max(high.ln().abs())))
    };
    let Some((least, _)) = ends(one) else {
        return false;
    };
    let mut others = others.map(|(_, other)| ends(other));
    others.all(|other| other.is_some_and(|(_, most)| most < least))
}
