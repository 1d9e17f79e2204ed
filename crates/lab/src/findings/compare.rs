//! Results of several runs or machines side by side (docs/method.md, "Two runs"). The first run is
//! the reference for study, case and variant, found by name; what only one holds is named and left
//! out. Compared are times, or ratios to the reference of the round ([`Basis`]); of one variant,
//! and of two builds of one work, times only. No ratio is given unless both sides had the same
//! parameters and proved the same work. What else differs and matters is a warning. How many flows
//! there can be is laid side by side without a verdict.

mod change;
mod common;
mod differ;
mod limits;
mod model;
mod series;
#[cfg(test)]
mod tests;

pub use change::unseen;
pub use model::{
    Basis, Change, Common, ComparedCase, ComparedLimit, ComparedRun, ComparedStudy,
    ComparedVariant, Floor, FloorFrom, How, Named, Placed, Series, SeriesChange, SeriesPoint,
    SideBySide,
};

use crate::data::gathered::distinct;
use crate::findings::CaseResult;

/// Two runs without a study and variants that both have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{a} and {b} have nothing in common to compare: {a} holds {of_a}, {b} holds {of_b}: name \
     results of the same studies and variants"
)]
pub struct NothingInCommon {
    a: String,
    b: String,
    of_a: String,
    of_b: String,
}

/// Lays runs side by side, the first as reference; an error where one has nothing in common.
pub fn compare(runs: &[Named<'_>], how: How) -> Result<SideBySide, NothingInCommon> {
    let Some((first, others)) = runs.split_first() else {
        return Ok(SideBySide {
            basis: how.basis,
            ..SideBySide::default()
        });
    };
    for other in others {
        if !common(first, other) {
            return Err(nothing_in_common(first, other));
        }
    }
    let warnings = others.iter().flat_map(|other| differ::runs(first, other));
    let mut all = SideBySide {
        basis: how.basis,
        runs: runs.iter().map(compared_run).collect(),
        warnings: distinct(warnings),
        ..SideBySide::default()
    };
    for run in runs {
        let own = run.results.warnings.iter();
        all.warnings
            .extend(own.map(|warning| format!("{}: {warning}", run.name)));
    }
    let studies = first.results.studies.iter();
    let names = studies.map(|study| (study.study.name.as_str(), study.study.title.as_str()));
    for (name, title) in names {
        let cases = cases(runs, name, how, &mut all.warnings);
        let limits = limits::side_by_side(runs, name);
        if !cases.is_empty() || !limits.is_empty() {
            all.studies.push(ComparedStudy {
                name: name.to_owned(),
                title: title.to_owned(),
                cases,
                limits,
            });
        }
    }
    let common = |run| (run > 0).then(|| Common::of(&all, run)).flatten();
    all.common = (0..runs.len()).map(common).collect();
    for (run, common) in runs.iter().zip(&all.common) {
        let said = common.and_then(|common| common.sentence(run.name, first.name));
        all.warnings.extend(said);
    }
    all.left_out = differ::left_out(runs);
    all.gone = differ::gone(runs);
    all.series = series::series(runs);
    Ok(all)
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

fn cases(
    runs: &[Named<'_>],
    study: &str,
    how: How,
    warnings: &mut Vec<String>,
) -> Vec<ComparedCase> {
    let compared = runs[0].results.cases_of(study).filter_map(|case| {
        let sides = runs
            .iter()
            .map(|run| run.results.case_named(study, &case.case.name));
        let sides: Vec<_> = sides.collect();
        let shared = sides.iter().flatten().count() > 1;
        shared.then(|| compared_case(runs, study, case, &sides, how, warnings))
    });
    compared.collect()
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
    let has_reference = first.variants.len() > 1;
    let mut sides_there = sides.iter().flatten();
    // Of another build the reference is another one too.
    let how = match has_reference && !sides_there.any(|side| differ::are_builds(first, side)) {
        true => how,
        false => How {
            basis: Basis::Times,
            ..how
        },
    };
    let comparing = change::Comparing::new(runs, first, sides, how);
    ComparedCase {
        name: first.case.name.clone(),
        title: first.case.title.clone(),
        sweep: first.case.sweep.clone(),
        metric: first.case.metric,
        basis: how.basis,
        floors: (0..runs.len()).map(|run| comparing.floor(run)).collect(),
        variants: first
            .variants
            .iter()
            .filter(|variant| has_more_than_one(sides, &variant.label))
            .map(|variant| ComparedVariant {
                label: variant.label.clone(),
                sides: sides
                    .iter()
                    .map(|side| side.as_ref()?.summary(&variant.label).cloned())
                    .collect(),
                changes: (0..runs.len())
                    .map(|run| comparing.change(run, &variant.label))
                    .collect(),
            })
            .collect(),
    }
}

fn has_more_than_one(sides: &[Option<&CaseResult>], label: &str) -> bool {
    let sides = sides.iter().flatten();
    sides.filter_map(|side| side.summary(label)).count() > 1
}

fn common(a: &Named<'_>, b: &Named<'_>) -> bool {
    a.results.studies.iter().any(|study| {
        let limits = || limits::side_by_side(&[*a, *b], &study.study.name);
        !limits().is_empty()
            || study.cases.iter().any(|case| {
                let other = b.results.case_named(&study.study.name, &case.case.name);
                let mut variants = case.case.variants.iter();
                other.is_some_and(|other| variants.any(|one| other.place(&one.label).is_some()))
            })
    })
}

fn nothing_in_common(a: &Named<'_>, b: &Named<'_>) -> NothingInCommon {
    let [of_a, of_b] = [a, b].map(|run| holds(run, false));
    let is_by_variants = of_a == of_b;
    NothingInCommon {
        a: a.name.to_owned(),
        b: b.name.to_owned(),
        of_a: holds(a, is_by_variants),
        of_b: holds(b, is_by_variants),
    }
}

const SHOWN: usize = 3;

fn holds(run: &Named<'_>, with_variants: bool) -> String {
    let case = |case: &CaseResult| {
        let labels: Vec<&str> = case.variants.iter().map(|one| one.label.as_str()).collect();
        match with_variants {
            true => format!("{}: {}", case.case.name, labels.join(", ")),
            false => case.case.name.clone(),
        }
    };
    let studies = run.results.studies.iter().map(|study| {
        let shown = study.cases.iter().take(SHOWN).map(case);
        let more = study.cases.len().saturating_sub(SHOWN);
        let more = (more > 0).then(|| format!("{more} more"));
        let cases: Vec<String> = shown.chain(more).collect();
        format!("{} ({})", study.study.name, cases.join("; "))
    });
    studies.collect::<Vec<_>>().join(" and ")
}
