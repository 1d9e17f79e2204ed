//! A study: what it stands for, all ratios, then case by case.

use lab::{Results, StudyResult};
use maud::{Markup, html};

use super::detail::Detail;
use super::figure::{Figure, Figures};
use super::{
    case, counting, fenced, forest, limits, map, scaling, searched, sweep, then_and_now, workers,
};
use crate::blocks::Block;
use crate::plots;
use crate::text::tied;
use crate::words::run_study_again;

/// The findings of the cases that stand alone.
fn alone(id: &str, study: &StudyResult) -> Figures {
    let blocks = Block::all(study);
    let alone = blocks.iter().filter_map(|block| match block {
        Block::Case(case) => Some(*case),
        Block::Sweep(_) | Block::Map(_) => None,
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
            Block::Map(map) => add(named(&map.setting()), map::figures(&id, map)),
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

/// The section of a study.
pub(super) fn study(
    results: &Results,
    place: usize,
    study: &StudyResult,
    detail: Detail,
) -> Markup {
    let id = format!("study{place}");
    html! {
        section id=(id) {
            h2 { (study.study.name) ": " (study.study.title) }
            p { (study.study.stands_for) }
            @if !study.sentences.is_empty() {
                ul.sentences { @for sentence in &study.sentences { li { (tied(sentence)) } } }
            }
            (limits::limits(study))
            (alone(&id, study))
            @for (number, block) in Block::all(study).iter().enumerate() {
                @let id = format!("{id}-{number}");
                @match block {
                    Block::Case(one) => (case::case(&id, results, one, detail)),
                    Block::Sweep(all) => (sweep::sweep(&id, results, all, (&study.laws, detail))),
                    Block::Map(all) => (map::map(&id, results, all, detail)),
                }
            }
            (counting::of_study(study))
            (fenced::fenced(study))
            @match own_tables(&id, results, study) {
                Some(table) => (table),
                None => (then_and_now::then_and_now(study)),
            }
            p.quiet { "Run this study again, in the same order: " code { (run_study_again(results, study)) } }
        }
    }
}

/// The tables of a study that has tables of its own, with the source's figures in them.
fn own_tables(id: &str, results: &Results, study: &StudyResult) -> Option<Markup> {
    workers::workers(study)
        .or_else(|| searched::searched(id, study))
        .or_else(|| scaling::scaling(id, results, study))
}
