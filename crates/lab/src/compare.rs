//! Results of several runs or machines side by side.
//!
//! # Theory
//!
//! The first run is the reference; every other one is compared with it, study by study,
//! case by case and variant by variant, each found by its name. What only one of them holds
//! is named and left out.
//!
//! Rounds of two runs are not paired, so slots are taken for two independent samples
//! ([`stats::two_runs`]). Two things may be compared ([`Basis`]): the times themselves, or
//! the ratio of each variant to its reference in the same round, which whatever shifts a
//! whole run leaves alone.
//!
//! No ratio is given unless both sides did the same work: the same parameters, and the same
//! proof of it. Everything else that differs between the runs and matters (machines,
//! versions, settings) is a warning.

mod change;
mod differ;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use stats::{Estimate, Verdict};

use crate::{Case, CaseResult, Metric, Results, SweepPoint, VariantSummary};

/// A run with the name that it has among others.
#[derive(Debug, Clone, Copy)]
pub struct Named<'a> {
    /// Unique among the runs.
    pub name: &'a str,
    /// What it found.
    pub results: &'a Results,
}

/// What is compared between runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The times of slots.
    #[default]
    Times,
    /// The ratio of each slot to that of the reference variant in its round.
    Relative,
}

/// How runs are compared.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct How {
    /// What is compared.
    pub basis: Basis,
    /// Differences within this fraction are none; `None` takes what the runs themselves
    /// call for.
    pub floor: Option<f64>,
}

/// Runs side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SideBySide {
    /// What was compared.
    pub basis: Basis,
    /// The runs, the reference first.
    pub runs: Vec<ComparedRun>,
    /// Studies that the first run and another one hold.
    pub studies: Vec<ComparedStudy>,
    /// What differs between the runs and matters, and what was not compared.
    pub warnings: Vec<String>,
    /// What only some of them hold.
    pub left_out: Vec<String>,
}

/// A run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedRun {
    /// Its name among the others.
    pub name: String,
    /// Host, CPU and kernel, in words.
    pub machine: Vec<String>,
    /// CPUs that its flows could use.
    pub usable_cpus: usize,
    /// Version of flowgauge.
    pub version: String,
    /// When it began, in seconds since 1970.
    pub began_unix_s: u64,
    /// Seed of its random choices.
    pub seed: u64,
    /// Whether it came to its own end.
    pub finished: bool,
}

/// A study of several runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedStudy {
    /// Its name.
    pub name: String,
    /// Its title in the first run.
    pub title: String,
    /// Its cases, in the order of the first run.
    pub cases: Vec<ComparedCase>,
}

/// A case of several runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedCase {
    /// Its name.
    pub name: String,
    /// Its title in the first run.
    pub title: String,
    /// Where it stands in a sweep.
    pub sweep: Option<SweepPoint>,
    /// Which time is compared.
    pub metric: Metric,
    /// One entry a run: the floor of its comparison with the first; none for the first.
    pub floors: Vec<Option<Floor>>,
    /// Its variants, in the order of the first run.
    pub variants: Vec<ComparedVariant>,
}

/// Below which fraction differences are none, and why.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Floor {
    /// The fraction.
    pub fraction: f64,
    /// Where it comes from.
    pub because: FloorFrom,
}

/// Where a floor comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FloorFrom {
    /// It was asked for.
    Asked,
    /// It is the larger floor of the two runs.
    Runs,
    /// So far one of the runs wandered.
    Wander,
}

/// A variant in several runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedVariant {
    /// Its label.
    pub label: String,
    /// One entry a run: its summary there.
    pub sides: Vec<Option<VariantSummary>>,
    /// One entry a run: how it compares with the first; none for the first, and where it is
    /// missing.
    pub changes: Vec<Option<Change>>,
}

/// A variant in one run compared with the same in the first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Time in this run over time in the first (or ratio over ratio), with its interval.
    pub estimate: Option<Estimate>,
    /// Faster, slower, same or cannot tell: this run against the first.
    pub verdict: Verdict,
    /// Values of the first run, and of this one.
    pub values: (usize, usize),
    /// Why there is no comparison.
    pub not_compared: Option<String>,
    /// The whole answer in one sentence.
    pub sentence: String,
}

/// The runs have nothing in common.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{a} and {b} have nothing in common to compare: {a} holds {of_a}, {b} holds {of_b}: name \
     results of the same studies"
)]
pub struct NothingInCommon {
    a: String,
    b: String,
    of_a: String,
    of_b: String,
}

/// Lays runs side by side; the first is the reference.
///
/// # Errors
/// A run has no case with a variant in common with the first.
pub fn compare(runs: &[Named<'_>], how: How) -> Result<SideBySide, NothingInCommon> {
    let Some((first, others)) = runs.split_first() else {
        return Ok(SideBySide::empty(how.basis));
    };
    for other in others {
        if !common(first, other) {
            return Err(nothing_in_common(first, other));
        }
    }
    let mut all = SideBySide::empty(how.basis);
    all.runs = runs.iter().map(compared_run).collect();
    for other in others {
        all.warnings.extend(differ::runs(first, other));
    }
    for run in runs {
        let own = run.results.warnings.iter();
        all.warnings
            .extend(own.map(|warning| format!("{}: {warning}", run.name)));
    }
    let studies = first.results.studies.iter();
    let names = studies.map(|study| (study.study.name.as_str(), study.study.title.as_str()));
    for (name, title) in names {
        let cases = cases(runs, name, how, &mut all.warnings);
        if !cases.is_empty() {
            all.studies.push(ComparedStudy {
                name: name.to_owned(),
                title: title.to_owned(),
                cases,
            });
        }
    }
    all.left_out = differ::left_out(runs);
    Ok(all)
}

impl SideBySide {
    fn empty(basis: Basis) -> Self {
        Self {
            basis,
            runs: Vec::new(),
            studies: Vec::new(),
            warnings: Vec::new(),
            left_out: Vec::new(),
        }
    }

    /// Every change with its place: study, case, variant, and the place of its run.
    pub fn changes(
        &self,
    ) -> impl Iterator<
        Item = (
            &ComparedStudy,
            &ComparedCase,
            &ComparedVariant,
            usize,
            &Change,
        ),
    > {
        self.studies.iter().flat_map(|study| {
            study.cases.iter().flat_map(move |case| {
                case.variants.iter().flat_map(move |variant| {
                    let changes = variant.changes.iter().enumerate();
                    changes.filter_map(move |(run, change)| {
                        Some((study, case, variant, run, change.as_ref()?))
                    })
                })
            })
        })
    }

    /// What is slower than in the first run by at least `fraction`: the whole interval says
    /// so, and lies beyond the floor.
    pub fn regressions(&self, fraction: f64) -> Vec<String> {
        let slower = |change: &&Change| {
            let low = change.estimate.and_then(|estimate| estimate.low);
            matches!(change.verdict, Verdict::Slower { .. })
                && low.is_some_and(|low| low >= 1.0 + fraction)
        };
        let changes = self.changes().filter(|(.., change)| slower(change));
        changes
            .map(|(study, case, _, _, change)| {
                format!("{}/{}: {}", study.name, case.name, change.sentence)
            })
            .collect()
    }

    /// How many comparisons neither show nor rule out a regression by `fraction`.
    #[must_use]
    pub fn undecided(&self, fraction: f64) -> usize {
        let open = |change: &Change| match change.estimate.and_then(|e| e.interval()) {
            Some((_, high)) => high >= 1.0 + fraction,
            None => true,
        };
        let all = self.changes().filter(|(.., change)| open(change)).count();
        all - self.regressions(fraction).len()
    }
}

fn compared_run(run: &Named<'_>) -> ComparedRun {
    let header = &run.results.header;
    let machine = &header.machine;
    ComparedRun {
        name: run.name.to_owned(),
        machine: vec![
            machine.host.to_string(),
            machine.processor.model.to_string(),
            format!("kernel {}", machine.kernel.release),
        ],
        usable_cpus: machine.usable_cpus(),
        version: header.version.clone(),
        began_unix_s: header.began_unix_s,
        seed: header.settings.seed,
        finished: run.results.finished,
    }
}

/// The cases of a study in all runs.
fn cases(
    runs: &[Named<'_>],
    study: &str,
    how: How,
    warnings: &mut Vec<String>,
) -> Vec<ComparedCase> {
    let first = differ::cases_of(&runs[0], study);
    first
        .filter_map(|case| {
            let sides: Vec<_> = runs
                .iter()
                .map(|run| find(run, study, &case.case.name))
                .collect();
            let shared = sides.iter().flatten().count() > 1;
            shared.then(|| compared_case(runs, study, case, &sides, how, warnings))
        })
        .collect()
}

fn compared_case(
    runs: &[Named<'_>],
    study: &str,
    first: &CaseResult,
    sides: &[Option<&CaseResult>],
    how: How,
    warnings: &mut Vec<String>,
) -> ComparedCase {
    let others = || runs.iter().zip(sides).skip(1);
    for (run, side) in others() {
        let side = side.iter();
        warnings.extend(side.flat_map(|side| differ::cases(study, (&runs[0], first), (run, side))));
    }
    let comparing = change::Comparing::new(runs, first, sides, how);
    ComparedCase {
        name: first.case.name.clone(),
        title: first.case.title.clone(),
        sweep: first.case.sweep.clone(),
        metric: first.case.metric,
        floors: (0..runs.len()).map(|run| comparing.floor(run)).collect(),
        variants: first
            .variants
            .iter()
            .filter(|variant| has_more_than_one(sides, &variant.label))
            .map(|variant| ComparedVariant {
                label: variant.label.clone(),
                sides: sides
                    .iter()
                    .map(|side| summary(side.as_ref()?, &variant.label).cloned())
                    .collect(),
                changes: (0..runs.len())
                    .map(|run| comparing.change(run, &variant.label))
                    .collect(),
            })
            .collect(),
    }
}

fn has_more_than_one(sides: &[Option<&CaseResult>], label: &str) -> bool {
    let with = sides
        .iter()
        .flatten()
        .filter(|side| summary(side, label).is_some());
    with.count() > 1
}

fn summary<'a>(case: &'a CaseResult, label: &str) -> Option<&'a VariantSummary> {
    case.variants.iter().find(|variant| variant.label == label)
}

fn find<'a>(run: &Named<'a>, study: &str, case: &str) -> Option<&'a CaseResult> {
    differ::cases_of(run, study).find(|result| result.case.name == case)
}

/// Whether a case of both has a variant of both.
fn common(a: &Named<'_>, b: &Named<'_>) -> bool {
    a.results.studies.iter().any(|study| {
        study.cases.iter().any(|case| {
            let other = find(b, &study.study.name, &case.case.name);
            other.is_some_and(|other| shares_label(&case.case, &other.case))
        })
    })
}

fn shares_label(a: &Case, b: &Case) -> bool {
    let has = |label: &str| b.variants.iter().any(|variant| variant.label == label);
    a.variants.iter().any(|variant| has(&variant.label))
}

fn nothing_in_common(a: &Named<'_>, b: &Named<'_>) -> NothingInCommon {
    let holds = |run: &Named<'_>| {
        let studies = run.results.studies.iter().map(|study| {
            let cases = study.cases.iter().map(|case| case.case.name.as_str());
            format!(
                "{} ({})",
                study.study.name,
                cases.collect::<Vec<_>>().join(", ")
            )
        });
        studies.collect::<Vec<_>>().join(" and ")
    };
    NothingInCommon {
        a: a.name.to_owned(),
        b: b.name.to_owned(),
        of_a: holds(a),
        of_b: holds(b),
    }
}
