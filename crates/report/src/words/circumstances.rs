//! How a case was run, and what is missing of it.

use lab::{CaseResult, Metric, Results};

use super::{many, run_again};
use crate::number::percent;
use crate::text::TIE;
use lab::data::gathered::{distinct, grouped};

/// `2 CPUs`, `20 rounds x 5`, `noise 2.1 %`, each of which stays on one line.
pub(crate) fn circumstances(results: &Results, case: &CaseResult) -> Vec<String> {
    let cpus = results.header.machine.usable_cpus();
    let mut parts = vec![many(cpus as u64, "CPU")];
    if !case.slots.is_empty() {
        parts.push(match case.rounds {
            0 => "no whole round".to_owned(),
            rounds => format!("{} x {}", many(rounds as u64, "round"), case.reps),
        });
    }
    if case.case.metric != Metric::Total {
        parts.push(format!("{} only", case.case.metric.name()));
    }
    let noise = case.noise.and_then(|noise| noise.pair.or(noise.spread));
    parts.push(match noise {
        Some(noise) => format!("noise {}", percent(noise)),
        None => "noise n/a (fewer than 5 rounds)".to_owned(),
    });
    one_line_each(parts)
}

fn one_line_each(parts: Vec<String>) -> Vec<String> {
    let parts = parts.into_iter();
    let parts = parts.map(|part| part.replace(' ', &TIE.to_string()));
    parts.collect()
}

/// `10 to 20 rounds x 2`, `noise up to 2.1 %`: of several cases.
pub(crate) fn noise_of(cases: &[&CaseResult]) -> Vec<String> {
    let mut parts = vec![many(cases.len() as u64, "operation")];
    let rounds = || cases.iter().map(|case| case.rounds as u64);
    if let (Some(least), Some(most)) = (rounds().min(), rounds().max()) {
        parts.push(if least == most {
            many(most, "round")
        } else {
            format!("{least} to {}", many(most, "round"))
        });
    }
    let noise = cases
        .iter()
        .filter_map(|case| case.noise.and_then(|noise| noise.pair));
    if let Some(most) = noise.max_by(f64::total_cmp) {
        parts.push(format!("noise up to {}", percent(most)));
    }
    one_line_each(parts)
}

pub(crate) fn cut_short_together<'a>(
    results: &Results,
    cases: impl Iterator<Item = (&'a CaseResult, impl AsRef<str>)>,
) -> Vec<String> {
    let cut = cases.filter_map(|(case, name)| {
        let why = results.stopped(case)?;
        Some((why, name.as_ref().to_owned()))
    });
    let cut = grouped(cut).into_iter();
    cut.map(|(why, names)| format!("{}: {why}", names.join(", ")))
        .collect()
}

pub(crate) fn not_counted(case: &CaseResult) -> Vec<String> {
    let variants = case.variants.iter();
    let lines = distinct(variants.flat_map(|variant| &variant.not_counted)).into_iter();
    lines.map(|line| format!("not available: {line}")).collect()
}

pub(crate) fn ending(results: &Results, folder: &str) -> Option<String> {
    if results.finished {
        return None;
    }
    let how = match results.interrupted {
        Some(signal) => format!("Interrupted by signal {signal}"),
        None => "The run did not finish".to_owned(),
    };
    let command = run_again(results);
    Some(format!(
        "{how}: what was finished is kept. To continue: flowgauge run --resume {folder}. To run it \
         again in full: {command}"
    ))
}
