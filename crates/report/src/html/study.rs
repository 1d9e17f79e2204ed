//! A study: what it stands for, all ratios, then case by case.

use lab::{Results, StudyResult};
use maud::{Markup, html};

use super::{case, fenced, forest, map, sweep, then_and_now, workers};
use crate::blocks::Block;

/// The section of a study. `with_slots` is whether tables of raw slots are wanted.
pub(super) fn study(
    results: &Results,
    place: usize,
    study: &StudyResult,
    with_slots: bool,
) -> Markup {
    let id = format!("study{place}");
    let blocks = Block::all(study);
    let alone = blocks.iter().filter_map(|block| match block {
        Block::Case(case) => Some(*case),
        Block::Sweep(_) | Block::Map(_) => None,
    });
    html! {
        section id=(id) {
            h2 { (study.study.name) ": " (study.study.title) }
            p { (study.study.stands_for) }
            @if !study.sentences.is_empty() {
                ul.sentences { @for sentence in &study.sentences { li { (sentence) } } }
            }
            (forest::forest(&format!("{id}-forest"), alone))
            @for (number, block) in blocks.iter().enumerate() {
                @let id = format!("{id}-{number}");
                @match block {
                    Block::Case(one) => (case::case(&id, results, one, with_slots)),
                    Block::Sweep(all) => (sweep::sweep(&id, results, all, (&study.laws, with_slots))),
                    Block::Map(all) => (map::map(&id, results, all)),
                }
            }
            (fenced::fenced(study))
            @match workers::workers(study) {
                Some(table) => (table),
                None => (then_and_now::then_and_now(study)),
            }
        }
    }
}
