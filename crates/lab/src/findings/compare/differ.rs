use serde::Serialize;
use serde_json::Value as Json;
use workload::Work;

use super::Named;
use crate::data::number::plain;
use crate::findings::CaseResult;
use crate::findings::phrases::joined;

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
    let found = joined(found, "; ");
    let found = found.map(|found| format!("{} and {} differ in {found}", a.name, b.name));
    let cut = [a, b].into_iter().filter(|run| !run.results.finished);
    let cut = cut.map(|run| format!("{} did not come to its end", run.name));
    found.into_iter().chain(cut).collect()
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
) -> Option<String> {
    let case = format!("{study}/{}", x.case.name);
    let mut found = Vec::new();
    if x.reps != y.reps && x.reps > 0 && y.reps > 0 {
        found.push(format!("{} repetitions a slot against {}", x.reps, y.reps));
    }
    for variant in &x.case.variants {
        let builds = builds(x, y, &variant.label);
        let builds = builds.map(|[x, y]| format!("two builds: {x} against {y}"));
        found.extend(builds.filter(|one| !found.contains(one)));
        let other = y.labelled(&variant.label);
        let launched = other.map(|other| fields(&variant.variant, &other.variant));
        let launched = joined(launched.into_iter().flatten(), ", ");
        found.extend(launched.map(|said| format!("{} is launched with {said}", variant.label)));
    }
    joined(found, "; ").map(|found| format!("{case} of {} and {}: {found}", a.name, b.name))
}

fn work_of(case: &CaseResult, label: &str) -> Work {
    let own = case.labelled(label).and_then(|own| own.work.as_ref());
    own.unwrap_or(&case.case.work).clone()
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
    if let Some(differing) = joined(fields(&of(a), &of(b)), ", ") {
        return Some(format!("other work: {differing}"));
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
    let others = runs.iter().skip(1);
    let pairs = others.flat_map(|other| [(&runs[0], other), (other, &runs[0])]);
    let told = pairs.filter_map(|(with, without)| {
        let list = missing(with, without)?;
        Some(format!(
            "in {} and not in {}: {list}",
            with.name, without.name
        ))
    });
    told.collect()
}

pub(super) fn gone(runs: &[Named<'_>]) -> Vec<String> {
    let others = runs.iter().skip(1);
    let gone = others.filter_map(|other| {
        Some(format!(
            "not in {}: {}",
            other.name,
            missing(&runs[0], other)?
        ))
    });
    gone.collect()
}

fn missing(with: &Named<'_>, without: &Named<'_>) -> Option<String> {
    let mut missing = Vec::new();
    for study in &with.results.studies {
        let name = study.study.name.as_str();
        let others = &mut without.results.studies.iter();
        if study.cases.is_empty() && others.any(|other| other.study.name == name) {
            continue;
        }
        if without.results.cases_of(name).next().is_none() {
            missing.push(name.to_owned());
            continue;
        }
        for case in &study.cases {
            let place = format!("{name}/{}", case.case.name);
            match without.results.case_named(name, &case.case.name) {
                None => missing.push(place),
                Some(other) => missing.extend(missing_variants(&place, case, other)),
            }
        }
    }
    joined(missing, ", ")
}

fn missing_variants(place: &str, case: &CaseResult, other: &CaseResult) -> Vec<String> {
    let variants = case.case.variants.iter().map(|one| &one.label);
    let missing = variants.filter(|label| other.place(label).is_none());
    missing.map(|label| format!("{place}/{label}")).collect()
}
