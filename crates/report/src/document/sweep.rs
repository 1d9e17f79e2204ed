//! A sweep: a table and a chart of all its points, and its points; the study's remarks sum up.

use std::collections::BTreeSet;

use lab::{CaseResult, Law, Results};

use super::case::{failed, launches, of_point, own_work, role, said};
use super::detail::Detail;
use super::figures::{self, Figure, forest, of_sweep};
use super::scaling::is_scaled;
use super::variants::{self, COLUMNS, requests};
use super::{Level, Section, counting};
use crate::charts::lines::{Point, Series};
use crate::words::{
    Tone, circumstances, cut_short_together, found, other_ratios, spoken, variant_of, with_unit,
    work_of,
};
use lab::Sweep;

const TREND: usize = 3;

pub(super) fn sweep(
    id: &str,
    study: &str,
    results: &Results,
    sweep: &Sweep<'_>,
    laws: &[Law],
) -> Section {
    let axis = with_unit(sweep.parameter, sweep.unit);
    let mut section = Section::new(id, &sweep.title())
        .aside(format!("by {axis}"))
        .plots(study, sweep.name);
    let points = sweep.points.iter();
    let points = points.map(|(_, case)| (*case, case.case.point_value()));
    for cut in cut_short_together(results, points) {
        section.text(Tone::Doubt, format!("{} {cut}", spoken(sweep.parameter)));
    }
    section.figures(charts(id, sweep, laws), Detail::WhatFits);
    let own = laws.iter().filter(|law| law.sweep == sweep.name);
    section.texts(Tone::Plain, own.map(|law| &law.sentence));
    let cases: Vec<&CaseResult> = sweep.points.iter().map(|(_, case)| *case).collect();
    let caption = format!("Times, and memory of the parent and all flows, by {axis}");
    section.table(variants::table(
        &caption,
        COLUMNS,
        Some(sweep.parameter),
        &cases,
    ));
    let places = cases
        .iter()
        .map(|case| (*case, format!("{}, ", point(sweep, case))));
    section.quiet(other_ratios(places));
    requests(&mut section, Some(sweep.parameter), &cases);
    let own: BTreeSet<String> = cases.iter().flat_map(|case| own_work(case)).collect();
    section.quiet(own);
    section.quiet(role(results, &cases));
    cases.iter().for_each(|case| failed(&mut section, case));
    if let Some(first) = cases.first() {
        let at = point(sweep, first);
        section.quiet([format!("Launched at {at}: {}", launches(first))]);
    }
    for (place, case) in cases.iter().enumerate() {
        let until = match place > 0 && place + 1 < cases.len() {
            true => Detail::FirstAndLast,
            false => Detail::NoPoints,
        };
        let id = format!("{id}-{place}");
        let one = of_one(&id, study, results, (sweep, case), until);
        section.section(one, Level::Evidence);
        section.last_until(Detail::NoFolds);
    }
    section
}

fn point(sweep: &Sweep<'_>, case: &CaseResult) -> String {
    format!("{} {}", spoken(sweep.parameter), case.case.point_value())
}

fn of_one(
    id: &str,
    study: &str,
    results: &Results,
    (sweep, case): (&Sweep<'_>, &CaseResult),
    until: Detail,
) -> Section {
    let mut section = Section::new(id, &point(sweep, case))
        .aside(circumstances(results, case).join(" · "))
        .plots(study, &case.case.name);
    section.text(Tone::Quiet, work_of(&case.case));
    case.findings
        .iter()
        .for_each(|finding| said(&mut section, finding));
    counting::of_case(&mut section, case);
    if !case.slots.is_empty() {
        section.figures(of_point(id, case), until);
    }
    section
}

fn charts(id: &str, sweep: &Sweep<'_>, laws: &[Law]) -> impl Iterator<Item = Figure> {
    let cases = sweep.points.iter().map(|(_, case)| *case);
    let has_trend = sweep.points.len() >= TREND && !is_scaled(sweep);
    let charts = [
        has_trend.then(|| over_parameter(&format!("{id}-lines"), sweep, laws)),
        of_sweep(&format!("{id}-grid"), sweep),
        forest(&format!("{id}-forest"), cases),
    ];
    charts.into_iter().flatten()
}

fn over_parameter(id: &str, sweep: &Sweep<'_>, laws: &[Law]) -> Figure {
    let laws: Vec<&Law> = laws.iter().filter(|law| law.sweep == sweep.name).collect();
    let labels = sweep.labels().into_iter().enumerate();
    let series: Vec<_> = labels
        .map(|(place, label)| series(sweep, place, label, &laws))
        .collect();
    let axis = with_unit(sweep.parameter, sweep.unit);
    let fitted = match laws.is_empty() {
        true => "",
        false => "; dashed: the fitted lines",
    };
    let title = format!("{}{fitted}", conclusion(sweep));
    let data = figures::data("variant", &axis, &series);
    figures::lines(id, &title, &axis, series, data)
}

fn conclusion(sweep: &Sweep<'_>) -> String {
    let said = |(_, case): &(f64, &CaseResult)| {
        let finding = case.findings.last()?;
        let who = format!("{} against {}", finding.subject, finding.reference);
        Some((
            who,
            format!("{} at {}", found(finding).word, point(sweep, case)),
        ))
    };
    let ends = [sweep.points.first(), sweep.points.last()];
    match ends.map(|end| end.and_then(said)) {
        [Some((who, first)), Some((same, last))] if who == same => {
            format!("{who}: {first}, {last}")
        }
        [Some((who, said)), _] | [_, Some((who, said))] => format!("{who}: {said}"),
        _ => format!("{}: typical times", sweep.title()),
    }
}

fn series(sweep: &Sweep<'_>, place: usize, label: &str, laws: &[&Law]) -> Series {
    let point = |(x, case): &(f64, &CaseResult)| {
        Some(Point::of(*x, variant_of(case, label)?.value.as_ref()?))
    };
    let own = Series::new(place, label, sweep.points.iter().filter_map(point));
    let law = laws.iter().find(|law| law.variant == label);
    let fit = law.map(|law| own.points.iter().map(|p| (p.x, law.line.at(p.x))));
    let fit = fit.into_iter().flatten().filter(|(_, y)| *y > 0.0);
    Series {
        fit: fit.collect(),
        ..own
    }
}
