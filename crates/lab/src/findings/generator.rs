//! Whether the generator of a load was the limit, and not the server. The built-in one has one thread: near one whole
//! CPU it can send no more, and what is late on a free connection is late by the generator. The CPU share of a
//! generator that is a command limits nothing: it may have more threads.

use super::{CaseResult, StudyResult};
use crate::data::median;
use crate::data::number::{plain, significant, time};

/// CPU share at which a generator of one thread is at its limit.
const MOST_CPU: f64 = 0.8;
/// Lateness over latency from which it measures itself.
const MOST_LATE: f64 = 0.5;
const KEEPS_UP: f64 = 0.95;

pub(super) fn counted(case: &CaseResult, at: usize, name: &str) -> Vec<u64> {
    let own = case
        .reps_of(at)
        .filter_map(|rep| rep.self_managed.as_deref());
    own.filter_map(|own| own.counts.get(name).copied())
        .collect()
}

pub(super) fn cpu_share(case: &CaseResult, at: usize) -> Option<f64> {
    let sum = |name: &str| counted(case, at, name).iter().sum::<u64>();
    let there = match sum("load_ns") {
        0 => case.reps_of(at).map(|rep| rep.steady_ns).sum(),
        there => there,
    };
    (there > 0).then(|| sum("load_cpu_ns") as f64 / there as f64)
}

fn limit(case: &CaseResult, at: usize) -> Option<String> {
    if counted(case, at, "load_ns").is_empty() {
        return None;
    }
    if let Some(share) = cpu_share(case, at).filter(|&share| share >= MOST_CPU) {
        return Some(format!(
            "the load generator used {:.0} % of one CPU, which is all that its one thread can use",
            100.0 * share
        ));
    }
    let middle = |name: &str| {
        let counts = counted(case, at, name);
        median(counts.into_iter().map(|count| count as f64))
    };
    let late = middle("lateness_p99_ns")?;
    let whole = case.variants.get(at)?.requests.as_ref()?.p99_ns as f64;
    (late > MOST_LATE * whole).then(|| {
        format!(
            "the load generator sent {} late on connections that were free (p99; the p99 latency is {})",
            time(late),
            time(whole)
        )
    })
}

pub(super) fn is_compared(case: &CaseResult) -> Option<String> {
    case.case.work.served()?;
    let limits = (0..case.variants.len()).filter_map(|at| Some((at, limit(case, at)?)));
    let limits: Vec<(usize, String)> = limits.collect();
    let [(first, why), .., _] = &limits[..] else {
        return None;
    };
    let label = &case.variants.get(*first)?.label;
    Some(format!(
        "the client is the limit in {} of {} servers ({label}: {why}); give it CPUs of its own \
         (--load-cpus) or ask for less",
        limits.len(),
        case.variants.len()
    ))
}

/// At most one warning for each rate and variant.
pub(super) fn behind(studies: &[StudyResult]) -> Vec<String> {
    let cases = studies.iter().flat_map(|study| &study.cases);
    let all = cases.flat_map(|case| {
        let variants = 0..case.variants.len();
        variants.filter_map(move |at| warning(case, at))
    });
    all.collect()
}

fn warning(case: &CaseResult, at: usize) -> Option<String> {
    let served = case.case.work_of(at).served()?;
    let variant = case.variants.get(at)?;
    let answered = variant.requests.as_ref()?.per_s;
    let offered = served.rate().filter(|rate| answered < KEEPS_UP * rate);
    let label = &variant.label;
    let fell = offered.map(|offered| {
        format!(
            "{label} answered {} of the {} requests a second that it was asked",
            significant(answered),
            plain(offered)
        )
    });
    match (fell, limit(case, at)) {
        (Some(fell), Some(limit)) => Some(format!(
            "{fell}, and {limit}: the generator may be what fell behind, and not the server"
        )),
        (Some(fell), None) => Some(format!(
            "{fell}: its latencies are those of a server that falls behind"
        )),
        (None, Some(limit)) => Some(format!(
            "{label}: {limit}: the figures are in part those of the generator; give it CPUs with --load-cpus, \
             or name a command with more threads with --load"
        )),
        (None, None) => None,
    }
}
