//! A quantity of one variant, and the best number of flows, beside the source's.

use measure::Measured;
use stats::{RUNS_ALPHA, Verdict, typical_amount};

use super::run::kind;
use super::{Answer, Run, Standing, claim};
use crate::data::number::{DOTS, plain};
use crate::data::words::listed;
use crate::data::{OfVariant, Published, RawSlot, TimeIn};
use crate::findings::quantity::{Look, SlotValues};
use crate::findings::{Amount, CaseResult, Optimum, Unit};

pub(super) fn answer(
    published: &Published,
    of: &OfVariant,
    run: Run<'_>,
) -> Result<Answer, Answer> {
    let case = run.case(&of.case)?;
    let (unit, ours) = found(case, &of.variant, (&of.quantity, of.worker), run)?;
    let verdict = claim::of_amount(published, ours.interval());
    Ok(Answer::new(with_ends(unit, &ours), verdict))
}

/// How much of the time of all flows some classes take, by the timers of each slot.
pub(super) fn time_in(published: &Published, of: &TimeIn, run: Run<'_>) -> Result<Answer, Answer> {
    let case = run.case(&of.case)?;
    let own = case.place(&of.variant).map(|place| case.slots_of(place));
    let shares = own
        .into_iter()
        .flatten()
        .filter_map(|slot| share_of(slot, &of.classes));
    let shares: Vec<f64> = shares.collect();
    let typical = typical_amount(&shares, RUNS_ALPHA)
        .map_err(|_| Answer::unknown(format!("no good slot of {} was timed", of.variant)))?;
    let verdict = match typical.interval {
        Some(ends) => claim::of_bound(published, ends).unwrap_or(Standing::SideBySide),
        None => Standing::CannotTell,
    };
    let ours = Amount::of(&typical, shares.len());
    let words = format!(
        "{} of the time of its flows goes to {}",
        with_ends(Unit::Share, &ours),
        listed(&of.classes)
    );
    Ok(Answer::new(words, verdict))
}

fn share_of(slot: &RawSlot, classes: &[String]) -> Option<f64> {
    let timed = slot.outcome.answer.done()?.timed.as_deref()?;
    let (mut part, mut all) = (0, 0);
    for (class, ns) in &timed.self_managed.as_ref()?.classes_ns {
        all += ns;
        part += if classes.contains(class) { *ns } else { 0 };
    }
    (all > 0).then(|| part as f64 / all as f64)
}

fn shown(unit: Unit, amount: &Amount) -> String {
    unit.show(amount.estimate)
}

fn with_ends(unit: Unit, amount: &Amount) -> String {
    let shown = shown(unit, amount);
    match amount
        .interval()
        .map(|(low, high)| [low, high].map(|end| unit.show(end)))
    {
        Some([low, high]) if low != high => format!("{shown} [{low}{DOTS}{high}]"),
        _ => shown,
    }
}

pub(super) fn amount(
    case: &CaseResult,
    label: &str,
    quantity: (&str, Option<u32>),
    run: Run<'_>,
) -> Result<String, Answer> {
    let (unit, amount) = found(case, label, quantity, run)?;
    Ok(shown(unit, &amount))
}

pub(super) fn found(
    case: &CaseResult,
    label: &str,
    (quantity, worker): (&str, Option<u32>),
    run: Run<'_>,
) -> Result<(Unit, Amount), Answer> {
    let kinds = vec![kind(quantity, worker)?];
    let slot_values = SlotValues::of(Look::of(&case.case, run.header), &case.slots, kinds);
    let all = slot_values.quantities();
    let own = all.iter().find(|quantity| quantity.of == label);
    let own = own.ok_or_else(|| Answer::unknown(format!("no good slot of {label} has it")))?;
    match &own.value {
        Measured::Value(amount) => Ok((own.unit, *amount)),
        Measured::NotAvailable { reason, .. } => Err(Answer::impossible(reason)),
    }
}

pub(super) fn best(value: Option<f64>, case: &str, run: Run<'_>) -> Result<Answer, Answer> {
    let case = run.case(case)?;
    let optimum = case.optimum.as_ref().and_then(Optimum::of_numbers);
    let optimum = optimum.ok_or_else(|| Answer::unknown("no number was found to be the best"))?;
    let best = plain(optimum.flows.into());
    let numbers = optimum.numbers.iter();
    let points = numbers
        .map(|at| [at.flows.into(), at.typical_ns[1]])
        .collect();
    let open = optimum.undecided().map(|at| plain(at.flows.into()));
    let open: Vec<String> = open.collect();
    let so_far = |because: String| {
        let answer = Answer::new(format!("{best} so far"), Standing::CannotTell);
        answer.since(Some(because))
    };
    let answer = match () {
        () if !optimum.is_told => so_far("which number is best is undecided".to_owned()),
        () if !open.is_empty() && theirs_is_open(optimum, value) => {
            so_far(format!("undecided against {}", listed(&open)))
        }
        () => Answer::new(format!("{best} is the best"), against(optimum, value)),
    };
    Ok(answer.by_number(points, false))
}

fn theirs_is_open(optimum: &Optimum, value: Option<f64>) -> bool {
    let is_theirs = |flows: u32| value == Some(f64::from(flows));
    let mut open = optimum.undecided();
    value.is_none() || is_theirs(optimum.flows) || open.any(|at| is_theirs(at.flows))
}

/// Where another number than the source's is the best, it differs if that one is slower.
fn against(optimum: &Optimum, value: Option<f64>) -> Standing {
    let is_theirs = |flows: u32| value == Some(f64::from(flows));
    let theirs = optimum.numbers.iter().find(|at| is_theirs(at.flows));
    match theirs.and_then(|at| at.verdict) {
        _ if value.is_none() => Standing::SideBySide,
        _ if is_theirs(optimum.flows) => Standing::Reproduced,
        Some(Verdict::Slower { .. }) => Standing::Differs,
        Some(Verdict::Same { .. }) => Standing::Reproduced,
        _ => Standing::CannotTell,
    }
}
