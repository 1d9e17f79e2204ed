//! `flowgauge exec`: answers, proofs, failures with their last words, and nothing left behind
//! whatever the command or the end of the run.

mod answers;
mod endings;
mod failures;
mod hyperfine;
mod launches;
mod plans;
mod refusals;
mod servers;

use super::common::{Home, Run, results};

/// A run of few rounds into `out`.
fn exec(home: &Home, arguments: &[&str]) -> Run {
    let mut all = vec!["exec", "--out", "out", "--rounds", "2"];
    all.extend(arguments);
    home.run(&all)
}

/// The reason why slots failed, as the results have it.
fn failure(home: &Home) -> String {
    let results = results(&home.path("out"));
    let variants = results.studies[0]
        .cases
        .iter()
        .flat_map(|case| &case.variants);
    let failures = variants.flat_map(|variant| &variant.failures);
    failures
        .map(|(_, reason)| reason.clone())
        .next()
        .unwrap_or_default()
}
