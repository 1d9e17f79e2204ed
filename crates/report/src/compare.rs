//! Runs side by side, in words: what the terminal and the page share.

mod charts;
mod html;
mod limits;
mod study;
mod terminal;

pub use html::{page, plots};
pub use terminal::text;

use lab::compare::{Basis, Change, ComparedCase, ComparedRun, FloorFrom, SideBySide, unseen};
use lab::findings::Word;

use crate::date::utc;
use crate::number::{percent, plain};
use crate::words::{Comparison, Tone, comparison, many};
use lab::data::gathered::grouped;

fn not_covered(all: &SideBySide) -> &'static str {
    match all.basis {
        Basis::Times => {
            "A shift of the whole machine between two runs (heat, neighbours, clock) is in none of \
             these intervals: compare two runs of the same thing to see how large it is, and give \
             --floor at least that, or compare ratios (without --absolute)."
        }
        Basis::Relative => {
            "A shift of the whole machine between two runs changes no ratio. What shifts one \
             variant and not another (another kernel, neighbours that use a disk) is in none of \
             these intervals. What changed in all variants alike changes no ratio either: --absolute \
             compares times, that of the reference too."
        }
    }
}

/// `host · CPU · kernel 6.1 · 2 usable CPUs · 2026-01-26 14:05 UTC · flowgauge 0.1.0`.
fn where_and_when(run: &ComparedRun) -> String {
    let mut parts = run.machine.clone();
    parts.push(many(run.usable_cpus as u64, "usable CPU"));
    parts.push(utc(run.began_unix_s));
    parts.push(format!("flowgauge {}", run.version));
    parts.join(" · ")
}

fn said(change: &Change) -> Comparison {
    match &change.not_compared {
        None => comparison(change.estimate.as_ref(), &change.verdict),
        Some(_) => Comparison {
            word: Word::NotCompared.in_words().to_owned(),
            interval: String::new(),
            tone: Tone::Doubt,
        },
    }
}

/// `total`, `floor 2.0 % in after`.
fn circumstances(all: &SideBySide, case: &ComparedCase) -> Vec<String> {
    let what = match case.basis {
        Basis::Times => case.metric.name().to_owned(),
        Basis::Relative => format!(
            "{}, against the reference of each round",
            case.metric.name()
        ),
    };
    [what].into_iter().chain(floors(all, case)).collect()
}

/// `floor 2.0 %, as in the runs`: each floor once, with its runs if not all.
fn floors(all: &SideBySide, case: &ComparedCase) -> Vec<String> {
    let floors = case.floors.iter().enumerate().filter_map(|(run, floor)| {
        let changes = case.variants.iter();
        let mut changes = changes.filter_map(|variant| variant.changes[run].as_ref());
        let is_compared = changes.any(|change| change.not_compared.is_none());
        let floor = floor.filter(|_| is_compared)?;
        let said = [percent(floor.fraction), because(floor.because)];
        Some((said, all.runs[run].name.as_str()))
    });
    let groups = grouped(floors);
    let is_one = groups.len() == 1;
    let line = |([floor, why], names): ([String; 2], Vec<&str>)| {
        let whose = match is_one {
            true => String::new(),
            false => format!(" for {}", names.join(", ")),
        };
        format!("floor {floor}{whose}, {why}")
    };
    groups.into_iter().map(line).collect()
}

fn because(from: FloorFrom) -> String {
    match from {
        FloorFrom::Asked => "as asked".to_owned(),
        FloorFrom::Runs => "as in the runs".to_owned(),
        FloorFrom::Wander => "so far a run wandered".to_owned(),
        FloorFrom::Unseen => unseen(),
    }
}

fn case_name(case: &ComparedCase) -> String {
    match &case.sweep {
        Some(point) => format!("{} {}", point.parameter, plain(point.value)),
        None => case.name.clone(),
    }
}

const WORDS: [Word; 5] = [
    Word::Slower,
    Word::Faster,
    Word::Same,
    Word::CannotTell,
    Word::NotCompared,
];

fn counts(all: &SideBySide, run: usize) -> String {
    let own = all.changes().filter(|(.., of, _)| *of == run);
    let own: Vec<Word> = own.map(|(.., change)| change.word()).collect();
    let said = WORDS.iter().filter_map(|word| {
        let count = own.iter().filter(|one| *one == word).count();
        (count > 0).then(|| format!("{count} {}", word.in_words()))
    });
    let said: Vec<String> = said.collect();
    let said = match said.is_empty() {
        true => "nothing to compare".to_owned(),
        false => said.join(", "),
    };
    let [reference, own] = [0, run].map(|run| &all.runs[run].name);
    format!("{own} against {reference}: {said}")
}

fn largest(all: &SideBySide, run: usize) -> Option<String> {
    let established = all
        .changes()
        .filter(|(_, _, _, of, change)| *of == run && change.verdict.is_difference());
    let size = |change: &Change| change.estimate.map_or(0.0, |e| e.ratio.ln().abs());
    let (study, case, _, _, change) = established.max_by(|a, b| size(a.4).total_cmp(&size(b.4)))?;
    Some(format!("{}/{}: {}", study.name, case.name, change.sentence))
}
