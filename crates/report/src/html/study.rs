//! A study: what it stands for, all ratios, then case by case.

use lab::{Results, StudyResult};
use maud::{Markup, html};

use super::detail::Detail;
use super::figure::{Figure, Figures};
use super::size_budget::SizeBudget;
use super::{
    case, counting, fenced, forest, limits, map, scaling, searched, sweep, then_and_now, workers,
};
use crate::blocks::Block;
use crate::plots;
use crate::text::tied;
use crate::words::{many, run_study_again};

/// The findings of the cases that stand alone.
fn alone(id: &str, study: &StudyResult) -> Figures {
    let blocks = Block::all(study);
    let alone = blocks.iter().filter_map(|block| match block {
        Block::Case(case) => Some(*case),
        Block::Sweep(_) | Block::Matrix(_) => None,
    });
    forest::forest(&format!("{id}-forest"), alone)
}

/// Every chart of a study, as the section below shows them, with the words that name its
/// place.
pub(super) fn figures(place: usize, study: &StudyResult) -> Vec<(String, Figure)> {
    let id = format!("study{place}");
    let named = |case: &str| plots::place(&study.study.name, case);
    let mut all = Vec::new();
    let mut add = |place: String, figures: Figures| {
        all.extend(figures.0.into_iter().map(|figure| (place.clone(), figure)));
    };
    add(named(""), alone(&id, study));
    add(named(""), scaling::figures(&id, study));
    for (number, block) in Block::all(study).iter().enumerate() {
        let id = format!("{id}-{number}");
        match block {
            Block::Case(one) => add(
                named(&one.case.name),
                case::figures(&id, one, Detail::NoTablesOfSlots),
            ),
            Block::Matrix(map) => add(named(&map.setting()), map::figures(&id, map)),
            Block::Sweep(sweep) => {
                add(named(sweep.name), sweep::figures(&id, sweep, &study.laws));
                for (number, (_, case)) in sweep.points.iter().enumerate() {
                    let figures =
                        sweep::of_point(&format!("{id}-{number}"), case, Detail::NoTablesOfSlots);
                    add(named(&case.case.name), figures);
                }
            }
        }
    }
    add(named("all"), searched::figures(&id, study));
    all
}

/// The section of a study, as far as there is room.
pub(super) fn study(
    results: &Results,
    (place, study): (usize, &StudyResult),
    detail: Detail,
    budget: &mut SizeBudget,
) -> Markup {
    let id = format!("study{place}");
    let before = budget.left_out();
    let heading = budget.hold(html! { h2 { (study.study.name) ": " (study.study.title) } });
    if budget.left_out() > before {
        return heading;
    }
    html! {
        section id=(id) {
            (heading)
            (budget.hold(html! { p { (study.study.stands_for) } }))
            @if !study.sentences.is_empty() {
                ul.sentences {
                    @for sentence in &study.sentences { (budget.hold(html! { li { (tied(sentence)) } })) }
                }
            }
            @for part in parts(&id, results, study, detail) { (budget.hold(part)) }
            @if budget.left_out() > before {
                @let lost = many((budget.left_out() - before) as u64, "part");
                (budget.hold(html! {
                    p.warning { (lost) " of this study found no room on this page: see summary.csv and findings.csv beside it." }
                }))
            }
        }
    }
}

/// What a study has below its sentences, part by part.
fn parts<'a>(
    id: &'a str,
    results: &'a Results,
    study: &'a StudyResult,
    detail: Detail,
) -> impl Iterator<Item = Markup> + 'a {
    let chart = detail.has_charts_of_many();
    let first = [
        limits::limits(study),
        html! { @if chart { (alone(id, study)) } },
    ];
    let blocks = Block::all(study).into_iter().enumerate();
    let blocks = blocks.map(move |(number, block)| {
        let id = format!("{id}-{number}");
        match block {
            Block::Case(one) => case::case(&id, results, one, detail),
            Block::Sweep(all) => sweep::sweep(&id, results, &all, (&study.laws, detail)),
            Block::Matrix(all) => map::map(&id, results, &all, detail),
        }
    });
    let last = [
        counting::of_study(study),
        fenced::fenced(study),
        own_tables(id, results, study).unwrap_or_else(|| then_and_now::then_and_now(study)),
        html! {
            p.quiet { "Run this study again, in the same order: " code { (run_study_again(results, study)) } }
        },
    ];
    first.into_iter().chain(blocks).chain(last)
}

/// The tables of a study that has tables of its own, with the source's figures in them.
fn own_tables(id: &str, results: &Results, study: &StudyResult) -> Option<Markup> {
    workers::workers(study)
        .or_else(|| searched::searched(id, study))
        .or_else(|| scaling::scaling(id, results, study))
}
