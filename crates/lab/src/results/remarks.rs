//! What a study says beyond its findings: sentences that take more than one case.

use flow::{Answer, Failure, Schedule};

use super::crossover::{Crossing, Point, crossing};
use super::{CaseResult, Finding, VariantSummary};
use crate::Study;
use crate::words::{plural, thousands};

/// Flows whose CPU times lie further apart than this have uneven work.
const UNEVEN: f64 = 1.2;

/// What "costs more than so much" means: levels of a ratio, and how each is said.
const LEVELS: [(f64, &str); 3] = [(1.01, "1 %"), (1.10, "10 %"), (2.0, "2x")];

/// The study's sentences: the headline first.
pub(crate) fn sentences(study: &Study, cases: &[CaseResult]) -> Vec<String> {
    let headline = cases.iter().find(|case| case.case.name == study.headline);
    let headline = headline.and_then(|case| case.findings.first());
    let mut sentences: Vec<String> = headline.iter().map(|f| f.sentence.clone()).collect();
    sentences.extend(cases.iter().filter_map(uneven));
    sentences.extend(cases.iter().filter_map(isolation));
    sentences.extend(crossovers(cases));
    sentences
}

/// How uneven the work of a case is, and what a queue makes of it.
fn uneven(case: &CaseResult) -> Option<String> {
    let (label, worst) = unevenness(case, Schedule::Static)?;
    if worst < UNEVEN {
        return None;
    }
    let mut sentence = format!(
        "{}: the work is uneven, the busiest flow of {} computes {worst:.2}x as long as the idlest",
        case.case.name,
        plural(label)
    );
    if let Some((queue, with)) = unevenness(case, Schedule::Queue) {
        sentence += &format!("; a queue makes it {with:.2}x ({queue})");
    }
    Some(sentence)
}

/// The variant of a schedule whose flows' CPU times lie furthest apart, and how far.
fn unevenness(case: &CaseResult, schedule: Schedule) -> Option<(&str, f64)> {
    let variants = case.case.variants.iter().zip(&case.variants);
    variants
        .filter(|(labelled, _)| labelled.variant.schedule == schedule)
        .filter_map(|(labelled, summary)| {
            Some((labelled.label.as_str(), most_over_least(summary)?))
        })
        .max_by(|a, b| a.1.total_cmp(&b.1))
}

fn most_over_least(summary: &VariantSummary) -> Option<f64> {
    let cpu = || summary.flows.iter().map(|flow| flow.steady.cpu_ns);
    let (least, most) = (cpu().min()?, cpu().max()?);
    (least > 0).then(|| most as f64 / least as f64)
}

/// What was lost and what was kept when flows failed.
fn isolation(case: &CaseResult) -> Option<String> {
    let said: Vec<String> = (0..case.variants.len())
        .filter_map(|variant| variant_isolation(case, variant))
        .collect();
    (!said.is_empty()).then(|| format!("{}: {}", case.case.name, said.join("; ")))
}

fn variant_isolation(case: &CaseResult, variant: usize) -> Option<String> {
    let slots = case.slots.iter().filter(|slot| slot.variant == variant);
    let reason = slots.filter_map(|slot| match &slot.outcome.answer {
        Answer::Failed { reason, .. } => Some(reason),
        Answer::Done(_) => None,
    });
    let under = plural(&case.case.variants[variant].label);
    reason.filter_map(|reason| said_of(reason, &under)).next()
}

fn said_of(reason: &Failure, under: &str) -> Option<String> {
    match reason {
        Failure::FlowsDied { died, flows, how } => Some(format!(
            "under {under} {died} of {flows} flows died ({how}) and the results of the other {} were kept",
            flows - died
        )),
        Failure::SlotLost { flows, how, .. } => Some(format!(
            "under {under} the whole slot was lost with its {flows} flows ({how})"
        )),
        Failure::Hung { hung, flows, .. } => Some(format!(
            "under {under} {hung} of {flows} flows hung and were killed"
        )),
        _ => None,
    }
}

/// A sentence for each sweep and each variant in it that is compared.
fn crossovers(cases: &[CaseResult]) -> Vec<String> {
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

fn sweep_crossovers(cases: &[CaseResult], sweep: &str) -> Vec<String> {
    let of_sweep = |case: &&CaseResult| case.case.sweep.as_ref().is_some_and(|s| s.sweep == sweep);
    let mut cases: Vec<&CaseResult> = cases.iter().filter(of_sweep).collect();
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
        let (low, at, high) = crossing(&points, *level)?;
        Some(format!(
            "more than {name} {}",
            place_words(low, at, high, &sweep.unit)
        ))
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
    let (low, high) = estimate
        .interval()
        .unwrap_or((estimate.ratio, estimate.ratio));
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

/// "below about 110,000 numbers [90,000 ... 160,000]".
fn place_words(low: Crossing, at: Crossing, high: Crossing, unit: &str) -> String {
    match at {
        Crossing::Below(least) => format!("nowhere from {} {unit} on", thousands(least)),
        Crossing::Above(most) => format!("everywhere up to {} {unit}", thousands(most)),
        Crossing::At(at) => format!(
            "below about {} {unit} [{} ... {}]",
            thousands(rounded(at)),
            end(low),
            end(high)
        ),
    }
}

fn end(crossing: Crossing) -> String {
    match crossing {
        Crossing::Below(least) => format!("under {}", thousands(least)),
        Crossing::At(at) => thousands(rounded(at)),
        Crossing::Above(most) => format!("over {}", thousands(most)),
    }
}

/// Two significant digits: more would claim what an interpolation does not know.
fn rounded(value: f64) -> f64 {
    let scale = 10f64.powf(value.log10().floor() - 1.0);
    (value / scale).round() * scale
}
