//! Counted events of a case as a table in words, the same in the terminal and on the page.

use lab::results::counted::{EventMedians, Events};
use lab::{CaseResult, StudyResult};
use measure::counters::{Event, Scope};

use crate::number::{amount, count, percent, significant, time};
use crate::words::many;

/// A case's table: headings, and rows of as many cells. Columns in which nothing would stand
/// are left out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Counting {
    pub(crate) title: String,
    pub(crate) heads: Vec<&'static str>,
    pub(crate) rows: Vec<Vec<String>>,
    /// What must be known of it.
    pub(crate) notes: Vec<String>,
}

const HEADS: [&str; 7] = [
    "event",
    "variant",
    "count",
    "per CPU second",
    "per unit",
    RAN,
    "per 1,000 instructions",
];
/// A share of less than this is not all of the time.
const ALL: f64 = 0.9995;
/// The heading of the share that is never left out.
pub(crate) const RAN: &str = "counters ran";

/// What was counted in a case; `None` where nothing was to be.
pub(crate) fn counting(case: &CaseResult) -> Option<Counting> {
    let variants = || {
        let all = case.variants.iter().enumerate();
        all.filter_map(|(at, variant)| Some((at, variant.counted.as_ref()?)))
    };
    let first = variants().next()?.1;
    let mut rows: Vec<Vec<String>> = Vec::new();
    for event in first.events.iter().map(|summary| summary.event) {
        let counted = variants().filter_map(|(at, events)| {
            let medians = events.of(event)?.value()?;
            Some(row(event, &case.variants[at].label, medians))
        });
        rows.extend(counted);
        if event == Event::Instructions {
            let ratios = variants().filter_map(|(at, events)| {
                let ratio = significant(events.instructions_per_cycle?);
                let label = case.variants[at].label.clone();
                Some(vec!["instructions per cycle".to_owned(), label, ratio])
            });
            rows.extend(ratios);
        }
    }
    if rows.is_empty() {
        return None;
    }
    rows.iter_mut()
        .for_each(|row| row.resize(HEADS.len(), String::new()));
    once_each_event(&mut rows);
    let kept: Vec<usize> = (0..HEADS.len())
        .filter(|&at| rows.iter().any(|row| !row[at].is_empty()))
        .collect();
    let only_kept = |row: &Vec<String>| kept.iter().map(|&at| row[at].clone()).collect();
    Some(Counting {
        title: "Counted while flows worked, in the last repetition of each slot (medians)"
            .to_owned(),
        heads: kept.iter().map(|&at| HEADS[at]).collect(),
        rows: rows.iter().map(only_kept).collect(),
        notes: notes(case),
    })
}

fn row(event: Event, label: &str, medians: &EventMedians) -> Vec<String> {
    let is_clock = event == Event::TaskClock;
    let amount_of = |value: f64| match is_clock {
        true => time(value),
        false => amount(value),
    };
    let per_second = match is_clock {
        true => String::new(),
        false => amount(medians.per_cpu_second),
    };
    let ran = (medians.ran < ALL).then(|| percent(medians.ran));
    let of_instructions = medians.per_1000_instructions.filter(|_| event.is_miss());
    vec![
        event.to_string(),
        label.to_owned(),
        amount_of(medians.scaled),
        per_second,
        medians.per_unit.map(amount_of).unwrap_or_default(),
        ran.unwrap_or_default(),
        of_instructions.map(significant).unwrap_or_default(),
    ]
}

/// An event stands in its first row alone.
fn once_each_event(rows: &mut [Vec<String>]) {
    let mut before = String::new();
    for row in rows {
        match row[0] == before {
            true => row[0].clear(),
            false => before.clone_from(&row[0]),
        }
    }
}

fn notes(case: &CaseResult) -> Vec<String> {
    let counted: Vec<(usize, &Events)> = case
        .variants
        .iter()
        .enumerate()
        .filter_map(|(at, variant)| Some((at, variant.counted.as_ref()?)))
        .collect();
    let carried = counted.iter().filter_map(|&(at, events)| {
        let flows = case.case.variants.get(at)?.variant.flows;
        let carriers = events.flows as u64;
        (carriers > 0 && carriers < u64::from(flows)).then(|| {
            format!(
                "the {} of {} share the counters of the {} below them",
                many(flows.into(), "flow"),
                case.variants[at].label,
                threads(carriers)
            )
        })
    });
    let mut notes: Vec<String> = carried.collect();
    notes.extend(partial(&counted));
    notes.extend(user_only(&counted));
    notes.extend(cost(case, &counted));
    notes
}

fn threads(number: u64) -> String {
    match number {
        1 => "one thread of the kernel".to_owned(),
        many => format!("{} threads of the kernel", count(many)),
    }
}

fn medians<'a>(
    counted: &'a [(usize, &'a Events)],
) -> impl Iterator<Item = (Event, &'a EventMedians)> {
    let all = counted.iter().flat_map(|(_, events)| &events.events);
    all.filter_map(|summary| Some((summary.event, summary.count.value()?)))
}

fn partial(counted: &[(usize, &Events)]) -> Option<String> {
    let shared = medians(counted).any(|(_, medians)| medians.ran < ALL);
    shared.then(|| {
        format!(
            "more events than the processor counts at once: they took turns, counts are scaled up \
             from the part of the time under '{RAN}'; to avoid it, --count fewer of them"
        )
    })
}

fn user_only(counted: &[(usize, &Events)]) -> Option<String> {
    let mut events: Vec<String> = Vec::new();
    for (event, medians) in medians(counted) {
        let name = event.to_string();
        if medians.scope == Scope::UserOnly && !events.contains(&name) {
            events.push(name);
        }
    }
    (!events.is_empty()).then(|| {
        let what = events.join(", ");
        format!("counted in user code only, as the kernel permits no more: {what}")
    })
}

/// What counting has cost.
fn cost(case: &CaseResult, counted: &[(usize, &Events)]) -> Option<String> {
    let around = counted.iter().map(|(_, events)| events.around_ns);
    let around = time(around.fold(0.0, f64::max));
    let slower = counted.iter().filter_map(|&(at, events)| {
        let slower = events.slower?;
        let word = if slower < 1.0 { "shorter" } else { "longer" };
        let by = percent((slower - 1.0).abs());
        Some(format!("{} {by} {word}", case.variants[at].label))
    });
    let slower: Vec<String> = slower.collect();
    let steady = match slower.is_empty() {
        true => {
            "slots have no other repetition to compare with, so its times hold the cost".to_owned()
        }
        false => format!(
            "its steady phase against the others of its slot: {}",
            slower.join(", ")
        ),
    };
    Some(format!(
        "cost of counting: up to {around} around the work of a slot, in no phase; {steady}"
    ))
}

impl Counting {
    /// Rows in which each has its event, for tables that are read row by row.
    pub(crate) fn filled(&self) -> Vec<Vec<String>> {
        let mut event = String::new();
        let filled = self.rows.iter().map(|row| {
            let mut row = row.clone();
            match row[0].is_empty() {
                true => row[0].clone_from(&event),
                false => event.clone_from(&row[0]),
            }
            row
        });
        filled.collect()
    }
}

/// What could not be counted in a study, each reason once.
pub(crate) fn missing(study: &StudyResult) -> Vec<String> {
    let lines = lab::results::counted::missing(study).into_iter();
    lines.map(|line| format!("events {line}")).collect()
}

/// Whether any event was counted in a case.
pub(crate) fn is_counted(case: &CaseResult) -> bool {
    counting(case).is_some()
}
