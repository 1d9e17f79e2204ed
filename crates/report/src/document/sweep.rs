//! A sweep: a table and a chart of all its points, and its points; the study's remarks sum up.

use std::collections::BTreeSet;

use lab::{CaseResult, Law, Results};

use super::case::{failed, launches, of_point, own_work, role, said};
use super::detail::Detail;
use super::figures::{self, Figures, forest, of_sweep};
use super::requests::requests;
use super::scaling::is_scaled;
use super::variants::{self, COLUMNS};
use super::{Level, Section, counting};
use crate::charts::lines::{Point, Series};
use crate::charts::marker::Look;
use crate::words::{
    Tone, circumstances, comparison, cut_short_together, other_ratios, spoken, with_unit, work_of,
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
    section.figures(chart(id, sweep, laws), Detail::WhatFits);
    for law in laws.iter().filter(|law| law.sweep == sweep.name) {
        section.text(Tone::Plain, &law.sentence);
    }
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
        let inner = place > 0 && place + 1 < cases.len();
        let one = of_one(
            &format!("{id}-{place}"),
            study,
            results,
            (sweep, case),
            inner,
        );
        section.section(one, Level::Evidence);
        if let Some(part) = section.parts.last_mut() {
            part.until = Detail::NoFolds;
        }
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
    inner: bool,
) -> Section {
    let mut section = Section::new(id, &point(sweep, case))
        .aside(circumstances(results, case).join(" · "))
        .plots(study, &case.case.name);
    section.text(Tone::Quiet, work_of(&case.case));
    case.findings
        .iter()
        .for_each(|finding| said(&mut section, finding));
    counting::of_case(&mut section, case);
    let until = if inner {
        Detail::FirstAndLast
    } else {
        Detail::NoPoints
    };
    section.figures(of_point(id, case), until);
    section
}

pub(super) fn chart(id: &str, sweep: &Sweep<'_>, laws: &[Law]) -> Figures {
    let cases = sweep.points.iter().map(|(_, case)| *case);
    let over = match sweep.points.len() < TREND || is_scaled(sweep) {
        true => Figures::default(),
        false => over_parameter(&format!("{id}-lines"), sweep, laws),
    };
    over.and(of_sweep(&format!("{id}-grid"), sweep))
        .and(forest(&format!("{id}-forest"), cases))
}

fn over_parameter(id: &str, sweep: &Sweep<'_>, laws: &[Law]) -> Figures {
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
        let said = comparison(finding.estimate.as_ref(), &finding.verdict);
        let who = format!("{} against {}", finding.subject, finding.reference);
        Some((who, format!("{} at {}", said.word, point(sweep, case))))
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
        let mut variants = case.variants.iter();
        let own = variants.find(|variant| variant.label == label)?;
        Some(Point::of(*x, own.value.as_ref()?))
    };
    let points: Vec<Point> = sweep.points.iter().filter_map(point).collect();
    let law = laws.iter().find(|law| law.variant == label);
    let fit = law.map(|law| points.iter().map(|p| (p.x, law.line.at(p.x))));
    Series {
        label: label.to_owned(),
        look: Look::Variant(place),
        fit: fit
            .into_iter()
            .flatten()
            .filter(|(_, y)| *y > 0.0)
            .collect(),
        points,
    }
}
