//! A quantity of two variants beside what the source says of it.

use measure::Measured;

use super::run::{kind, place};
use super::{Answer, Run, Standing, causes, claim, modelled};
use crate::data::number::{many, significant};
use crate::data::words::plural;
use crate::data::{Claim, Pair, Published};
use crate::findings::quantity::{Basis, Compared, Kind, Look, Seen, SlotValues, alpha};
use crate::findings::simulated::Count;
use crate::findings::{CaseResult, Contrast, QuantityFinding};

/// A run that took this many times as long is another order of size.
const LONGER: f64 = 10.0;

pub(super) fn answer(published: &Published, pair: &Pair, run: Run<'_>) -> Result<Answer, Answer> {
    let case = run.case(&pair.case)?;
    if let Some(count) = modelled_by(pair, run) {
        let labels = (&*pair.subject, &*pair.reference);
        return modelled::answer(published, case, labels, (count, run));
    }
    if let Some(proved) = proved(published, case, pair, run) {
        return Ok(proved);
    }
    let finding = finding(case, pair, run)?;
    let amounts = amounts(case, pair, run);
    let difference = difference(&finding);
    let ours = match amounts {
        Some(amounts) => format!("{}{amounts}: {difference}", of_what(pair)),
        None => difference,
    };
    if let Measured::NotAvailable { reason, .. } = &finding.contrast {
        return Err(Answer::impossible(reason));
    }
    let ratio = finding.contrast.value();
    let ratio = ratio.filter(|contrast| contrast.basis == Basis::Ratio);
    let ends = ratio.and_then(Contrast::interval);
    let (verdict, mut because) = claim::of_two(published, finding.verdict, ends);
    if let Some(longer) = longer(published, pair, case, run) {
        because = Some(because.map_or(longer.clone(), |said| format!("{said}; {longer}")));
    }
    let contrast = finding.contrast.value();
    Ok(Answer {
        too_few: contrast.is_some_and(|contrast| contrast.interval().is_none()),
        because,
        cause: causes::of_pair(case, pair, finding.verdict, run),
        ..Answer::new(ours, verdict)
    })
}

/// Quantities that are counted and proved: no chance is in them.
const PROVED: [Kind; 2] = [Kind::Results, Kind::Files];

/// Equality of what is proved: where every slot of both has one number, no interval is needed.
fn proved(published: &Published, case: &CaseResult, pair: &Pair, run: Run<'_>) -> Option<Answer> {
    let kind = Kind::of(&pair.quantity, pair.worker)?;
    if published.claim != Some(Claim::Same) || !PROVED.contains(&kind) {
        return None;
    }
    let places = [case.place(&pair.subject)?, case.place(&pair.reference)?];
    let look = Look::of(&case.case, run.header);
    let own = case
        .slots
        .iter()
        .filter(|slot| places.contains(&slot.variant));
    let values = own.filter_map(|slot| kind.of_slot(look, &Seen::of(slot)?)?.into_value());
    let values: Vec<f64> = values.collect();
    let first = *values.first()?;
    let all = values.iter().all(|value| *value == first);
    let shown = kind.unit().show(first);
    let slots = many(values.len() as u64, "slot");
    all.then(|| {
        Answer::new(
            format!("{shown} with both, in each of {slots}"),
            Standing::Reproduced,
        )
    })
}

fn longer(published: &Published, pair: &Pair, case: &CaseResult, run: Run<'_>) -> Option<String> {
    let quantity = (&*pair.quantity, pair.worker);
    let (_, ours) = super::amounts::found(case, &pair.reference, quantity, run).ok()?;
    let times = published.seconds? * 1e9 / ours.estimate;
    let again = super::again::at_its_size(run.study, &pair.case);
    let again = again.map_or_else(String::new, |command| format!(" (its size: `{command}`)"));
    (times >= LONGER && times.is_finite()).then(|| {
        format!(
            "the source's took {} times as long{again}",
            significant(times)
        )
    })
}

/// With either as its reference, at the level of its source's claims or of the tables.
pub(super) fn finding(
    case: &CaseResult,
    pair: &Pair,
    run: Run<'_>,
) -> Result<QuantityFinding, Answer> {
    let subject = place(case, &pair.subject)?;
    let reference = place(case, &pair.reference)?;
    let comparisons = run.comparisons(case, pair);
    if let Some(shown) = shown(case, pair).filter(|shown| is_as_strict(shown, comparisons)) {
        return Ok(shown);
    }
    let kinds = vec![kind(&pair.quantity, pair.worker)?];
    let slot_values = SlotValues::of(Look::of(&case.case, run.header), &case.slots, kinds);
    let compared = slot_values.compared(Compared {
        reference,
        subject,
        floor: floor(case),
        comparisons,
    });
    let found = compared.into_iter().next();
    found.ok_or_else(|| Answer::unknown("no round has a good slot of both"))
}

fn modelled_by(pair: &Pair, run: Run<'_>) -> Option<Count> {
    run.simulated()?;
    let mut counts = Count::ALL.into_iter();
    counts.find(|count| {
        let of_event = count
            .event()
            .is_some_and(|event| event.name() == pair.quantity);
        of_event || count.name() == pair.quantity
    })
}

fn is_as_strict(shown: &QuantityFinding, comparisons: usize) -> bool {
    let contrast = shown.contrast.value();
    contrast.is_none_or(|contrast| contrast.alpha <= alpha(comparisons))
}

/// Its time is judged at each look, and by the verdict that stands beside it.
fn shown(case: &CaseResult, pair: &Pair) -> Option<QuantityFinding> {
    if pair.worker.is_some() {
        return None;
    }
    let contrast = case.contrast(&pair.quantity, &pair.subject)?;
    let shown = (contrast.reference == pair.reference).then_some(contrast)?;
    if pair.quantity != Kind::Time.name() {
        return Some(shown.clone());
    }
    let mut findings = case.findings.iter();
    let finding = findings.find(|one| one.subject == pair.subject)?;
    Some(shown.judged_as(finding))
}

fn floor(case: &CaseResult) -> f64 {
    let floor = case.findings.first().map(|finding| finding.floor);
    floor.unwrap_or(stats::Rule::default().floor)
}

/// `CPU time: `, of seconds that are no time of the work.
fn of_what(pair: &Pair) -> String {
    let kind = Kind::of(&pair.quantity, pair.worker);
    let is_cpu = |kind: &Kind| matches!(kind, Kind::Cpu | Kind::UserTime | Kind::SystemTime);
    let what = kind
        .filter(is_cpu)
        .map(|kind| format!("{}: ", kind.spoken()));
    what.unwrap_or_default()
}

/// `process 61.2 ms, thread 60.1 ms`.
fn amounts(case: &CaseResult, pair: &Pair, run: Run<'_>) -> Option<String> {
    let of = |label: &str| {
        let amount = super::amounts::amount(case, label, (&pair.quantity, pair.worker), run);
        Some(format!("{label} {}", amount.ok()?))
    };
    Some(format!("{}, {}", of(&pair.subject)?, of(&pair.reference)?))
}

fn difference(finding: &QuantityFinding) -> String {
    let said = finding.sentence.split_once(": ");
    let said = said.map_or(&*finding.sentence, |(_, rest)| rest);
    let [subject, reference] = [&finding.subject, &finding.reference].map(|one| plural(one));
    let names = format!("{subject} and {reference} ");
    said.strip_prefix(&names).unwrap_or(said).to_owned()
}
