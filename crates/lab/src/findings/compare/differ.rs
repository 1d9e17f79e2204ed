use serde::Serialize;
use serde_json::Value as Json;

use workload::Work;

use super::Named;
use crate::data::LabelledVariant;
use crate::data::number::plain;
use crate::findings::CaseResult;

pub(super) fn cases_of<'a>(run: &Named<'a>, study: &str) -> impl Iterator<Item = &'a CaseResult> {
    let studies = run.results.studies.iter();
    studies
        .filter(move |result| result.study.name == study)
        .flat_map(|result| &result.cases)
}

pub(super) fn runs(a: &Named<'_>, b: &Named<'_>) -> Vec<String> {
    let (x, y) = (&a.results.header, &b.results.header);
    let mut found = machine::differences(&x.machine, &y.machine);
    if x.version != y.version {
        found.push(format!("flowgauge: {} against {}", x.version, y.version));
    }
    for (name, of) in SETTINGS {
        let (x, y) = (of(&x.settings), of(&y.settings));
        if x != y {
            found.push(format!("{name}: {x} against {y}"));
        }
    }
    let mut warnings = Vec::new();
    if !found.is_empty() {
        let found = found.join("; ");
        warnings.push(format!("{} and {} differ in {found}", a.name, b.name));
    }
    for run in [a, b] {
        if !run.results.finished {
            warnings.push(format!("{} did not come to its end", run.name));
        }
    }
    warnings
}

type Setting = (&'static str, fn(&crate::data::Settings) -> String);

/// These change what is measured, not only its duration.
const SETTINGS: [Setting; 2] = [
    ("preset", |settings| word(&settings.preset)),
    ("value of a slot", |settings| word(&settings.value)),
];

fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Json::String(word)) => word,
        Ok(other) => other.to_string(),
        Err(_) => String::new(),
    }
}

pub(super) fn cases(
    study: &str,
    (a, x): (&Named<'_>, &CaseResult),
    (b, y): (&Named<'_>, &CaseResult),
) -> Vec<String> {
    let case = format!("{study}/{}", x.case.name);
    let mut found = Vec::new();
    if x.reps != y.reps && x.reps > 0 && y.reps > 0 {
        found.push(format!("{} repetitions a slot against {}", x.reps, y.reps));
    }
    for variant in &x.case.variants {
        let builds = builds(x, y, &variant.label);
        let builds = builds.map(|[x, y]| format!("two builds: {x} against {y}"));
        found.extend(builds.filter(|one| !found.contains(one)));
        let other = y.case.variants.iter().find(|v| v.label == variant.label);
        let launched = other
            .map(|other| launched(variant, other))
            .unwrap_or_default();
        if !launched.is_empty() {
            found.push(format!(
                "{} is launched with {}",
                variant.label,
                launched.join(", ")
            ));
        }
    }
    if found.is_empty() {
        return found;
    }
    vec![format!(
        "{case} of {} and {}: {}",
        a.name,
        b.name,
        found.join("; ")
    )]
}

fn launched(a: &LabelledVariant, b: &LabelledVariant) -> Vec<String> {
    fields(&a.variant, &b.variant)
}

fn work_of(case: &CaseResult, label: &str) -> Work {
    let variant = case.case.variants.iter().find(|v| v.label == label);
    let own = variant.and_then(|v| v.work.clone());
    own.unwrap_or_else(|| case.case.work.clone())
}

fn builds(x: &CaseResult, y: &CaseResult, label: &str) -> Option<[String; 2]> {
    let ((of_x, x), (of_y, y)) = (work_of(x, label).build()?, work_of(y, label).build()?);
    (of_x == of_y && x != y).then_some([x, y])
}

pub(super) fn are_builds(x: &CaseResult, y: &CaseResult) -> bool {
    let mut variants = x.case.variants.iter();
    variants.any(|variant| builds(x, y, &variant.label).is_some())
}

pub(super) fn work(a: (&CaseResult, &str), b: (&CaseResult, &str)) -> Option<String> {
    let of = |(case, label)| {
        let work = work_of(case, label);
        work.build().map_or(work, |(of_any, _)| of_any)
    };
    let differing = fields(&of(a), &of(b));
    if !differing.is_empty() {
        return Some(format!("other work: {}", differing.join(", ")));
    }
    (a.0.case.metric != b.0.case.metric).then(|| {
        let (x, y) = (word(&a.0.case.metric), word(&b.0.case.metric));
        format!("another time is compared: {x} against {y}")
    })
}

fn fields(a: &impl Serialize, b: &impl Serialize) -> Vec<String> {
    let (a, b) = (serde_json::to_value(a), serde_json::to_value(b));
    let (Ok(Json::Object(a)), Ok(Json::Object(b))) = (a, b) else {
        return Vec::new();
    };
    let mut names: Vec<&String> = a.keys().chain(b.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let shown = |value: Option<&Json>| match value {
        None => "none".to_owned(),
        Some(Json::String(text)) => text.clone(),
        Some(Json::Number(number)) if number.is_u64() => plain(number.as_f64().unwrap_or(f64::NAN)),
        Some(other) => other.to_string(),
    };
    let differing = names
        .into_iter()
        .filter(|name| a.get(*name) != b.get(*name));
    differing
        .map(|name| {
            format!(
                "{name} {} against {}",
                shown(a.get(name)),
                shown(b.get(name))
            )
        })
        .collect()
}

pub(super) fn left_out(runs: &[Named<'_>]) -> Vec<String> {
    let Some((first, others)) = runs.split_first() else {
        return Vec::new();
    };
    let pairs = others
        .iter()
        .flat_map(|other| [(first, other), (other, first)]);
    let mut told: Vec<String> = Vec::new();
    for (with, without) in pairs {
        let missing = missing(with, without);
        if !missing.is_empty() {
            let list = missing.join(", ");
            let line = format!("in {} and not in {}: {list}", with.name, without.name);
            told.push(line);
        }
    }
    told
}

pub(super) fn gone(runs: &[Named<'_>]) -> Vec<String> {
    let Some((first, others)) = runs.split_first() else {
        return Vec::new();
    };
    let gone = others.iter().map(|other| (other, missing(first, other)));
    gone.filter(|(_, missing)| !missing.is_empty())
        .map(|(other, missing)| format!("not in {}: {}", other.name, missing.join(", ")))
        .collect()
}

fn missing(with: &Named<'_>, without: &Named<'_>) -> Vec<String> {
    let mut missing = Vec::new();
    for study in &with.results.studies {
        let name = study.study.name.as_str();
        let others = &mut without.results.studies.iter();
        if study.cases.is_empty() && others.any(|other| other.study.name == name) {
            continue;
        }
        if cases_of(without, name).next().is_none() {
            missing.push(name.to_owned());
            continue;
        }
        for case in &study.cases {
            let place = format!("{name}/{}", case.case.name);
            match cases_of(without, name).find(|other| other.case.name == case.case.name) {
                None => missing.push(place),
                Some(other) => missing.extend(missing_variants(&place, case, other)),
            }
        }
    }
    missing
}

fn missing_variants(place: &str, case: &CaseResult, other: &CaseResult) -> Vec<String> {
    let known = |label: &str| other.case.variants.iter().any(|v| v.label == label);
    let variants = case.case.variants.iter().filter(|v| !known(&v.label));
    variants.map(|v| format!("{place}/{}", v.label)).collect()
}
