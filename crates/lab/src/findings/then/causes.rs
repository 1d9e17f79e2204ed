//! Why ours is as it is, from three sources in this order: the reason of the pair's finding; the
//! parts of the quantity (phases of a time, kinds of memory), subject against reference; and what
//! the study's file says is known, with the page that shows it. Parts are medians without an
//! interval: they explain an established difference and establish none.

use super::{Run, Standing, amounts, steps};
use crate::data::words::plural;
use crate::data::{Metric, Ours, Pair, Published};
use crate::findings::CaseResult;
use crate::findings::phrases::joined;
use crate::findings::quantity::{Kind, Word};

const NOT_FOUND: &str = "cause not found";
const NOTHING: &str = "no difference is established";

/// A part below this share of the largest one is left out.
const MINOR: f64 = 0.02;

/// None where nothing of ours can stand in the row; of figures side by side what is known.
pub(super) fn of(
    published: &Published,
    verdict: Standing,
    found: Option<String>,
    run: Run<'_>,
) -> Option<String> {
    if verdict == Standing::NotPossible {
        return None;
    }
    let measured = [found, steps::answer(&published.steps, run)];
    let known = || published.cause.clone();
    let cause = joined(measured.into_iter().flatten(), "; ");
    match verdict {
        Standing::CannotTell if matches!(published.ours, Some(Ours::Law(_))) => cause,
        Standing::CannotTell => cause.or_else(|| Some(NOTHING.to_owned())),
        Standing::SideBySide => cause.or_else(known),
        _ => cause.or_else(known).or_else(|| Some(NOT_FOUND.to_owned())),
    }
}

pub(super) fn of_pair(case: &CaseResult, pair: &Pair, word: Word, run: Run<'_>) -> Option<String> {
    if !matches!(word, Word::Faster | Word::Slower | Word::Less | Word::More) {
        return None;
    }
    let parts = |names: &[&str]| parts(case, pair, names, run);
    match pair.quantity.as_str() {
        "time" => reason(case, pair).or_else(|| {
            let of_phases = case.case.metric == Metric::Total;
            of_phases.then(|| parts(&["create", "steady", "tear-down"]))?
        }),
        "memory" => parts(&["pss", "page-tables", "kernel-stacks"]),
        "rss" => once(case, pair, run),
        _ => None,
    }
}

fn reason(case: &CaseResult, pair: &Pair) -> Option<String> {
    let finding = case.finding(&pair.subject, &pair.reference)?;
    finding.why.first().cloned()
}

/// `thread against process: 3.1 MiB less page tables, 96.0 KiB less kernel stacks`.
fn parts(case: &CaseResult, pair: &Pair, names: &[&str], run: Run<'_>) -> Option<String> {
    let kinds = names.iter().map(|name| Kind::of(name, None));
    let differences = kinds.map(|kind| {
        let kind = kind?;
        Some((kind, difference(case, pair, kind, run)?))
    });
    let mut differences: Vec<(Kind, f64)> = differences.collect::<Option<_>>()?;
    differences.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let largest = differences.first()?.1.abs();
    let shown = differences
        .iter()
        .filter(|(_, by)| by.abs() > MINOR * largest);
    let words = shown.map(|(kind, by)| {
        let more = if *by < 0.0 { "less" } else { "more" };
        format!("{} {more} {}", kind.unit().show(by.abs()), kind.spoken())
    });
    let (subject, reference) = (&pair.subject, &pair.reference);
    joined(words, ", ").map(|words| format!("{subject} against {reference}: {words}"))
}

fn difference(case: &CaseResult, pair: &Pair, kind: Kind, run: Run<'_>) -> Option<f64> {
    let name = kind.name();
    let of = |label: &str| {
        let found = amounts::found(case, label, (&name, None), run);
        Some(found.ok()?.1.estimate)
    };
    Some(of(&pair.subject)? - of(&pair.reference)?)
}

/// RSS beside the same memory with each shared page counted once, where processes share pages.
fn once(case: &CaseResult, pair: &Pair, run: Run<'_>) -> Option<String> {
    let of = |label: &str| {
        let model = case.labelled(label)?.variant.model;
        let amount = amounts::amount(case, label, ("pss", None), run).ok()?;
        Some((model == flow::Model::Process, plural(label), amount))
    };
    let both = [of(&pair.subject)?, of(&pair.reference)?];
    let any = both.iter().any(|(processes, ..)| *processes);
    let words = both.map(|(_, label, amount)| format!("{label} {amount}"));
    any.then(|| {
        format!(
            "RSS counts a page once for each process that has it; counted once (PSS): {}",
            words.join(", ")
        )
    })
}
