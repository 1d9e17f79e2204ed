//! What a study of work that makes its own flows says beyond its findings; of several cases once.

use workload::Design;

use super::SelfManaged;
use crate::data::gathered::grouped;
use crate::data::number::{count, factor, factor_interval, is_small, many, time};
use crate::data::words::plural;
use crate::findings::paired::{judged, rule};
use crate::findings::phrases::joined;
use crate::findings::{CaseResult, VariantSummary, optimum};

const FAR: f64 = 1.5;
/// Smaller differences explain nothing.
const HANDFUL: f64 = 20.0;

pub(in crate::findings) fn sentences(cases: &[CaseResult]) -> Vec<String> {
    let own = || cases.iter().filter(|case| case.case.work.makes_own_flows());
    let mut said: Vec<String> = own().flat_map(flows_each).collect();
    for case in own() {
        if let Some(sentence) = optimum::sentence(case) {
            said.push(sentence);
            said.extend(crowd(case));
        }
    }
    said.extend(cases.iter().filter_map(CaseResult::helps));
    let searches = own().filter(|case| case.case.work.has_timers());
    let own: Vec<&CaseResult> = searches.collect();
    said.extend(once(&own, held));
    said.extend(not_warm(&own));
    said.extend(once(&own, not_read));
    said
}

fn once(cases: &[&CaseResult], what: fn(&CaseResult) -> Option<String>) -> Vec<String> {
    let said = grouped(cases.iter().filter_map(|case| Some((what(case)?, *case))));
    let said = said.into_iter();
    said.map(|(text, cases)| format!("{}: {text}", names(&cases)))
        .collect()
}

fn names(cases: &[&CaseResult]) -> String {
    let names = cases.iter().map(|case| case.case.name.as_str());
    names.collect::<Vec<_>>().join(", ")
}

fn flows_each(case: &CaseResult) -> Vec<String> {
    let variants = &case.case.variants;
    let design = |at: usize| Some(case.case.work_of(at).search()?.design);
    let all = 0..variants.len();
    let each = all
        .clone()
        .filter(|&at| matches!(design(at), Some(Design::PerFile | Design::PerFolder)));
    let pairs = each.filter_map(|each| {
        let model = variants[each].variant.model;
        let mut pools = all.clone().filter(|&at| design(at) == Some(Design::Pool));
        let pool = pools.find(|&at| variants[at].variant.model == model)?;
        flow_each(case, each, pool)
    });
    pairs.collect()
}

fn flow_each(case: &CaseResult, each: usize, pool: usize) -> Option<String> {
    let floor = case.findings.first().map_or(0.0, |finding| finding.floor);
    let (estimate, _) = judged(&case.slots, pool, each, rule(floor, 2))?;
    let (low, high) = estimate.interval().filter(|(low, _)| *low > 1.0)?;
    let [each, pool] = [each, pool].map(|at| &case.variants[at]);
    let [made, few] = [each, pool].map(|variant| variant.self_managed.as_ref());
    Some(format!(
        "{}: {} takes {} {} {} {}: {} flows are made, not {}",
        case.case.name,
        each.label,
        factor(estimate.ratio),
        match is_small(estimate.ratio) {
            true => "longer than",
            false => "as long as",
        },
        pool.label,
        factor_interval(estimate.ratio, low, high),
        count(made?.made as u64),
        count(few?.made as u64)
    ))
}

/// The time to make flows is unknown: the first work while the last are made.
fn crowd(case: &CaseResult) -> Option<String> {
    let best = case.optimum.as_ref()?.of_numbers();
    let best = best.filter(|best| best.is_told)?;
    let worst = best.worst_above()?;
    if !worst.is_slower() {
        return None;
    }
    let reasons = crowded(case.summary(&best.label)?, case.summary(&worst.label)?)?;
    let model = plural(&case.case.variants.first()?.variant.model.to_string());
    let (name, flows) = (&case.case.name, worst.flows);
    Some(format!("{name}: with {flows} {model} {reasons}"))
}

fn crowded(few: &VariantSummary, many: &VariantSummary) -> Option<String> {
    let kernel = both(few, many, |variant| {
        variant.self_managed.as_ref()?.system_ns
    });
    let kernel = kernel.filter(|[few, many]| *many > FAR * few);
    let kernel = kernel.map(|[few, many]| {
        let (few, many) = (time(few), time(many));
        format!("the kernel takes {many} for the same work instead of {few}")
    });
    let faults = far(both(few, many, |variant| variant.counts?.faults()));
    let faults = faults.map(|[few, many]| format!("there are {many} page faults instead of {few}"));
    let waits = both(few, many, |variant| variant.counts?.voluntary_switches);
    let waits = far(waits)
        .map(|[few, many]| format!("flows give up their CPU {many} times instead of {few}"));
    joined([kernel, faults, waits].into_iter().flatten(), "; ")
}

fn both(
    few: &VariantSummary,
    many: &VariantSummary,
    what: impl Fn(&VariantSummary) -> Option<f64>,
) -> Option<[f64; 2]> {
    Some([what(few)?, what(many)?])
}

fn far(counts: Option<[f64; 2]>) -> Option<[String; 2]> {
    let far = |[few, many]: &[f64; 2]| *many > FAR * few && many - few > HANDFUL;
    let counts = counts.filter(far)?;
    Some(counts.map(|value| count(value as u64)))
}

fn held(case: &CaseResult) -> Option<String> {
    let held = case.variants.iter().filter_map(|variant| {
        let own = variant.self_managed.as_ref()?;
        // A pool's number is no cap.
        (own.made > own.most).then_some(())?;
        let at = count(own.held_at? as u64);
        Some(format!(
            "{} was held to {at} flows at one time",
            variant.label
        ))
    });
    joined(held, "; ")
}

fn not_warm(cases: &[&CaseResult]) -> Vec<String> {
    let is_cold = |case: &CaseResult| {
        let search = case.case.work.search();
        search.is_some_and(|search| search.cold)
    };
    let of = |cold: bool, wrong: fn((usize, usize)) -> bool| -> Vec<&CaseResult> {
        let cases = cases.iter().filter(|case| is_cold(case) == cold);
        cases
            .filter(|case| wrong(from_disk(case)))
            .copied()
            .collect()
    };
    let dry = of(true, |(read, all)| read == 0 && all > 0);
    let dry = (!dry.is_empty()).then(|| {
        format!(
            "{}: the page cache was emptied before each repetition, yet the kernel counted no read \
             from a disk: the files come from a memory that it does not manage, such as that of a \
             host",
            names(&dry)
        )
    });
    let read = of(false, |(read, _)| read > 0);
    let sum = |part: fn((usize, usize)) -> usize| -> usize {
        read.iter().map(|case| part(from_disk(case))).sum()
    };
    let read = (!read.is_empty()).then(|| {
        format!(
            "{}: {} of {} repetitions read from a disk although all had been read before: there is \
             too little memory to keep the tree in it, or something takes it away",
            names(&read),
            count(sum(|(read, _)| read) as u64),
            count(sum(|(_, all)| all) as u64)
        )
    });
    dry.into_iter().chain(read).collect()
}

fn from_disk(case: &CaseResult) -> (usize, usize) {
    let own = || case.variants.iter().filter_map(|v| v.self_managed.as_ref());
    let sum = |what: fn(&SelfManaged) -> usize| own().map(what).sum();
    (sum(|own| own.from_disk), sum(|own| own.reps))
}

fn not_read(case: &CaseResult) -> Option<String> {
    let own = case.variants.iter().find_map(|v| v.self_managed.as_ref())?;
    let errors = own.counts.get("errors").copied().unwrap_or(0.0) as u64;
    (errors > 0).then(|| {
        let were = if errors == 1 { "was" } else { "were" };
        format!(
            "{} could not be read and {were} searched by no variant",
            many(errors, "path")
        )
    })
}
