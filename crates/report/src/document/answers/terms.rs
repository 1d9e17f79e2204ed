//! Names that a stranger cannot know: the study's words for its labels, else those for the model.

use lab::{Answer, CaseResult, Results, StudyResult};

use super::asked::labels;
use lab::data::gathered::{distinct, grouped};

/// `Terms: fiber-packed: user-level threads, …; by pointer: …` of variants in rows.
pub(super) fn terms<'a>(
    results: &Results,
    rows: impl Iterator<Item = &'a Answer>,
) -> Option<String> {
    let named: Vec<(&StudyResult, &CaseResult, Vec<&str>)> = match &results.studies[..] {
        [study] => {
            let headline = study.headline_case().into_iter();
            headline
                .map(|case| (study, case, labels(case).collect()))
                .collect()
        }
        studies => rows
            .filter_map(|row| {
                let study = &studies[row.place];
                let case = study.cases.iter().find(|case| case.case.name == row.case)?;
                let names = [&row.subject, &row.reference].into_iter().flatten();
                let named = names
                    .map(String::as_str)
                    .filter(|_| !row.is_on_threads_and_processes());
                Some((study, case, named.collect()))
            })
            .collect(),
    };
    let said = named.into_iter().flat_map(|(study, case, names)| {
        let names = names.into_iter();
        names.filter_map(move |label| Some((gloss(study, case, label)?, label)))
    });
    let lines = grouped(distinct(said)).into_iter();
    let lines = lines.map(|(gloss, labels)| format!("{}: {gloss}", labels.join(", ")));
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| format!("Terms: {}", lines.join("; ")))
}

fn gloss<'a>(study: &'a StudyResult, case: &CaseResult, label: &str) -> Option<&'a str> {
    let model = || {
        let mut variants = case.case.variants.iter();
        variants
            .find(|own| own.label == label)?
            .variant
            .model
            .gloss()
    };
    let own = study.study.terms.get(label).map(String::as_str);
    own.or_else(model)
}
