//! A quantity of two variants beside what the source says of it.

use measure::Measured;

use super::{Answer, Run, Standing, causes};
use crate::data::number::plain;
use crate::data::words::plural;
use crate::data::{Claim, Pair, Published};
use crate::findings::quantity::{Basis, Compared, Kind, Look, SlotValues, Word};
use crate::findings::{CaseResult, QuantityFinding};

/// The quantities of one pair.
pub(super) fn answer(published: &Published, pair: &Pair, run: Run<'_>) -> Result<Answer, Answer> {
    let case = run.case(&pair.case)?;
    let finding = finding(case, pair, run)?;
    let amounts = amounts(case, pair, run);
    let difference = difference(&finding);
    let ours = match amounts {
        Some(amounts) => format!("{amounts}: {difference}"),
        None => difference,
    };
    if let Measured::NotAvailable { reason, .. } = &finding.contrast {
        return Err(Answer::impossible(reason));
    }
    let by_direction = |claim| judge(claim, finding.verdict);
    let direction = published.claim.map_or(Standing::SideBySide, by_direction);
    let (verdict, because) = match published.value {
        Some(factor) if direction == Standing::Reproduced => by_factor(factor, &finding),
        _ => (direction, None),
    };
    Ok(Answer {
        because,
        cause: causes::of_pair(case, pair, finding.verdict, run),
        ..Answer::new(ours, verdict)
    })
}

/// What a verdict makes of a claim.
pub(super) fn judge(claim: Claim, word: Word) -> Standing {
    use Claim::{Faster, Less, More, Same, Slower};
    match (claim, word) {
        (_, Word::CannotTell | Word::NotCompared) => Standing::CannotTell,
        (Same, Word::Same) => Standing::Reproduced,
        (Faster | Less, Word::Faster | Word::Less) => Standing::Reproduced,
        (Slower | More, Word::Slower | Word::More) => Standing::Reproduced,
        (Faster | Less, Word::Slower | Word::More) => Standing::Refuted,
        (Slower | More, Word::Faster | Word::Less) => Standing::Refuted,
        _ => Standing::Differs,
    }
}

/// What becomes of a claim of a factor whose direction is right: at most that share of the other,
/// or at least that many times as much.
fn by_factor(factor: f64, finding: &QuantityFinding) -> (Standing, Option<String>) {
    let ratio = finding.contrast.value().and_then(|contrast| {
        let ends = contrast.interval()?;
        (contrast.basis == Basis::Ratio).then_some(ends)
    });
    let standing = match ratio {
        Some((_, high)) if factor < 1.0 && high <= factor => Standing::Reproduced,
        Some((low, _)) if factor < 1.0 && low > factor => Standing::Differs,
        Some((low, _)) if factor >= 1.0 && low >= factor => Standing::Reproduced,
        Some((_, high)) if factor >= 1.0 && high < factor => Standing::Differs,
        _ => Standing::CannotTell,
    };
    let claimed = plain(factor.max(1.0 / factor));
    let because = match standing {
        Standing::Differs => Some(format!(
            "the direction is the source's, its factor of {claimed} is not"
        )),
        Standing::CannotTell => Some(format!(
            "whether it is the factor of {claimed} the interval does not tell"
        )),
        _ => None,
    };
    (standing, because)
}

pub(super) fn place(case: &CaseResult, label: &str) -> Option<usize> {
    let mut variants = case.case.variants.iter();
    variants.position(|variant| variant.label == label)
}

/// The finding on the pair, with whichever of the two as its reference: that of the tables and of
/// the first screen where they have one, so that no claim is judged less strictly than the answer.
pub(super) fn finding(
    case: &CaseResult,
    pair: &Pair,
    run: Run<'_>,
) -> Result<QuantityFinding, Answer> {
    if let Some(shown) = shown(case, pair) {
        return Ok(shown);
    }
    let missing = |label: &str| Answer::unknown(format!("{label} was not run"));
    let subject = place(case, &pair.subject).ok_or_else(|| missing(&pair.subject))?;
    let reference = place(case, &pair.reference).ok_or_else(|| missing(&pair.reference))?;
    let kind = Kind::of(&pair.quantity, pair.worker)
        .ok_or_else(|| Answer::unknown(format!("{} is no quantity", pair.quantity)))?;
    let slot_values = SlotValues::of(Look::of(&case.case, run.header), &case.slots, vec![kind]);
    let compared = slot_values.compared(Compared {
        reference,
        subject,
        floor: floor(case),
        comparisons: case.case.variants.len().saturating_sub(1),
    });
    let found = compared.into_iter().next();
    found.ok_or_else(|| Answer::unknown("no round has a good slot of both"))
}

/// What the case itself finds of the pair. Its time is judged at each look, and by the verdict that
/// stands beside it.
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

/// `process 61.2 ms, thread 60.1 ms`.
fn amounts(case: &CaseResult, pair: &Pair, run: Run<'_>) -> Option<String> {
    let of = |label: &str| {
        let amount = super::amounts::amount(case, label, (&pair.quantity, pair.worker), run);
        Some(format!("{label} {}", amount.ok()?))
    };
    Some(format!("{}, {}", of(&pair.subject)?, of(&pair.reference)?))
}

/// The sentence without the names, which stand before it.
fn difference(finding: &QuantityFinding) -> String {
    let said = finding.sentence.split_once(": ");
    let said = said.map_or(&*finding.sentence, |(_, rest)| rest);
    let [subject, reference] = [&finding.subject, &finding.reference].map(|one| plural(one));
    let names = format!("{subject} and {reference} ");
    said.strip_prefix(&names).unwrap_or(said).to_owned()
}
