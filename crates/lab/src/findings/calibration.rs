//! What a machine compared with itself tells. A case of `spin` whose first two variants are
//! launched alike is a calibration: of equal work, a difference is false; one planted into the
//! second must be found; with a sampler beside the second, the difference is its cost.

use stats::{LOOK_ALPHA, Verdict, detectable};

use super::compared::too_few;
use super::sampled::sampled;
use super::{CaseResult, Finding};
use crate::data::number::ratio_interval;
use crate::data::words::percent;

pub(super) fn sentences(case: &CaseResult) -> Vec<String> {
    let ([plain, second, ..], Some(finding)) =
        (case.case.variants.as_slice(), case.findings.first())
    else {
        return Vec::new();
    };
    if !case.case.work.is_calibration() || plain.variant != second.variant {
        return Vec::new();
    }
    if plain.sample.is_none() && second.sample.is_some() {
        return vec![cost_of_sampling(case, finding)];
    }
    let own = second.work.as_ref();
    let planted = own.and_then(|own| own.planted_beside(&case.case.work));
    if finding.estimate.and_then(|e| e.interval()).is_none() {
        return vec![not_tried(planted, finding)];
    }
    match planted {
        Some(share) => vec![found(share, finding)],
        None => std::iter::once(identical(finding))
            .chain(resolution(case))
            .collect(),
    }
}

fn cost_of_sampling(case: &CaseResult, finding: &Finding) -> String {
    let said = match finding.verdict {
        Verdict::Same { within } => format!("it costs no more than {}", percent(within)),
        Verdict::Slower { at_least } => format!("it costs at least {}", percent(at_least)),
        Verdict::Faster { .. } => "it seems to help, which cannot be".to_owned(),
        Verdict::CannotTell { .. } => {
            "its cost is too small for these rounds, or too uncertain".to_owned()
        }
    };
    let interval = finding.estimate.and_then(|estimate| {
        let (low, high) = estimate.interval()?;
        let interval = ratio_interval(low, high);
        Some(format!(": a run with it is {interval} than one without it"))
    });
    let medians = case.variants[0].cpu_ns.zip(case.variants[1].cpu_ns);
    let cpu = medians.map(|(without, with)| {
        let ratio = with / without;
        format!(", CPU time of the flows {ratio:.3}x as much (medians)")
    });
    let own = sampled(case, 1).map(|own| {
        let share = percent(own.own_share);
        match own.aside {
            true => format!("; it uses {share} of one CPU itself, one that no flow is bound to"),
            false => format!("; it uses {share} of one CPU itself, which flows may want"),
        }
    });
    let [interval, cpu, own] = [interval, cpu, own].map(Option::unwrap_or_default);
    format!("{}: {said}{interval}{cpu}{own}", case.case.title)
}

/// Too few rounds for an interval find nothing and miss nothing.
fn not_tried(planted: Option<f64>, finding: &Finding) -> String {
    let what = match planted {
        Some(share) => format!("whether a planted {} is found", percent(share)),
        None => "whether identical programs are called different".to_owned(),
    };
    let why = match finding.estimate.map(|estimate| estimate.rounds) {
        None => "no round has a good slot of both".to_owned(),
        Some(rounds) => too_few(rounds),
    };
    format!("{what} was not tried: {why}")
}

fn identical(finding: &Finding) -> String {
    match finding.verdict {
        Verdict::Faster { .. } | Verdict::Slower { .. } => format!(
            "identical programs were called different, which is false: {}; about one such run in twenty \
             is to be expected, more mean that something disturbs this machine",
            finding.sentence
        ),
        Verdict::Same { .. } | Verdict::CannotTell { .. } => {
            "identical programs were not called different, as it should be".to_owned()
        }
    }
}

fn found(share: f64, finding: &Finding) -> String {
    let found = match finding.verdict {
        Verdict::Slower { .. } => "found",
        Verdict::Faster { .. } => "found in the wrong direction",
        Verdict::Same { .. } | Verdict::CannotTell { .. } => "not found",
    };
    format!(
        "a planted {} was {found}: {}",
        percent(share),
        finding.sentence
    )
}

fn is_one(case: &CaseResult) -> bool {
    let is_alike = |pair: &[crate::data::LabelledVariant]| pair[0].variant == pair[1].variant;
    let mut pairs = case.case.variants.windows(2);
    case.case.work.is_calibration() && pairs.next().is_some_and(is_alike)
}

/// `detects differences of 9.8 % in 10 rounds and of 3.1 % in 80`.
pub(super) fn detects_in_words(cases: &[CaseResult]) -> Option<String> {
    let own = cases.iter().filter(|case| is_one(case));
    let noise = own.filter_map(|case| case.noise?.pair).reduce(f64::max)?;
    let least = |rounds| percent(detectable(noise, rounds, LOOK_ALPHA));
    Some(format!(
        "this machine detects differences of {} in 10 rounds and of {} in 80",
        least(10),
        least(80)
    ))
}

fn resolution(case: &CaseResult) -> Option<String> {
    let noise = case.noise?;
    let (spread, pair) = (noise.spread?, noise.pair?);
    let least = |rounds| percent(detectable(pair, rounds, LOOK_ALPHA));
    let looks = [10, 20, 40, 80].map(|rounds| format!("{} in {rounds}", least(rounds)));
    Some(format!(
        "this machine can detect differences of {} in 10 rounds and of {} in 80 (in 95 of 100 \
         runs); equal slots differ by {} over the run and by {} from round to round ({} rounds)",
        least(10),
        least(80),
        percent(spread),
        percent(pair),
        looks.join(", ")
    ))
}
