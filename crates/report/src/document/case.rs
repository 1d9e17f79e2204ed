use lab::findings::Role;
use lab::{CaseResult, Finding, Results};
use stats::Verdict;

use super::answers::right_of_100;
use super::confirmed::confirmed;
use super::detail::Detail;
use super::figures::{Figure, course, ecdf, flames, latencies, memory, of_mixes, phases, slots};
use super::predicted::predicted;
use super::profiled::profiled;
use super::sampling::sampling;
use super::searched::{self, is_self_managed};
use super::variants::{self, COLUMNS, requests};
use super::{Section, counting};
use crate::number::time;
use crate::words::{
    Tone, circumstances, launched, many, not_counted, other_ratios, work, work_apart, work_of,
};
use lab::data::gathered::grouped;

pub(super) fn case(id: &str, study: &str, results: &Results, case: &CaseResult) -> Section {
    let mut section = Section::new(id, &case.case.title)
        .aside(circumstances(results, case).join(" · "))
        .plots(study, &case.case.name);
    section.text(Tone::Quiet, work_of(&case.case));
    section.texts(Tone::Doubt, results.stopped(case));
    if case.slots.is_empty() {
        return section;
    }
    section.quiet(searched::what_was_searched(case));
    section.quiet(searched::how_followed(case));
    let columns = match is_self_managed(case) {
        true => searched::COLUMNS,
        false => COLUMNS,
    };
    section.table(variants::table(
        "Times of each variant, memory of the parent and all flows",
        columns,
        None,
        &[case],
    ));
    section.quiet(other_ratios(std::iter::once((case, String::new()))));
    section.quiet(of_pairs(case));
    requests(&mut section, None, &[case]);
    let together = case.optimum.is_some();
    for finding in case.findings.iter().filter(|_| !together) {
        said(&mut section, finding);
    }
    profiled(&mut section, case);
    confirmed(&mut section, case);
    predicted(&mut section, case);
    section.quiet(role(results, &[case]));
    section.quiet(own_work(case));
    section.quiet(sampling(case));
    section.quiet(not_counted(case));
    counting::of_case(&mut section, case);
    failed(&mut section, case);
    section.quiet([format!("Launched: {}", launches(case))]);
    figures(&mut section, id, case);
    section
}

fn of_pairs(case: &CaseResult) -> Option<String> {
    let is_told = case.optimum.as_ref().is_some_and(|best| best.is_told);
    (is_told && case.work_is_a_command() && !case.findings.is_empty()).then(|| {
        "The best is chosen from all rounds, at an error rate that all pairs share; the table compares with the \
         first variant alone, in the rounds up to the look that decided. So their intervals differ."
            .to_owned()
    })
}

fn figures(section: &mut Section, id: &str, case: &CaseResult) {
    section.figures(flames(id, case), Detail::NoCharts);
    let charts = [
        of_mixes(&format!("{id}-mixes"), case),
        slots(&format!("{id}-slots"), case),
        latencies(&format!("{id}-latencies"), case),
    ];
    section.figures(charts.into_iter().flatten(), Detail::NoCharts);
    section.figures(ecdf(&format!("{id}-ecdf"), case), Detail::NoPoints);
    let parts = [
        phases(&format!("{id}-phases"), case),
        memory(&format!("{id}-memory"), case),
        searched::profile(&format!("{id}-profile"), case),
    ];
    section.figures(parts.into_iter().flatten(), Detail::NoCharts);
    section.figures(course(&format!("{id}-course"), case), Detail::NoCharts);
}

pub(super) fn of_point(id: &str, case: &CaseResult) -> impl Iterator<Item = Figure> {
    let slots = slots(&format!("{id}-slots"), case);
    let latencies = latencies(&format!("{id}-latencies"), case);
    let course = course(&format!("{id}-course"), case);
    slots.into_iter().chain(latencies).chain(course)
}

pub(super) fn said(section: &mut Section, finding: &Finding) {
    section.text(Tone::Plain, &finding.sentence);
    section.texts(Tone::Doubt, &finding.failed);
    let average = finding.average.as_ref();
    if let Some((average, words)) = average.and_then(|one| Some((one, one.words.as_ref()?))) {
        let tone = if average.is_apart {
            Tone::Doubt
        } else {
            Tone::Plain
        };
        section.text(tone, words);
    }
    section.quiet(&finding.early);
    section.texts(Tone::Doubt, &finding.overstated);
    if !finding.why.is_empty() {
        section.text(Tone::Plain, format!("Why: {}", finding.why.join("; ")));
    }
    if !finding.also_measured.is_empty() {
        let seen = finding.also_measured.join("; ");
        section.text(Tone::Quiet, format!("Also measured: {seen}"));
    }
    section.quiet(tail(finding));
}

/// With which other comparisons these share the 5 %; `None` for a headline without an answer.
pub(super) fn role(results: &Results, cases: &[&CaseResult]) -> Option<String> {
    let right = right_of_100(results.error);
    let mut findings = cases.iter().flat_map(|case| &case.findings).peekable();
    let role = findings.peek()?.role;
    let is_answer = |one: &Finding| !matches!(one.verdict, Verdict::CannotTell { .. });
    match role {
        Role::Headline { .. } if !findings.any(is_answer) => None,
        Role::Headline { answers: 1 } => Some(format!(
            "Headline answer: the only one of this run; it is right in at least {right} of 100 runs"
        )),
        Role::Headline { answers } => Some(format!(
            "Headline answer: the {} of this run are all right in at least {right} of 100 runs",
            many(answers as u64, "headline answer")
        )),
        Role::Exploratory {
            comparisons,
            discoveries,
        } => {
            let one = many(comparisons as u64, "comparison");
            let found = match discoveries {
                0 => "; none names a difference".to_owned(),
                found => format!(
                    "; {found} of them {} a difference, of which at most 5 % are false on average",
                    if found == 1 { "names" } else { "name" }
                ),
            };
            Some(format!(
                "Exploratory: one of {one} behind the headline{found}"
            ))
        }
    }
}

/// `p95: thread 15.0 ms, process 65.1 ms · slow runs: thread 1 of 20, process 0 of 20`.
fn tail(finding: &Finding) -> Option<String> {
    let tail = finding.tail?;
    let sides = [
        (&finding.subject, tail.subject),
        (&finding.reference, tail.reference),
    ];
    let p95 = sides.map(|(label, side)| Some(format!("{label} {}", time(side.p95?))));
    let slow = sides.map(|(label, side)| format!("{label} {} of {}", side.slow, side.values));
    let slow = format!("slow runs: {}", slow.join(", "));
    Some(match p95 {
        [Some(subject), Some(reference)] => format!("p95: {subject}, {reference} · {slow}"),
        _ => slow,
    })
}

pub(super) fn own_work(case: &CaseResult) -> Vec<String> {
    let labelled = case.case.variants.iter().filter(|_| !is_self_managed(case));
    let said = labelled.filter_map(|variant| {
        let own = variant.work.as_ref()?;
        let apart = work_apart(own, &case.case.work);
        Some(format!("{} has work of its own: {apart}", variant.label))
    });
    said.collect()
}

/// `failed: 3 slots of thread: …`; variants with equal failures share a line.
pub(super) fn failed(section: &mut Section, case: &CaseResult) {
    let failures = case.variants.iter().flat_map(|variant| {
        let failures = variant.failures.iter();
        failures.map(|failure| (failure, variant.label.as_str()))
    });
    for ((slots, reason), labels) in grouped(failures) {
        let each = if labels.len() > 1 { " each" } else { "" };
        let slots = many(*slots as u64, "slot");
        let labels = labels.join(", ");
        section.text(
            Tone::Doubt,
            format!("failed: {slots}{each} of {labels}: {reason}"),
        );
    }
}

pub(super) fn launches(case: &CaseResult) -> String {
    let variants = case.case.variants.iter().enumerate();
    let each = variants.map(|(at, variant)| {
        let how = match case.work_is_a_command() {
            true => work(case.case.work_of(at)),
            false => launched(variant),
        };
        format!("{}: {how}", variant.label)
    });
    each.collect::<Vec<_>>().join("; ")
}
