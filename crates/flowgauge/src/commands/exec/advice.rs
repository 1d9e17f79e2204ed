//! What to take: the variant with the least typical time, those that the rounds cannot tell from
//! it, and what the others lose.
//!
//! The best one was chosen by the same rounds that it is compared by, which makes it look a little
//! better than it is. So nobody is said to lose whose interval does not lie wholly above the best,
//! all comparisons share one error rate, and with fewer rounds than an interval needs nothing is said.

use lab::{CaseResult, Results};
use stats::{Rule, Summary, Verdict};

/// Fewer variants than this need no advice beyond their verdict.
const LEAST_VARIANTS: usize = 3;

/// One sentence for each case that compares several variants.
pub(super) fn sentences(results: &Results) -> Vec<String> {
    let cases = results.studies.iter().flat_map(|study| &study.cases);
    // Numbers of flows alone have their own sentence.
    let asked =
        cases.filter(|case| case.variants.len() >= LEAST_VARIANTS && case.optimum.is_none());
    asked.filter_map(sentence).collect()
}

/// Of changes from outside, those that were found to help; nothing undecided.
pub(super) fn helps(results: &Results) -> Vec<String> {
    let cases = results.studies.iter().flat_map(|study| &study.cases);
    let findings = cases.flat_map(|case| &case.findings);
    let faster = findings.filter(|finding| matches!(finding.verdict, Verdict::Faster { .. }));
    let said: Vec<String> = faster
        .map(|finding| format!("Helps: {}", finding.sentence))
        .collect();
    match said.is_empty() {
        true => vec!["Nothing from outside was found to help".to_owned()],
        false => said,
    }
}

/// The values of a variant by round.
fn values(case: &CaseResult, at: usize) -> Vec<Option<f64>> {
    let rounds = case
        .slots
        .iter()
        .map(|slot| slot.round + 1)
        .max()
        .unwrap_or(0);
    let mut all = vec![None; rounds];
    for slot in case.slots.iter().filter(|slot| slot.variant == at) {
        all[slot.round] = slot.value_ns;
    }
    all
}

fn typical(values: &[Option<f64>]) -> Option<f64> {
    let there: Vec<f64> = values.iter().copied().flatten().collect();
    Summary::of(&there).ok().map(|summary| summary.typical)
}

fn sentence(case: &CaseResult) -> Option<String> {
    let all: Vec<Vec<Option<f64>>> = (0..case.variants.len())
        .map(|at| values(case, at))
        .collect();
    let measured = all
        .iter()
        .enumerate()
        .filter_map(|(at, values)| Some((at, typical(values)?)));
    let (best, _) = measured.min_by(|a, b| a.1.total_cmp(&b.1))?;
    let rule = Rule {
        floor: case.findings.first().map_or(0.01, |finding| finding.floor),
        comparisons: case.variants.len() - 1,
    };
    let (mut alike, mut losing) = (Vec::new(), Vec::new());
    for (at, own) in all.iter().enumerate().filter(|(at, _)| *at != best) {
        let label = case.variants[at].label.as_str();
        let pairs = all[best]
            .iter()
            .zip(own)
            .filter_map(|(best, own)| Some(((*best)?, (*own)?)));
        let (of_best, of_own): (Vec<f64>, Vec<f64>) = pairs.unzip();
        let (estimate, verdict) = rule.judge_values(&of_best, &of_own).ok()?;
        let (low, high) = estimate.interval()?;
        match verdict {
            Verdict::Slower { .. } => losing.push(format!(
                "{label} takes {:.2} times as long [{low:.2}, {high:.2}]",
                estimate.ratio
            )),
            _ => alike.push(label),
        }
    }
    let alike = match alike.as_slice() {
        [] => "nothing else is as good".to_owned(),
        labels => format!("not distinguishable from it: {}", labels.join(", ")),
    };
    let losing = match losing.as_slice() {
        [] => String::new(),
        losing => format!("; {}", losing.join("; ")),
    };
    let best = &case.variants[best].label;
    Some(format!(
        "Advice: {best} has the least typical time; {alike}{losing}"
    ))
}
